package export

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
)

// RequiredProvider is a provider that the configuration requires.
type RequiredProvider struct {
	Model *model.Provider
	// Source is the provider's address, such as registry.terraform.io/hashicorp/random, and Version
	// its version; empty for any.
	Source, Version string
	Launcher        provider.Launcher
}

// defaultHost is the registry of addresses without a host, in each program its own.
const defaultHost = "registry.terraform.io/"

// used is a provider of the configuration that is written.
type used struct {
	*RequiredProvider
	// name is its local name.
	name string
	// configurations are those that are used.
	configurations map[providerconfig.Reference]*configuration
}

// configuration is a provider configuration.
type configuration struct {
	reference providerconfig.Reference
	// alias is empty for the default configuration.
	alias string
}

// address returns the address of a provider configuration in a state.
func (u *used) address(c *configuration) string {
	out := fmt.Sprintf("provider[%q]", u.Source)
	if c.alias != "" {
		out += "." + c.alias
	}
	return out
}

// expression returns the value of the meta-argument provider.
func (u *used) expression(c *configuration) hclwrite.Tokens {
	if c.alias == "" {
		return traverse(u.name)
	}
	return traverse(u.name, c.alias)
}

// implied returns the local name of the provider that a resource type implies.
func implied(resourceType string) string {
	name, _, _ := strings.Cut(resourceType, "_")
	return name
}

// use returns the provider of a resource of a type, and its configuration. Its local name is the
// one that its first resource type implies.
func (e *exporter) use(p *RequiredProvider, resourceType string, ref providerconfig.Reference) (*used, *configuration) {
	u := e.used[p]
	if u == nil {
		u = &used{RequiredProvider: p, configurations: map[providerconfig.Reference]*configuration{}}
		wanted := identifier(implied(resourceType))
		u.name = unique(wanted, func(n string) bool { return e.names[n] }, func(n string) { e.names[n] = true })
		e.used[p] = u
	}
	c := u.configurations[ref]
	if c == nil {
		c = &configuration{reference: ref}
		if ref != (providerconfig.Reference{Kind: model.ClusterProviderConfigKind, Name: "default"}) {
			wanted := ref.Name
			if ref.Namespace != "" {
				wanted = ref.Namespace + "_" + ref.Name
			}
			c.alias = unique(identifier(wanted), func(n string) bool {
				for _, x := range u.configurations {
					if x.alias == n {
						return true
					}
				}
				return false
			}, func(string) {})
		}
		u.configurations[ref] = c
	}
	return u, c
}

// unique returns a name that is not taken yet, and takes it.
func unique(wanted string, taken func(string) bool, take func(string)) string {
	name := wanted
	for n := 2; taken(name); n++ {
		name = fmt.Sprintf("%s_%d", wanted, n)
	}
	take(name)
	return name
}

// providers writes the requirements and the configurations of providers.
func (e *exporter) providers(ctx context.Context) []byte {
	f := hclwrite.NewEmptyFile()
	all := make([]*used, 0, len(e.used))
	for _, u := range e.used {
		all = append(all, u)
	}
	slices.SortFunc(all, func(a, b *used) int { return strings.Compare(a.name, b.name) })
	required := f.Body().AppendNewBlock("terraform", nil).Body().AppendNewBlock("required_providers", nil).Body()
	for _, u := range all {
		settings := map[string]cty.Value{"source": cty.StringVal(strings.TrimPrefix(u.Source, defaultHost))}
		if u.Version != "" {
			settings["version"] = cty.StringVal(u.Version)
		}
		required.SetAttributeValue(u.name, cty.ObjectVal(settings))
	}
	for _, u := range all {
		configurations := make([]*configuration, 0, len(u.configurations))
		for _, c := range u.configurations {
			configurations = append(configurations, c)
		}
		slices.SortFunc(configurations, func(a, b *configuration) int { return strings.Compare(a.alias, b.alias) })
		for _, c := range configurations {
			f.Body().AppendNewline()
			body := f.Body().AppendNewBlock("provider", []string{u.name}).Body()
			if c.alias != "" {
				body.SetAttributeValue("alias", cty.StringVal(c.alias))
			}
			v, err := (&cluster.Reader{Client: e.Client}).Configuration(ctx, u.Model, c.reference, e.Secrets)
			if err != nil {
				e.out.Left = append(e.out.Left, state.Left{
					Title:  fmt.Sprintf("%s %s of %s", c.reference.Kind, c.reference.Name, u.Model.Group),
					Reason: e.Secrets.Replacer().Replace(err.Error()) + ". Complete its provider block",
				})
				continue
			}
			prefix := u.name
			if c.alias != "" {
				prefix += "_" + c.alias
			}
			w := &writer{variables: &e.variables, prefix: prefix}
			w.block(body, u.Model.Schema.Config, v, nil)
		}
	}
	return f.Bytes()
}
