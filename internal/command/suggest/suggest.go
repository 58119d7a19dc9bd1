package suggest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Suggestion is a configuration of mappings.
type Suggestion struct {
	// Configuration has the mappings of the resource types that need one.
	Configuration config.Provider
	// Notes are what is uncertain about it, and why types are left out.
	Notes []string
}

// Identities suggests the mappings of the resource types that have objects. Objects of other types, and those
// without an identity, are ignored.
func Identities(p *model.Provider, objects map[string][]instance.Instance) Suggestion {
	out := Suggestion{}
	for _, t := range slices.Sorted(maps.Keys(objects)) {
		r := p.Resources[t]
		if r == nil || r.Schema.Identity == nil {
			continue
		}
		seen := slices.DeleteFunc(slices.Clone(objects[t]), func(in instance.Instance) bool {
			return !whole(in.State) || !whole(in.Identity)
		})
		if len(seen) == 0 {
			continue
		}
		mapping, notes := identity(r, seen)
		for _, n := range notes {
			out.Notes = append(out.Notes, t+": "+n)
		}
		if len(mapping) == 0 {
			continue
		}
		if out.Configuration.Resources == nil {
			out.Configuration.Resources = map[string]config.Resource{}
		}
		out.Configuration.Resources[t] = config.Resource{Identity: mapping}
	}
	return out
}

func whole(v cty.Value) bool { return v != cty.NilVal && !v.IsNull() && v.IsWhollyKnown() }

// identity suggests the mapping of a type; nil if it needs none, or if none is possible.
func identity(r *model.Resource, seen []instance.Instance) (mapping map[string]config.IdentityValue, notes []string) {
	arguments := argumentsOf(r)
	mapping = map[string]config.IdentityValue{}
	for _, name := range slices.Sorted(maps.Keys(r.Schema.Identity.Attributes)) {
		a := r.Schema.Identity.Attributes[name]
		values, all := valuesOf(seen, name)
		if len(values) == 0 {
			if a.RequiredForImport {
				return nil, append(notes, fmt.Sprintf("no mapping, since no object has the required attribute %s of the identity", name))
			}
			continue
		}
		found := consistent(r, arguments, seen, name, a.Type)
		switch {
		case len(found) > 0 && found[0] == name:
			continue // no mapping is needed
		case len(found) > 0:
			mapping[name] = config.IdentityValue(found[0])
			if len(found) > 1 {
				notes = append(notes, fmt.Sprintf("%s could also be %s; more objects with different values would tell", name, strings.Join(found[1:], " or ")))
			}
		case all && a.Type.IsPrimitiveType() && equal(values):
			text, _ := convert.Convert(values[0], cty.String)
			mapping[name] = config.IdentityConstant(text.AsString())
			if len(values) == 1 {
				notes = append(notes, fmt.Sprintf("%s is taken for a constant, but was seen in only one object", name))
			}
		case a.RequiredForImport:
			return nil, append(notes, fmt.Sprintf("no mapping, since the required attribute %s of the identity is neither an argument nor a constant", name))
		default:
			notes = append(notes, fmt.Sprintf("%s is left out, since it is neither an argument nor a constant", name))
		}
	}
	return mapping, notes
}

// valuesOf returns the values of an attribute of the identity, and whether all objects have one.
func valuesOf(seen []instance.Instance, name string) (out []cty.Value, all bool) {
	for _, in := range seen {
		if v := in.Identity.GetAttr(name); !v.IsNull() {
			out = append(out, v)
		}
	}
	return out, len(out) == len(seen)
}

func equal(values []cty.Value) bool {
	return !slices.ContainsFunc(values, func(v cty.Value) bool { return !v.RawEquals(values[0]) })
}

// argument is a top-level or nested argument of a primitive type.
type argument struct {
	path     string
	required bool
}

// argumentsOf returns the arguments that an attribute of an identity can be mapped to.
func argumentsOf(r *model.Resource) []argument {
	var out []argument
	var walk func(t *model.Type, prefix string, required bool)
	walk = func(t *model.Type, prefix string, required bool) {
		if t.Singleton {
			t = t.Element
		}
		if t.Kind != model.Object {
			return
		}
		for _, f := range t.Object.All {
			switch {
			case f.Secret(), !f.Required && !f.Optional:
			case f.Type.IsPrimitive():
				out = append(out, argument{prefix + f.Name, required && f.Required})
			default:
				walk(f.Type, prefix+f.Name+".", required && f.Required)
			}
		}
	}
	walk(r.Root(), "", true)
	return out
}

// consistent returns the paths of the arguments that equal an attribute of the identity in all objects that have
// it, the likeliest first.
func consistent(r *model.Resource, arguments []argument, seen []instance.Instance, name string, t cty.Type) []string {
	var found []argument
	for _, a := range arguments {
		if !slices.ContainsFunc(seen, func(in instance.Instance) bool { return differs(r, in, a.path, name, t) }) {
			found = append(found, a)
		}
	}
	slices.SortStableFunc(found, func(a, b argument) int {
		return cmp.Or(less(a.path == name, b.path == name), less(last(a.path) == name, last(b.path) == name),
			less(a.required, b.required), cmp.Compare(strings.Count(a.path, "."), strings.Count(b.path, ".")), cmp.Compare(a.path, b.path))
	})
	out := make([]string, len(found))
	for i, a := range found {
		out[i] = a.path
	}
	return out
}

func less(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	default:
		return 1
	}
}

func last(path string) string { return path[strings.LastIndexByte(path, '.')+1:] }

// differs reports whether an argument has another value than an attribute of the identity.
func differs(r *model.Resource, in instance.Instance, path, name string, t cty.Type) bool {
	want := in.Identity.GetAttr(name)
	if want.IsNull() {
		return false
	}
	got, err := convert.Convert(at(r, in.State, strings.Split(path, ".")), t)
	return err != nil || got.IsNull() || !got.RawEquals(want)
}

// at returns the value of an argument; a null value if there is none.
func at(r *model.Resource, v cty.Value, path []string) cty.Value {
	t := r.Root()
	for _, name := range path {
		if t.Singleton {
			if v.IsNull() || v.LengthInt() == 0 {
				return cty.NullVal(cty.String)
			}
			t, v = t.Element, v.AsValueSlice()[0]
		}
		if v.IsNull() {
			return cty.NullVal(cty.String)
		}
		t, v = t.Object.ByTerraform(name).Type, v.GetAttr(name)
	}
	return v
}
