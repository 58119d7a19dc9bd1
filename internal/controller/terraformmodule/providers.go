package terraformmodule

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// Providers are the installed providers.
type Providers interface {
	// Servers returns the resolver of a provider's configurations, by the name of its
	// TerraformProvider. ok reports whether the provider runs.
	Servers(name string) (_ *providerconfig.Resolver, ok bool)
	// ProviderOf returns the name of the TerraformProvider that runs the provider with an address.
	// It is an error if there is none, or more than one.
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
	// grace is how long an object may be missing after its create.
	grace time.Duration
	// key is that of the hashes of settings in provider blocks.
	key []byte
}

var (
	_ managed.ProviderConfigs      = (*configs)(nil)
	_ managed.NamedProviderConfigs = (*configs)(nil)
	_ managed.NamingConfigs        = (*configs)(nil)
	_ managed.RereadingConfigs     = (*configs)(nil)
)

// Resolve implements managed.ProviderConfigs.
func (c *configs) Resolve(
	ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string,
) providerconfig.Handle[terraform.Executor] {
	return c.ResolveNamed(ctx, ref, nil, namespace)
}

// ResolveNamed implements managed.NamedProviderConfigs. Names are the local names of the module's
// providers, and those of its named configurations, such as aws.replica.
func (c *configs) ResolveNamed(
	ctx context.Context, ref *xpv2.ProviderConfigReference, named map[string]*xpv2.ProviderConfigReference,
	namespace string,
) providerconfig.Handle[terraform.Executor] {
	handles := map[string]providerconfig.Handle[provider.Server]{}
	for key, u := range c.used(ref, named) {
		handles[key] = c.resolve(ctx, u.source, u.ref, namespace)
	}
	for name := range named {
		if !slices.Contains(c.module.ConfigurationNames(), name) {
			handles["?"+name] = providerconfig.Refuse[provider.Server](name, diagnostic.Errorf("Invalid provider configuration reference",
				"spec.providerConfigRefs: the module has no provider configuration %s. It has: %s.", name,
				strings.Join(c.module.ConfigurationNames(), ", ")))
		}
	}
	out := providerconfig.Map(providerconfig.Join(handles), func(servers map[string]provider.Server) terraform.Executor {
		return module.New(c.runner, c.module, servers).WithCreationGracePeriod(c.grace).
			WithSettings(func(
				ctx context.Context, configuration string, settings cty.Value,
			) (provider.Server, func(), diagnostic.Diagnostics) {
				with := handles[configuration].Last().With
				if with == nil {
					return nil, nil, diagnostic.Errorf("Provider not installed", "The provider configuration %s cannot be used.", configuration)
				}
				if provider.UserOf(ctx) == (provider.User{}) { // a call of the program, which names no resource
					ctx = provider.WithUser(ctx, provider.User{Namespace: namespace, Resource: "module " + c.module.Digest})
				}
				return with(ctx, settings)
			}, c.key)
	})
	if out.Name == "" {
		out.Name = fmt.Sprintf("module %s", c.module.Digest) // a module without providers
	}
	return out.AtLeast(c.approval())
}

// used is a configuration of the provider with a source.
type used struct {
	source string
	ref    *xpv2.ProviderConfigReference
}

// used returns the configurations that an instance uses, by their keys.
func (c *configs) used(ref *xpv2.ProviderConfigReference, named map[string]*xpv2.ProviderConfigReference) map[string]used {
	out := map[string]used{}
	for _, name := range c.module.ConfigurationNames() {
		source := c.module.SourceOf(name)
		switch given := named[name]; {
		case c.module.Providers[name] != "" && given != nil:
			out[source] = used{source, given}
		case c.module.Providers[name] == "" && given != nil:
			out[name] = used{source, given}
		}
	}
	for _, source := range c.module.Sources {
		if _, ok := out[source]; !ok {
			out[source] = used{source, ref}
		}
	}
	return out
}

// Names implements managed.NamingConfigs.
func (c *configs) Names(
	ref *xpv2.ProviderConfigReference, named map[string]*xpv2.ProviderConfigReference, namespace string,
) (names []string) {
	for _, u := range c.used(ref, named) {
		if resolver, ok := c.installed.Servers(c.providers[u.source]); ok {
			names = append(names, resolver.Name(providerconfig.ReferenceOf(u.ref, namespace)))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Reread implements managed.RereadingConfigs.
func (c *configs) Reread(ref *xpv2.ProviderConfigReference, named map[string]*xpv2.ProviderConfigReference, namespace string) {
	for _, u := range c.used(ref, named) {
		if resolver, ok := c.installed.Servers(c.providers[u.source]); ok {
			resolver.Reread(providerconfig.ReferenceOf(u.ref, namespace))
		}
	}
}

// Consists implements managed.NamedProviderConfigs.
func (c *configs) Consists(in instance.Instance) (held, begun []terraform.Object) {
	return module.Consists(in)
}

// resolve returns one configuration of the provider with a source.
func (c *configs) resolve(
	ctx context.Context, source string, ref *xpv2.ProviderConfigReference, namespace string,
) providerconfig.Handle[provider.Server] {
	name := c.providers[source]
	resolver, ok := c.installed.Servers(name)
	if !ok {
		return providerconfig.Refuse[provider.Server](name, diagnostic.Errorf("Provider not installed",
			"The module needs the provider %s, but the TerraformProvider %s does not exist or is not installed.", source, name))
	}
	return resolver.Resolve(ctx, ref, namespace)
}
