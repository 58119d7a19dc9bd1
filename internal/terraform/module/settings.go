package module

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/schema"
)

// Setting is an argument of a provider block, which takes precedence over that of the provider
// configuration.
type Setting struct {
	// Provider is the local name of the provider, Source its source.
	Provider, Source string
	// Path are the names of the argument and of the blocks that it is in.
	Path []string
	// At is the file and line.
	At string
}

func (s Setting) String() string { return strings.Join(s.Path, ".") }

// credentialWords are parts of the names of arguments that hold credentials, or say where they are.
var credentialWords = []string{
	"token", "password", "passwd", "passphrase", "secret", "credential", "private_key", "access_key", "api_key", "apikey",
	"client_key", "client_certificate", "kubeconfig", "config_path", "profile", "shared_config", "username", "auth",
}

// harmless are names of arguments that say where in an account objects are, and how they are
// labelled. They tell a provider nothing about where to send its credentials.
var harmless = regexp.MustCompile(`^((.*_)?(region|location|zone|project|organization|environment|features|labels|tags|retries|timeout)|allowed_account_ids|forbidden_account_ids)$`)

// plainText is what a harmless setting may consist of: nothing that could end the name of a host.
var plainText = regexp.MustCompile(`^[\pL\pN _.:=+-]*$`)

// provider reads a provider block.
func (r *reader) provider(b *hcl.Block) {
	name := b.Labels[0]
	body, ok := b.Body.(*hclsyntax.Body)
	if !ok {
		attrs, diags := b.Body.JustAttributes()
		r.report(diags)
		for _, a := range slices.Sorted(maps.Keys(attrs)) {
			r.setting(name, []string{a}, attrs[a].Expr, attrs[a].Range)
		}
		return
	}
	var walk func(path []string, body *hclsyntax.Body)
	walk = func(path []string, body *hclsyntax.Body) {
		for _, a := range slices.Sorted(maps.Keys(body.Attributes)) {
			r.setting(name, append(slices.Clone(path), a), body.Attributes[a].Expr, body.Attributes[a].NameRange)
		}
		for _, inner := range body.Blocks {
			at := append(slices.Clone(path), inner.Type)
			if len(inner.Body.Attributes)+len(inner.Body.Blocks) == 0 {
				r.setting(name, at, nil, inner.TypeRange)
			}
			walk(at, inner.Body)
		}
	}
	walk(nil, body)
}

func (r *reader) setting(provider string, path []string, e hcl.Expression, at hcl.Range) {
	if len(path) == 1 {
		switch path[0] {
		case "alias":
			var alias string
			v, diags := e.Value(nil)
			if r.report(diags); !diags.HasErrors() && v.Type() == cty.String && !v.IsNull() {
				alias = v.AsString()
			}
			if alias != "" {
				r.configuration(provider + "." + alias)
				if name := provider + "." + alias; !slices.Contains(r.out.Blocks, name) {
					r.out.Blocks = append(r.out.Blocks, name)
				}
			}
			return
		case "version", "for_each":
			return // the program's
		}
	}
	r.implied[provider] = true
	r.out.Settings = append(r.out.Settings, Setting{Provider: provider, Path: path, At: fmt.Sprintf("%s:%d", at.Filename, at.Start.Line)})
}

// configuration records a named configuration of a provider.
func (r *reader) configuration(name string) {
	if !slices.Contains(r.out.Configurations, name) {
		r.out.Configurations = append(r.out.Configurations, name)
		slices.Sort(r.out.Configurations)
	}
	provider, _, _ := strings.Cut(name, ".")
	r.implied[provider] = true
}

// aliasOf returns the alias in a reference to a configuration, such as aws.replica; empty without
// one.
func aliasOf(t hcl.Traversal) string {
	if len(t) < 2 {
		return ""
	}
	step, _ := t[1].(hcl.TraverseAttr)
	return step.Name
}

// checkConfigurations checks that the named configurations which are used are declared.
func (r *reader) checkConfigurations() {
	for _, name := range slices.Sorted(maps.Keys(r.used)) {
		if slices.Contains(r.out.Configurations, name) {
			continue
		}
		provider, _, _ := strings.Cut(name, ".")
		r.refuse(r.used[name], "It needs the configuration %s, which is not declared. Add configuration_aliases = "+
			"[%[1]s] to %s in required_providers.", name, provider)
	}
}

// local returns the local name of a configuration's provider.
func localName(configuration string) string {
	name, _, _ := strings.Cut(configuration, ".")
	return name
}

// ConfigurationNames returns the names by which an instance chooses provider configurations: the
// local names of the module's providers, and its named configurations.
func (d *Definition) ConfigurationNames() []string {
	return slices.Sorted(maps.Keys(d.configurationSources()))
}

func (d *Definition) configurationSources() map[string]string {
	out := maps.Clone(d.Providers)
	if out == nil {
		out = map[string]string{}
	}
	for _, name := range d.Configurations {
		if source := d.Providers[localName(name)]; source != "" {
			out[name] = source
		}
	}
	return out
}

// SourceOf returns the source of the provider of a named configuration.
func (d *Definition) SourceOf(configuration string) string {
	return d.configurationSources()[configuration]
}

// CheckSettings refuses settings of provider blocks that would hold credentials, and those that
// could send the credentials of a provider configuration elsewhere. configuration returns the
// schema of a provider's configuration.
func (m *Module) CheckSettings(configuration func(source string) *schema.Block) diagnostic.Diagnostics {
	var out diagnostic.Diagnostics
	for _, s := range m.Settings {
		block := configuration(s.Source)
		sensitive := false
		if block != nil {
			a := attributeAt(block, s.Path)
			sensitive = a != nil && (a.Sensitive || a.WriteOnly)
		}
		switch {
		case sensitive || slices.ContainsFunc(s.Path, func(name string) bool {
			return slices.ContainsFunc(credentialWords, func(word string) bool { return strings.Contains(name, word) })
		}):
			out = append(out, diagnostic.Errorf(s.At+": Module cannot be used",
				"The provider block %s sets %s, which is for credentials. Remove the line, and set it in the "+
					"provider configuration.",
				s.Provider, s)...)
		case !harmless.MatchString(s.Path[0]) && !slices.Contains(m.source.Allow, ProviderSettings):
			out = append(out, diagnostic.Errorf(NotAllowed,
				"%s: The provider block %s sets %s, which could send the credentials of the provider configuration "+
					"elsewhere. Remove the line and set it in the provider configuration, or list %s in spec.allow.",
				s.At, s.Provider, s, ProviderSettings)...)
		}
	}
	return out
}

// attributeAt returns the attribute at names; nil if there is none.
func attributeAt(b *schema.Block, path []string) *schema.Attribute {
	if len(path) == 1 {
		return b.Attributes[path[0]]
	}
	if n := b.Blocks[path[0]]; n != nil {
		return attributeAt(n.Block, path[1:])
	}
	return b.Attributes[path[0]]
}

// configurationArgument is an argument that attached providers have besides those of the provider:
// the name of the configuration, by which they tell the program's connections apart.
const configurationArgument = "landbridge_configuration"

// namesFile overrides the module's provider blocks with an alias, to give each its name.
const namesFile = "landbridge_names_override.tf.json"

// nameConfigurations gives the module's own provider blocks the names of their configurations.
func (m *Module) nameConfigurations(called []call) error {
	blocks := map[string][]any{}
	for _, name := range m.Blocks {
		blocks[localName(name)] = append(blocks[localName(name)], map[string]any{
			"alias": strings.TrimPrefix(name, localName(name)+"."), configurationArgument: name,
		})
	}
	if len(blocks) == 0 {
		return nil
	}
	b, err := json.Marshal(map[string]any{"provider": blocks})
	if err != nil {
		return err
	}
	for _, c := range called {
		if c.key == callName {
			return os.WriteFile(filepath.Join(c.dir, namesFile), b, 0o600)
		}
	}
	return nil
}
