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
	"github.com/landbridge-io/landbridge/schema"
)

// Suggestion is a configuration of mappings.
type Suggestion struct {
	// Configuration has the mappings of the resource types that need one.
	Configuration config.Provider
	// Notes are what is uncertain about it, and why types are left out.
	Notes []string
}

// Identities suggests the mappings of the resource types that have objects. Objects of other types,
// and those without an identity, are ignored.
func Identities(p *model.Provider, objects map[string][]instance.Instance) Suggestion {
	out := Suggestion{}
	for _, t := range slices.Sorted(maps.Keys(objects)) {
		r := p.Resources[t]
		if r == nil || r.Schema.Identity == nil {
			continue
		}
		seen := slices.DeleteFunc(slices.Clone(objects[t]), func(in instance.Instance) bool {
			return !instance.Known(in.State) || !instance.Known(in.Identity)
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

// identity suggests the mapping of a type; nil if it needs none, or if none is possible.
func identity(r *model.Resource, seen []instance.Instance) (mapping map[string]config.IdentityValue, notes []string) {
	found := candidatesOf(r, seen)
	mapping = map[string]config.IdentityValue{}
	constants := 0
	for _, name := range slices.Sorted(maps.Keys(r.Schema.Identity.Attributes)) {
		a := r.Schema.Identity.Attributes[name]
		values, all := valuesOf(seen, name)
		if len(values) == 0 {
			if a.RequiredForImport {
				return nil, append(notes, fmt.Sprintf("no mapping, since no object has the required attribute %s of the identity", name))
			}
			continue
		}
		best, rest, tied := found.choose(name)
		unfit := "is neither an argument nor a constant"
		switch {
		case best == name:
			continue // no mapping is needed
		case best != "" && !tied:
			mapping[name] = config.IdentityValue(best)
			if len(rest) > 0 {
				notes = append(notes,
					fmt.Sprintf("%s could also be %s; more objects with different values would tell", name,
						strings.Join(rest, " or ")))
			}
			continue
		case best != "":
			unfit = fmt.Sprintf("could be %s or %s; more objects with different values would tell", best, strings.Join(rest, " or "))
		case all && a.Type.IsPrimitiveType() && equal(values):
			computed := computedEqual(r, seen, name)
			if computed == "" {
				text, _ := convert.Convert(values[0], cty.String)
				mapping[name] = config.IdentityConstant(text.AsString())
				constants++
				continue
			}
			unfit = fmt.Sprintf("is the computed attribute %s, which is not known before a create", computed)
		}
		if a.RequiredForImport {
			return nil, append(notes, fmt.Sprintf("no mapping, since the required attribute %s of the identity %s", name, unfit))
		}
		notes = append(notes, fmt.Sprintf("%s is left out, since it %s", name, unfit))
	}
	switch {
	case len(mapping) == 0:
		return nil, notes
	case constants == len(mapping) && !found.anyArgument():
		return nil, append(notes, "no mapping, since it would be the same for every object")
	case len(seen) == 1:
		notes = append(notes, "the mapping is a guess, since only one object was seen; a second one would tell")
	}
	return mapping, notes
}

// candidates are the paths of the arguments that equal an attribute of the identity in all objects
// that have it, by the name of the attribute.
type candidates map[string][]argument

func candidatesOf(r *model.Resource, seen []instance.Instance) candidates {
	arguments, out := argumentsOf(r), candidates{}
	for name, a := range r.Schema.Identity.Attributes {
		if values, _ := valuesOf(seen, name); len(values) == 0 {
			continue
		}
		for _, x := range arguments {
			if !slices.ContainsFunc(seen, func(in instance.Instance) bool { return differs(r, in, x.path, name, a.Type) }) {
				out[name] = append(out[name], x)
			}
		}
	}
	return out
}

// anyArgument reports whether an attribute of the identity equals an argument.
func (c candidates) anyArgument() bool {
	return slices.ContainsFunc(slices.Collect(maps.Values(c)), func(found []argument) bool { return len(found) > 0 })
}

// choose returns the likeliest argument of an attribute of the identity, and the others, likelier
// ones first; empty if there is none. It is tied if another one is as likely: the name, and the
// arguments beside it, do not tell.
func (c candidates) choose(name string) (best string, rest []string, tied bool) {
	found := slices.Clone(c[name])
	if len(found) == 0 {
		return "", nil, false
	}
	likelier := func(a, b argument) int {
		return cmp.Or(less(a.path == name, b.path == name), less(last(a.path) == name, last(b.path) == name),
			less(c.besideOthers(name, a), c.besideOthers(name, b)))
	}
	slices.SortStableFunc(found, func(a, b argument) int {
		return cmp.Or(likelier(a, b), less(a.required, b.required),
			cmp.Compare(strings.Count(a.path, "."), strings.Count(b.path, ".")), cmp.Compare(a.path, b.path))
	})
	for _, x := range found[1:] {
		rest = append(rest, x.path)
	}
	return found[0].path, rest, len(found) > 1 && likelier(found[0], found[1]) == 0
}

// besideOthers reports whether an argument is in the same block as that of another attribute of the
// identity, of which the name tells which it is.
func (c candidates) besideOthers(name string, a argument) bool {
	for other, found := range c {
		var named []argument
		for _, x := range found {
			if other != name && last(x.path) == other {
				named = append(named, x)
			}
		}
		if len(named) == 1 && parent(named[0].path) == parent(a.path) {
			return true
		}
	}
	return false
}

// computedEqual returns the path of an attribute that the provider chooses, and that equals an
// attribute of the identity in all objects; empty if there is none.
func computedEqual(r *model.Resource, seen []instance.Instance, name string) string {
	var common []string
	for i, in := range seen {
		var equal []string
		computed(r.Schema.Block, in.State, "", func(path string, v cty.Value) {
			if v, err := convert.Convert(v, in.Identity.GetAttr(name).Type()); err == nil && v.RawEquals(in.Identity.GetAttr(name)) {
				equal = append(equal, path)
			}
		})
		if i == 0 {
			common = equal
		}
		common = slices.DeleteFunc(common, func(path string) bool { return !slices.Contains(equal, path) })
	}
	if len(common) == 0 {
		return ""
	}
	return slices.Min(common)
}

// computed calls f with the values of all attributes of primitive types that the provider may
// choose, in blocks of at most one element.
func computed(b *schema.Block, v cty.Value, prefix string, f func(path string, v cty.Value)) {
	if v.IsNull() {
		return
	}
	for name, a := range b.Attributes {
		if a.Computed && a.Nested == nil && a.Type.IsPrimitiveType() {
			f(prefix+name, v.GetAttr(name))
		}
	}
	for name, n := range b.Blocks {
		inner := v.GetAttr(name)
		if inner.IsNull() {
			continue
		}
		if inner.Type().IsListType() || inner.Type().IsSetType() {
			if inner.LengthInt() != 1 {
				continue
			}
			inner = inner.AsValueSlice()[0]
		}
		if inner.Type().IsObjectType() {
			computed(n.Block, inner, prefix+name+".", f)
		}
	}
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

// parent is the path of the block that an argument is in.
func parent(path string) string { return path[:max(strings.LastIndexByte(path, '.'), 0)] }

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
