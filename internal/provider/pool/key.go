package pool

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/schema"
)

// defaultTerraformVersion is the version of Terraform that providers get: the newest one whose
// protocol is spoken.
const defaultTerraformVersion = "1.16.0"

// Configuration identifies a server.
type Configuration struct {
	Launcher provider.Launcher
	// Config is the provider's configuration, of the type its schema implies.
	Config cty.Value
	// TerraformVersion is the semantic version that the provider gets. Defaults to "1.16.0".
	TerraformVersion string
	// Namespace is that of the configuration, whose servers Options.MaxServersPerNamespace bounds;
	// empty if it has none. Servers do not differ by it: equal configurations share one, which
	// counts for one of their namespaces.
	Namespace string
	// Name names the configuration in metrics. Servers do not differ by it: equal configurations
	// share one, which has one of their names.
	Name string
	// Secrets are strings that the logs of servers must not show, beside the values of attributes
	// that are sensitive by the schema. Servers do not differ by them.
	Secrets []string
	// Limits override those of the pool. Servers do not differ by them.
	Limits Limits
}

// Key is a Configuration prepared for Acquire. Keep it, since it is expensive to make. Keys of
// equal configurations are equal.
type Key struct {
	hash          [sha256.Size]byte
	configuration *Configuration
	err           error
}

// Equal reports whether two keys are for the same server.
func (k Key) Equal(other Key) bool { return k.hash == other.hash }

// String reveals nothing of the configuration.
func (k Key) String() string { return "provider configuration" }

// Prepare returns the key of a configuration. If it is invalid, Acquire fails.
func Prepare(c Configuration) Key {
	c.Config, _ = c.Config.UnmarkDeep()
	if !c.Config.IsWhollyKnown() {
		return Key{err: errors.New("it has values that are not known yet")}
	}
	if c.TerraformVersion == "" {
		c.TerraformVersion = defaultTerraformVersion
	}
	config, err := ctymsgpack.Marshal(c.Config, cty.DynamicPseudoType) // with its type
	if err != nil {
		return Key{err: fmt.Errorf("it cannot be encoded: %w", err)}
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q %q ", c.Launcher.Key(), c.TerraformVersion)
	h.Write(config)
	k := Key{configuration: &c}
	h.Sum(k.hash[:0])
	return k
}

// secrets returns the strings in the sensitive attributes of a configuration.
func secrets(block *schema.Block, value cty.Value) []string {
	var out []string
	collect(block, value, &out)
	return out
}

func collect(block *schema.Block, value cty.Value, out *[]string) {
	if value.IsNull() || !value.IsKnown() {
		return
	}
	collectAttributes(block.Attributes, value, out)
	for name, nested := range block.Blocks {
		each(attribute(value, name), nested.Nesting, func(v cty.Value) { collect(nested.Block, v, out) })
	}
}

func collectAttributes(attributes map[string]*schema.Attribute, value cty.Value, out *[]string) {
	if value.IsNull() || !value.IsKnown() {
		return
	}
	for name, a := range attributes {
		v := attribute(value, name)
		switch {
		case a.Sensitive || a.WriteOnly:
			collectStrings(v, out)
		case a.Nested != nil:
			each(v, a.Nested.Nesting, func(v cty.Value) { collectAttributes(a.Nested.Attributes, v, out) })
		}
	}
}

func attribute(value cty.Value, name string) cty.Value {
	if !value.Type().IsObjectType() || !value.Type().HasAttribute(name) {
		return cty.NilVal
	}
	return value.GetAttr(name)
}

func each(value cty.Value, nesting schema.Nesting, f func(cty.Value)) {
	switch {
	case value == cty.NilVal || value.IsNull() || !value.IsKnown():
	case nesting == schema.NestingSingle || nesting == schema.NestingGroup:
		f(value)
	case value.CanIterateElements():
		for it := value.ElementIterator(); it.Next(); {
			_, v := it.Element()
			f(v)
		}
	}
}

// collectStrings collects the strings and numbers in a value; booleans reveal nothing.
func collectStrings(value cty.Value, out *[]string) {
	if value == cty.NilVal {
		return
	}
	_ = cty.Walk(value, func(_ cty.Path, v cty.Value) (bool, error) {
		if v.IsNull() || !v.IsKnown() {
			return false, nil
		}
		switch v.Type() {
		case cty.String:
			*out = append(*out, v.AsString())
		case cty.Number:
			*out = append(*out, v.AsBigFloat().Text('f', -1))
		}
		return true, nil
	})
}
