package translate

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
)

// unsettled is the summary for values that the settings of a resource type cannot set.
const unsettled = "Value cannot be settled"

// Subject is the input of a custom resource to the settings of its type.
type Subject struct {
	Namespace, Name string
	// ExternalName is the value of the annotation crossplane.io/external-name; empty without one.
	ExternalName string
	// ProviderConfigKind and ProviderConfigName are its providerConfigRef; empty without one.
	ProviderConfigKind, ProviderConfigName string
	// ForProvider and InitProvider are from its spec.
	ForProvider, InitProvider map[string]any
}

// Desired returns the desired configuration of a custom resource: Config, with the values, tags and
// changes of the settings of its type.
func Desired(r *model.Resource, s Subject, secrets Secrets) (Configuration, diagnostic.Diagnostics) {
	c, diags := Config(r, s.ForProvider, s.InitProvider, secrets)
	if diags.HasErrors() || !settles(r) {
		return c, diags
	}
	set := &r.Settings
	lookup, values := s.lookup(r), c.Value.AsValueMap()
	for _, v := range set.Values {
		text, ok := v.Template.Render(lookup)
		if !ok {
			continue // a field that the template uses is not set
		}
		d := decoder{path: cty.GetAttrPath(v.Field.Name)}
		values[v.Field.Name] = d.value(v.Field.Type, text)
		diags = append(diags, d.diags...)
	}
	if set.Argument != nil {
		name, err := s.name(r)
		if err != nil {
			diags = append(diags, diagnostic.AttributeErrorf(cty.GetAttrPath(set.Argument.Name), unsettled, "%s", err)...)
		}
		values[set.Argument.Name] = cty.StringVal(name)
	}
	if set.Tags != nil {
		values[set.Tags.Field.Name] = s.tags(r, values[set.Tags.Field.Name], lookup)
	}
	if diags.HasErrors() {
		return Configuration{}, diags
	}
	c.Value = cty.ObjectVal(values)
	if set.Functions.Configure != nil {
		value, err := s.configure(r, c.Value)
		if err != nil {
			return Configuration{}, append(diags, diagnostic.Errorf("Configuration cannot be made", "%s.", err)...)
		}
		c.Value = value
	}
	return c, diags
}

// WithSettled returns c with the settled values of from.
func WithSettled(r *model.Resource, c, from cty.Value) cty.Value {
	if !settles(r) {
		return c
	}
	values := c.AsValueMap()
	for _, f := range r.Root().Object.All {
		if f.Settled {
			values[f.Name] = from.GetAttr(f.Name)
		}
	}
	return cty.ObjectVal(values)
}

// settles reports whether the settings of the type affect the desired configuration.
func settles(r *model.Resource) bool {
	s := &r.Settings
	return len(s.Values) > 0 || s.Argument != nil || s.Tags != nil || s.Functions.Configure != nil
}

// lookup returns a function that looks up the paths of templates, except for attributes of the
// object.
func (s Subject) lookup(r *model.Resource) func(path []string) (string, bool) {
	var parameters map[string]any
	return func(path []string) (string, bool) {
		switch path[0] {
		case config.Metadata:
			if path[1] == "namespace" {
				return s.Namespace, s.Namespace != ""
			}
			return s.Name, s.Name != ""
		case config.ExternalKey:
			return s.ExternalName, s.ExternalName != ""
		case config.Parameters:
			if parameters == nil {
				parameters = merge(r.Root(), s.ForProvider, s.InitProvider)
			}
			return parameter(r, parameters, path[1:])
		}
		return "", false
	}
}

// parameter returns the text of a field of spec at a Terraform path.
func parameter(r *model.Resource, in map[string]any, path []string) (string, bool) {
	if len(path) == 1 && r.Root().Object.IsAdded(path[0]) {
		return jsonScalar(in[path[0]])
	}
	t := r.Root()
	for i, name := range path {
		if t.Singleton {
			t = t.Element
		}
		f := t.Object.ByTerraform(name)
		x := in[f.InputName()]
		if i == len(path)-1 {
			return jsonScalar(x)
		}
		var ok bool
		if in, ok = x.(map[string]any); !ok {
			return "", false
		}
		t = f.Type
	}
	return "", false
}

// jsonScalar returns the text of a value in spec; ok is false if there is none.
func jsonScalar(in any) (text string, ok bool) {
	switch x := in.(type) {
	case nil:
		return "", false
	case string:
		return x, true
	case bool:
		return fmt.Sprint(x), true
	}
	d := decoder{}
	if n, ok := d.number(model.PlainType(cty.Number), in); ok {
		return numberText(n), true
	}
	raw, err := json.Marshal(in)
	return string(raw), err == nil
}

// name returns the current or future external name of the object.
func (s Subject) name(r *model.Resource) (string, error) {
	switch {
	case s.ExternalName != "":
		return s.ExternalName, nil
	case r.Settings.Default.Empty():
		return s.Name, nil
	}
	name, ok := r.Settings.Default.Render(s.lookup(r))
	if !ok || name == "" {
		return "", fmt.Errorf("the external name is made of fields of spec.forProvider that are not given. Give " +
			"them, or the annotation crossplane.io/external-name")
	}
	return name, nil
}

func (s Subject) configure(r *model.Resource, v cty.Value) (cty.Value, error) {
	out, err := r.Settings.Functions.Configure(s.public(r), v)
	switch {
	case err != nil:
		return cty.NilVal, err
	case out == cty.NilVal || !out.IsWhollyKnown() || out.IsNull() || out.ContainsMarked():
		return cty.NilVal, fmt.Errorf("the function Configure of the provider's configuration must return a value that is wholly known")
	}
	if errs := out.Type().TestConformance(r.Root().Cty); len(errs) > 0 {
		return cty.NilVal, fmt.Errorf("the function Configure of the provider's configuration returned something "+
			"else than a %s: %w", r.Type, errs[0])
	}
	return out, nil
}

// public returns the input of the functions of the configuration.
func (s Subject) public(r *model.Resource) config.Subject {
	return config.Subject{
		Namespace: s.Namespace, Name: s.Name, ExternalName: s.ExternalName,
		Parameters: merge(r.Root(), s.ForProvider, s.InitProvider),
	}
}

// ImportID returns the id for importing the object with the subject's external name. Defaults to
// the external name.
func ImportID(r *model.Resource, s Subject) (string, error) {
	set := &r.Settings
	switch {
	case set.Functions.ImportID != nil:
		return set.Functions.ImportID(s.public(r))
	case set.ImportID.Empty():
		return s.ExternalName, nil
	}
	id, ok := set.ImportID.Render(s.lookup(r))
	if !ok {
		return "", fmt.Errorf("the id to import by is made of fields of spec.forProvider that are not given")
	}
	return id, nil
}

// ExtraConnectionDetails returns the connection details that the settings of the type add to
// ConnectionDetails. Those without a value are left out.
func ExtraConnectionDetails(r *model.Resource, s Subject, state cty.Value) (map[string][]byte, error) {
	if !isObject(state) {
		return nil, nil
	}
	state, _ = state.UnmarkDeep()
	out := map[string][]byte{}
	lookup := s.lookup(r)
	for key, t := range r.Settings.ConnectionDetails {
		text, ok := t.Render(func(path []string) (string, bool) {
			if path[0] == config.Attributes {
				return attributeText(r, state, path[1:])
			}
			return lookup(path)
		})
		if ok {
			out[key] = []byte(text)
		}
	}
	if f := r.Settings.Functions.ConnectionDetails; f != nil {
		more, err := f(state)
		if err != nil {
			return nil, err
		}
		maps.Copy(out, more)
	}
	return out, nil
}

// attributeText returns an attribute at a Terraform path through objects: text if it is primitive,
// else JSON. ok is false if there is no value.
func attributeText(r *model.Resource, state cty.Value, path []string) (text string, ok bool) {
	t, v := valueAt(r, state, path)
	if v == cty.NilVal || !v.IsWhollyKnown() || v.IsNull() {
		return "", false
	}
	return string(secretBytes(encoder{whole: true, plain: true}, t, v)), true
}
