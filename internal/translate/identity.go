package translate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
)

// invalidIdentity is Terraform's summary for an identity that cannot be imported.
const invalidIdentity = "Invalid import identity argument"

// Identity returns an identity as in status.identity, or nil if none is known. Its JSON is valid as
// spec.import.identity.
func Identity(r *model.Resource, identity cty.Value) map[string]any {
	if r.Identity() == nil || !isObject(identity) {
		return nil
	}
	return encoder{}.object(r.Identity(), identity)
}

// ImportIdentity reads spec.import.identity. Attributes that an import requires must be set and not
// null, others are optional, and unknown ones are errors (contract § 3.10). IdentityPath formats
// the paths of the diagnostics.
func ImportIdentity(r *model.Resource, in map[string]any) (cty.Value, diagnostic.Diagnostics) {
	t := r.Identity()
	if t == nil {
		return cty.NilVal, diagnostic.Errorf("Unsupported import by identity",
			"%s has no identity. Use spec.import.id instead.", r.Type)
	}
	d := decoder{whole: true}
	v := d.object(t, in)
	for _, f := range t.Object.All {
		if !f.Required {
			continue
		}
		if x, given := in[f.JSONName]; x == nil {
			how := "is required"
			if given {
				how = "is required and cannot be null"
			}
			d.diags = append(d.diags, diagnostic.AttributeErrorf(cty.GetAttrPath(f.Name), invalidIdentity,
				"The attribute %s to import %s.", how, r.Kind)...)
		}
	}
	if d.diags.HasErrors() {
		return cty.NilVal, d.diags
	}
	return v, d.diags
}

// IdentityPath formats a path of ImportIdentity's diagnostics as in the custom resource.
func IdentityPath(r *model.Resource, p cty.Path) string {
	return "spec.import.identity" + strings.TrimSuffix("."+r.IdentityFieldPath(p), ".")
}

// CanonicalIdentity returns the canonical text of an identity: name=value pairs with Terraform's
// names, sorted and separated by commas. Lists are JSON, and so are strings with commas, equals
// signs or quotes. Null attributes are left out. It is empty if no identity is known.
func CanonicalIdentity(identity cty.Value) string {
	if !isObject(identity) || !identity.IsWhollyKnown() {
		return ""
	}
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(identity.Type().AttributeTypes())) {
		v := identity.GetAttr(name)
		if v.IsNull() {
			continue
		}
		pairs = append(pairs, name+"="+identityText(v))
	}
	return strings.Join(pairs, ",")
}

func identityText(v cty.Value) string {
	switch {
	case v.Type() == cty.String && !strings.ContainsAny(v.AsString(), `,="[`):
		return v.AsString()
	case v.Type() == cty.Number:
		return numberText(v)
	case v.Type() == cty.Bool:
		return fmt.Sprint(v.True())
	}
	// JSON of strings and lists of primitives cannot fail.
	raw, _ := json.Marshal(encoder{whole: true}.verbatim(v))
	return string(raw)
}

// ParseIdentity parses the output of CanonicalIdentity. It returns cty.NilVal for other text, or if
// an attribute that an import requires is missing.
func ParseIdentity(r *model.Resource, text string) cty.Value {
	if r.Identity() == nil {
		return cty.NilVal
	}
	attributes := r.Schema.Identity.Attributes
	values := make(map[string]cty.Value, len(attributes))
	for rest := text; ; {
		name, value, ok := strings.Cut(rest, "=")
		a := attributes[name]
		if _, twice := values[name]; !ok || a == nil || twice {
			return cty.NilVal
		}
		v, after, err := parseIdentityText(value, a.Type)
		if err != nil {
			return cty.NilVal
		}
		values[name] = v
		if after == "" {
			break
		}
		if rest, ok = strings.CutPrefix(after, ","); !ok {
			return cty.NilVal
		}
	}
	for name, a := range attributes {
		if _, ok := values[name]; ok {
			continue
		}
		if a.RequiredForImport {
			return cty.NilVal
		}
		values[name] = cty.NullVal(a.Type)
	}
	return cty.ObjectVal(values)
}

// parseIdentityText parses the value at the start of the text, and returns the rest.
func parseIdentityText(text string, t cty.Type) (v cty.Value, rest string, err error) {
	if strings.HasPrefix(text, `"`) || strings.HasPrefix(text, "[") {
		var raw json.RawMessage
		d := json.NewDecoder(strings.NewReader(text))
		if err := d.Decode(&raw); err != nil {
			return cty.NilVal, "", err
		}
		v, err = ctyjson.Unmarshal(raw, t)
		return v, text[d.InputOffset():], err
	}
	if i := strings.IndexByte(text, ','); i >= 0 {
		text, rest = text[:i], text[i:]
	}
	v, err = convert.Convert(cty.StringVal(text), t)
	return v, rest, err
}

// ExternalName returns the external name of a resource: the configured one, else the single
// attribute that an import by identity requires, else the canonical identity, else the attribute
// id. It is empty if none of them is known, and never a sensitive value.
func ExternalName(r *model.Resource, state, identity cty.Value) string {
	if name, ok := configuredName(r, state, identity); ok {
		return name
	}
	if isObject(identity) && identity.IsWhollyKnown() && r.Identity() != nil {
		if required := r.Schema.Identity.Required(); len(required) == 1 && identity.Type().HasAttribute(required[0]) {
			if v := identity.GetAttr(required[0]); !v.IsNull() && v.Type().IsPrimitiveType() {
				return primitiveText(v)
			}
		}
		if s := CanonicalIdentity(identity); s != "" {
			return s
		}
	}
	return stateText(r.Root().Object.ByTerraform("id"), state)
}

// configuredName returns the external name as the settings of the type define it.
func configuredName(r *model.Resource, state, identity cty.Value) (name string, ok bool) {
	s := &r.Settings
	if s.Functions.ExternalName != nil && isObject(state) {
		state, _ = state.UnmarkDeep()
		name, err := s.Functions.ExternalName(state, identity)
		return name, err == nil
	}
	for _, f := range []*model.Field{s.Argument, s.Attribute} {
		if f != nil {
			return stateText(f, state), true
		}
	}
	if s.ImportID.Empty() {
		return "", false
	}
	return s.ImportID.Match(stateText(r.Root().Object.ByTerraform("id"), state), config.ExternalKey, func(path []string) (string, bool) {
		if path[0] != config.Parameters {
			return "", false
		}
		return attributeText(r, state, path[1:])
	})
}

func stateText(f *model.Field, state cty.Value) string {
	if f == nil || f.Secret() || !isObject(state) || !f.Type.IsPrimitive() {
		return ""
	}
	v, _ := state.GetAttr(f.Name).Unmark()
	if !v.IsKnown() || v.IsNull() {
		return ""
	}
	return primitiveText(v)
}

func primitiveText(v cty.Value) string {
	switch v.Type() {
	case cty.String:
		return v.AsString()
	case cty.Number:
		return numberText(v)
	default:
		return fmt.Sprint(v.True())
	}
}
