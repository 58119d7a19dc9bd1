package terraformmodule

import (
	"context"
	"fmt"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// Providers are the installed providers.
type Providers interface {
	// Servers returns the resolver of a provider's configurations, by the name of its TerraformProvider. ok reports
	// whether the provider runs.
	Servers(name string) (_ *providerconfig.Resolver, ok bool)
	// ProviderOf returns the name of the TerraformProvider that runs the provider with an address. It is an error
	// if there is none, or more than one.
	ProviderOf(source string) (string, error)
}

// configs resolves the provider configurations of a module's instances.
type configs struct {
	runner    *commandline.Runner
	module    *module.Module
	installed Providers
	// providers has the names of TerraformProviders by source.
	providers map[string]string
	// approval returns the least approval policy of the module's instances.
	approval func() desired.Approval
}

var _ managed.ProviderConfigs = (*configs)(nil)

// Resolve implements managed.ProviderConfigs.
func (c *configs) Resolve(ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string) providerconfig.Handle[terraform.Executor] {
	handles := map[string]providerconfig.Handle[provider.Server]{}
	for _, source := range c.module.Sources {
		name := c.providers[source]
		resolver, ok := c.installed.Servers(name)
		if !ok {
			handles[source] = providerconfig.Refuse[provider.Server](name, diagnostic.Errorf("Provider not installed",
				"The module needs the provider %s, but the TerraformProvider %s does not exist or is not installed.", source, name))
			continue
		}
		handles[source] = resolver.Resolve(ctx, ref, namespace)
	}
	out := providerconfig.Map(providerconfig.Join(handles), func(servers map[string]provider.Server) terraform.Executor {
		return module.New(c.runner, c.module, servers)
	})
	if out.Name == "" {
		out.Name = fmt.Sprintf("module %s", c.module.Digest) // a module without providers
	}
	return out.AtLeast(c.approval())
}
