package terraformmodule

import (
	"context"
	"fmt"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/cli"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// configs finds the configured providers of a module's instances.
type configs struct {
	runner    *cli.Runner
	module    *module.Module
	installed *terraformprovider.Reconciler
	// providers are the names of TerraformProviders by sources.
	providers map[string]string
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
				"The module needs the provider %s, but the TerraformProvider %s is not there, or not installed.", source, name))
			continue
		}
		handles[source] = resolver.Resolve(ctx, ref, namespace)
	}
	out := providerconfig.Map(providerconfig.Join(handles), func(servers map[string]provider.Server) terraform.Executor {
		return module.New(c.runner, c.module, servers)
	})
	if out.Name == "" {
		out.Name = fmt.Sprintf("module %s", c.module.Digest) // it needs no provider
	}
	return out
}
