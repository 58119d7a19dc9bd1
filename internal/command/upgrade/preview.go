package upgrade

import (
	"context"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/upgradepreview"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
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
	configurations := &once{Reader: o.Client}
	converting, err := upgradepreview.Converting(configurations, o.Installed.Model, o.New.Model)
	if err != nil {
		return nil, err
	}
	programs := programs{live: o.Client, servers: servers, secrets: out.Secrets}
	out.Installed, out.New = programs.version(o.Installed, configurations), programs.version(o.New, converting)
	return upgradepreview.Preview(ctx, out)
}

// programs runs versions of a provider.
type programs struct {
	// live has Secrets, and what decides which namespaces may use a provider configuration.
	live    client.Reader
	servers *pool.Pool
	secrets *redact.Redactor
}

// version returns a version, with provider configurations from a reader.
func (p programs) version(of *cluster.InstalledProvider, configurations client.Reader) upgradepreview.Version {
	return upgradepreview.Configured(&providerconfig.Resolver{
		Client: configurations, Live: p.live, Provider: of.Model, Launcher: of.Launcher, Pool: p.servers,
		Admission: &providerconfig.Admission{Live: p.live},
	}, p.secrets)
}

// Deprecations returns which live resources and provider configurations use what is deprecated in
// the installed version.
func Deprecations(ctx context.Context, o Options) (rows []upgrade.Row, notes []string, _ error) {
	return upgradepreview.Deprecations(ctx, o.preview())
}
