package translate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
)

// SecretKeySelector refers to a key of a Secret.
type SecretKeySelector struct {
	// Namespace is empty if the Secret is in the namespace of the referring object.
	Namespace string
	Name, Key string
}

// Secrets returns the value that a selector refers to. Its errors are shown to the user, but for
// ErrKnownLater.
type Secrets func(SecretKeySelector) ([]byte, error)

// ErrKnownLater is the error of Secrets for a value that is not known yet. The value of the field
// is unknown.
var ErrKnownLater = errors.New("the value is known later")

// Configuration is the desired configuration of a resource.
type Configuration struct {
	// Value is of the implied type, and wholly known if the values of all Secrets are. Unset
	// attributes are null, and unset blocks are empty for their nesting.
	Value cty.Value
	// SensitivePaths are the paths of values from Secrets. Paths end at a set.
	SensitivePaths []cty.Path
}

// Config reads spec.forProvider, with spec.initProvider below it: objects, maps and elements of
// lists are merged, and forProvider takes precedence. Warnings name what has no effect in
// initProvider. The provider validates required fields. Desired also applies the settings of the
// resource type. With errors the Configuration is the zero value.
func Config(r *model.Resource, forProvider, initProvider map[string]any, secrets Secrets) (Configuration, diagnostic.Diagnostics) {
	c, diags := configuration(r.Root(), merge(r.Root(), forProvider, initProvider), secrets)
	return c, append(diags, Ineffective(r, forProvider, initProvider)...)
}

// ProviderConfig reads the provider's arguments in the spec of a ProviderConfig or
// ClusterProviderConfig. Provider.UserPath formats the paths of its diagnostics. With errors the
// value is cty.NilVal.
func ProviderConfig(p *model.Provider, spec map[string]any, secrets Secrets) (cty.Value, diagnostic.Diagnostics) {
	c, diags := ProviderConfiguration(p, spec, secrets)
	return c.Value, diags
}

// ProviderConfiguration is ProviderConfig with the paths of values from Secrets. With errors the
// Configuration is the zero value.
func ProviderConfiguration(p *model.Provider, spec map[string]any, secrets Secrets) (Configuration, diagnostic.Diagnostics) {
	spec = maps.Clone(spec)
	delete(spec, model.AllowedNamespaces)
	delete(spec, model.ServiceAccountTokens)
	return configuration(p.Config, spec, secrets)
}

func configuration(t *model.Type, in map[string]any, secrets Secrets) (Configuration, diagnostic.Diagnostics) {
	d := decoder{secrets: secrets, path: make(cty.Path, 0, 8)}
	v := d.object(t, in)
	if d.diags.HasErrors() {
		return Configuration{}, d.diags
	}
	return Configuration{Value: v, SensitivePaths: d.sensitive}, d.diags
}

// secret reads a reference to a key of a Secret, and the value of the key.
func (d *decoder) secret(f *model.Field, in any) cty.Value {
	t := f.Type
	ref, ok := in.(map[string]any)
	var s SecretKeySelector
	if ok {
		s.Namespace, _ = ref["namespace"].(string)
		s.Name, _ = ref["name"].(string)
		s.Key, _ = ref["key"].(string)
	}
	if s.Name == "" || s.Key == "" {
		return d.errorf(t, invalidSecret, "It must name a Secret and a key in it, as {name: …, key: …}.")
	}
	if d.secrets == nil {
		return d.errorf(t, invalidSecret, "Secrets cannot be read here.")
	}
	raw, err := d.secrets(s)
	if errors.Is(err, ErrKnownLater) {
		d.sensitive = append(d.sensitive, untilSet(d.path))
		return cty.UnknownVal(t.Cty)
	}
	if err != nil {
		return d.errorf(t, invalidSecret, "%s", err)
	}
	d.sensitive = append(d.sensitive, untilSet(d.path))

	var value any = string(raw)
	switch {
	case t.Kind == model.Number || t.Kind == model.Bool:
		// A Secret made from a file ends with a line break, which is not part of a number or
		// boolean.
		value = strings.TrimSpace(string(raw))
	case t.Kind != model.String:
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.UseNumber()
		if err := dec.Decode(&value); err != nil || dec.More() {
			return d.errorf(t, invalidSecret, "The key %s of Secret %s must hold JSON, as the field is %s.", s.Key, s.Name, wanted(t))
		}
	}
	inside := decoder{whole: true, conceal: true}
	v := inside.value(t, value)
	for _, x := range inside.diags {
		at := ""
		if len(x.Attribute) > 0 {
			at = diagnostic.FormatPath(x.Attribute) + ": "
		}
		if t.IsPrimitive() {
			x.Attribute = d.path.Copy()
		} else {
			x.Attribute, x.Detail = d.path.Copy(), fmt.Sprintf("In the key %s of Secret %s: %s%s", s.Key, s.Name, at, x.Detail)
		}
		d.diags = append(d.diags, x)
	}
	return v
}

// untilSet returns the path up to the first set, whose elements have no path.
func untilSet(p cty.Path) cty.Path {
	for i, s := range p {
		if x, ok := s.(cty.IndexStep); ok && !x.Key.IsKnown() {
			return p[:i].Copy()
		}
	}
	return p.Copy()
}
