package upgrade

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

// poolOptions are those of the providers' processes. A process that has crashed is started again at
// once, since each resource is tried only twice.
var poolOptions = pool.Options{
	KeepTrying: true, IdleTimeout: time.Minute, Patience: 2 * time.Minute, MaxServers: 64, Growth: 64 << 20,
	MinBackoff: 10 * time.Millisecond, MaxBackoff: time.Second,
}

// maxStarts is how often the start of a provider is awaited for one resource.
const maxStarts = 5

// versioned is a version of the provider.
type versioned struct {
	*cluster.InstalledProvider
	reader  cluster.Reader
	pool    *pool.Pool
	secrets *redact.Redactor

	mu      sync.Mutex
	keys    map[providerconfig.Reference]configured
	engines map[provider.Server]*engine.Engine
}

// configured is a provider configuration, or why it cannot be used.
type configured struct {
	key pool.Key
	err error
}

// versions prepares both versions.
func (r *run) versions() error {
	old, err := evolution.FromConfig(r.Installed.Model)
	if err != nil {
		return err
	}
	now, err := evolution.FromConfig(r.New.Model)
	if err != nil {
		return err
	}
	of := func(p *cluster.InstalledProvider, reader client.Reader) *versioned {
		return &versioned{
			InstalledProvider: p, reader: cluster.Reader{Client: reader}, pool: r.pool, secrets: r.secrets,
			keys: map[providerconfig.Reference]configured{}, engines: map[provider.Server]*engine.Engine{},
		}
	}
	r.installed = of(r.Installed, r.Client)
	r.new = of(r.New, converting{Reader: r.Client, group: r.Installed.Model.Group, old: old, new: now})
	return nil
}

// converting reads provider configurations as those of the new version.
type converting struct {
	client.Reader
	group    string
	old, new *evolution.Kind
}

// Get implements client.Reader.
func (c converting) Get(ctx context.Context, key client.ObjectKey, into client.Object, options ...client.GetOption) error {
	err := c.Reader.Get(ctx, key, into, options...)
	if u, ok := into.(*unstructured.Unstructured); ok && err == nil && isConfiguration(u.GroupVersionKind(), c.group) {
		u.Object, _ = upgrade.ConfigFields(u.Object, c.old, c.new)
	}
	return err
}

func isConfiguration(gvk kschema.GroupVersionKind, group string) bool {
	return gvk.Group == group && (gvk.Kind == model.ProviderConfigKind || gvk.Kind == model.ClusterProviderConfigKind)
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
	ctx = provider.WithUser(ctx, provider.User{Namespace: u.GetNamespace(), Resource: u.GetKind() + "." + u.GroupVersionKind().Group + "/" + u.GetName()})
	lease, failure := v.lease(ctx, c.key)
	if failure != nil {
		var out diagnostic.Diagnostics
		for _, d := range failure.Diagnostics.Errors() {
			text := d.Format(v.Model.UserPath)
			out = append(out, diagnostic.Errorf("The provider cannot be used with "+title(ref), "%s", text)...)
		}
		return nil, nil, out
	}
	server := lease.Server()
	v.mu.Lock()
	defer v.mu.Unlock()
	e := v.engines[server]
	if e == nil {
		e = engine.New(server)
		v.engines[server] = e
	}
	return e, lease.Release, nil
}

// lease leases a server, and waits for one that is started again after a crash.
func (v *versioned) lease(ctx context.Context, key pool.Key) (*pool.Lease, *pool.Failure) {
	for n := 1; ; n++ {
		lease, failure := v.pool.TryAcquire(ctx, key)
		if failure == nil || n == maxStarts || failure.RetryAt.IsZero() || failure.OfResource {
			return lease, failure
		}
		switch failure.Reason {
		case pool.Crashed, pool.Hung, pool.OutOfMemory, pool.Starting, pool.NoRoom, pool.Throttled:
		default:
			return lease, failure
		}
		select {
		case <-time.After(time.Until(failure.RetryAt)):
		case <-ctx.Done():
			return lease, failure
		}
	}
}

// configurations adds what provider configurations use that is gone, of another type or deprecated
// to the report. They are no resources: those without findings are not counted.
func (r *run) configurations(ctx context.Context) error {
	of := r.new.reader.Client.(converting)
	for _, kind := range []string{model.ClusterProviderConfigKind, model.ProviderConfigKind} {
		gvk := kschema.GroupVersionKind{Group: r.Installed.Model.Group, Version: r.Installed.Model.Version, Kind: kind + "List"}
		namespaces := r.namespaces
		if kind == model.ClusterProviderConfigKind {
			namespaces = []string{""}
		}
		for _, n := range namespaces {
			err := r.list(ctx, gvk, func(all []unstructured.Unstructured) (bool, error) {
				for _, u := range all {
					if _, found := upgrade.ConfigFields(u.Object, of.old, of.new); len(found) > 0 {
						r.grouper.Add(upgrade.Subject{Kind: upgrade.Kind{Group: gvk.Group, Kind: kind}, Namespace: u.GetNamespace(), Name: u.GetName()}, found)
					}
				}
				return true, nil
			}, client.InNamespace(n))
			switch {
			case kerrors.IsForbidden(err):
				r.notes = append(r.notes, fmt.Sprintf("%ss are not compared: you may not list them.", kind))
			case err != nil && !meta.IsNoMatchError(err) && !kerrors.IsNotFound(err):
				return err
			}
		}
	}
	return nil
}
