package upgrade

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/upgradepreview"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

// maxServers bounds the providers' processes.
const maxServers = 64

// Options of Preview and Deprecations.
type Options struct {
	// Client is of the cluster. It must not be a cache.
	Client client.Client
	// Stored are the stored instances.
	Stored *store.Secrets
	// Installed and New are the versions of the provider. Deprecations needs no new one.
	Installed, New *cluster.InstalledProvider
	// Namespace is that of the resources; empty for each that the user may read.
	Namespace string
	// Selector selects resources. Nil selects all.
	Selector labels.Selector
	// Refresh reads the remote objects first, by both versions.
	Refresh bool
	// Examples is the number of resources that a row of the report names.
	Examples int
}

// preview returns the options of a preview, with the installed version.
func (o Options) preview() upgradepreview.Options {
	return upgradepreview.Options{
		Provider: o.Installed.Name, Reader: o.Client, Mapper: o.Client.RESTMapper(), Stored: o.Stored,
		Installed: upgradepreview.Version{Provider: o.Installed.Model}, Secrets: &redact.Redactor{},
		Namespace: o.Namespace, Selector: o.Selector, Refresh: o.Refresh, Examples: o.Examples,
	}
}

// Preview returns what the new version would do to the live resources.
func Preview(ctx context.Context, o Options) (*upgrade.Report, error) {
	servers := pool.New(upgradepreview.PoolOptions(maxServers))
	defer func() { _ = servers.Close(context.WithoutCancel(ctx)) }() // all answers have arrived
	out := o.preview()
	converting, err := upgradepreview.Converting(o.Client, o.Installed.Model, o.New.Model)
	if err != nil {
		return nil, err
	}
	of := func(p *cluster.InstalledProvider, reader client.Reader) upgradepreview.Version {
		v := &versioned{
			InstalledProvider: p, reader: cluster.Reader{Client: reader}, pool: servers, secrets: out.Secrets,
			keys: map[providerconfig.Reference]configured{}, engines: new(engine.Factory),
		}
		return upgradepreview.Version{Provider: p.Model, Acquire: v.acquire}
	}
	out.Installed, out.New = of(o.Installed, o.Client), of(o.New, converting)
	return upgradepreview.Preview(ctx, out)
}

// Deprecations returns which live resources and provider configurations use what is deprecated in
// the installed version.
func Deprecations(ctx context.Context, o Options) (rows []upgrade.Row, notes []string, _ error) {
	return upgradepreview.Deprecations(ctx, o.preview())
}

// versioned is a version of the provider.
type versioned struct {
	*cluster.InstalledProvider
	reader  cluster.Reader
	pool    *pool.Pool
	secrets *redact.Redactor
	engines *engine.Factory

	mu   sync.Mutex
	keys map[providerconfig.Reference]configured
}

// configured is a provider configuration, or why it cannot be used.
type configured struct {
	key pool.Key
	err error
}

func title(ref providerconfig.Reference) string {
	if ref.Namespace != "" {
		return ref.Kind + " " + ref.Namespace + "/" + ref.Name
	}
	return ref.Kind + " " + ref.Name
}

// configured returns a provider configuration. Each is read once.
func (v *versioned) configured(ctx context.Context, ref providerconfig.Reference) configured {
	v.mu.Lock()
	defer v.mu.Unlock()
	out, ok := v.keys[ref]
	if !ok {
		config, err := v.reader.Configuration(ctx, v.Model, ref, v.secrets)
		if out.err = err; err == nil {
			out.key = pool.Prepare(pool.Configuration{Launcher: v.Launcher, Config: config})
		}
		v.keys[ref] = out
	}
	return out
}

// acquire implements upgrade.Acquire.
func (v *versioned) acquire(ctx context.Context, u *unstructured.Unstructured) (terraform.Executor, func(), diagnostic.Diagnostics) {
	ref := managed.ConfigurationOf(u)
	c := v.configured(ctx, ref)
	if c.err != nil {
		return nil, nil, diagnostic.Errorf("The provider configuration cannot be used", "%s.", c.err)
	}
	ctx = provider.WithUser(ctx, upgradepreview.UserOf(u))
	var lease *pool.Lease
	failure := upgradepreview.Patiently(ctx, func() (failure *pool.Failure) {
		lease, failure = v.pool.TryAcquire(ctx, c.key)
		return failure
	})
	if failure != nil {
		var out diagnostic.Diagnostics
		for _, d := range failure.Diagnostics.Errors() {
			text := d.Format(v.Model.UserPath)
			out = append(out, diagnostic.Errorf("The provider cannot be used with "+title(ref), "%s", text)...)
		}
		return nil, nil, out
	}
	return v.engines.Engine(lease.Server()), lease.Release, nil
}
