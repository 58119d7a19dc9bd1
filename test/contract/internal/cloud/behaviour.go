package cloud

import (
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
)

// notChosen is a multiple of none of the numbers that decide choices.
const notChosen = 59

// chance returns the number that decides a choice: the provider does something optional if it is a
// multiple of a small number. It depends only on the case and the arguments.
func (a *Active) chance(about ...any) uint64 {
	if !a.Case.Plain {
		return a.hash(about...)
	}
	if slices.Contains(a.Case.Chosen, fmt.Sprint(about...)) {
		return 0
	}
	return notChosen
}

// hash returns a number that depends only on the case and the arguments.
func (a *Active) hash(about ...any) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, a.Case.Seed)
	for _, x := range about {
		fmt.Fprintf(h, "|%v", x)
	}
	x := h.Sum64()
	// FNV's low bits of similar texts are alike.
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	return x
}

// fill returns a random value of a type.
func fill(t cty.Type, r *rand.Rand) cty.Value {
	switch {
	case t == cty.String:
		return cty.StringVal([]string{"made", "up", "", "by the cloud"}[r.IntN(4)])
	case t == cty.Number:
		return []cty.Value{cty.NumberIntVal(r.Int64N(100)), cty.NumberFloatVal(2.5), cty.MustParseNumberVal("0.1"), cty.Zero}[r.IntN(4)]
	case t == cty.Bool:
		return cty.BoolVal(r.IntN(2) == 0)
	case t == cty.DynamicPseudoType:
		return cty.StringVal("dynamic")
	case t.IsListType(), t.IsSetType(), t.IsMapType():
		e := t.ElementType()
		empty := r.IntN(4) == 0
		x := fill(e, r)
		switch {
		case t.IsListType() && empty:
			return cty.ListValEmpty(e)
		case t.IsListType():
			return cty.ListVal([]cty.Value{x})
		case t.IsSetType() && empty:
			return cty.SetValEmpty(e)
		case t.IsSetType():
			return cty.SetVal([]cty.Value{x})
		case empty:
			return cty.MapValEmpty(e)
		}
		return cty.MapVal(map[string]cty.Value{"key": x})
	case t.IsTupleType():
		values := make([]cty.Value, t.Length())
		for i := range values {
			values[i] = fill(t.TupleElementType(i), r)
		}
		return cty.TupleVal(values)
	default:
		values := map[string]cty.Value{}
		for _, name := range slices.Sorted(maps.Keys(t.AttributeTypes())) {
			values[name] = fill(t.AttributeType(name), r)
		}
		return cty.ObjectVal(values)
	}
}

func (a *Active) fill(t cty.Type, about ...any) cty.Value {
	return fill(t, rand.New(rand.NewPCG(a.hash(about...), 1)))
}

// fillAttribute returns a random value of an attribute. Write-only values in it are null.
func (a *Active) fillAttribute(x *schema.Attribute, about ...any) cty.Value {
	return nullWriteOnlyAttribute(x, a.fill(x.ImpliedType(), about...))
}

func nullWriteOnlyAttribute(x *schema.Attribute, v cty.Value) cty.Value {
	return mapAttribute(x, v, "", func(x *schema.Attribute, v cty.Value, _ string) cty.Value {
		if x.WriteOnly {
			return cty.NullVal(x.ImpliedType())
		}
		return v
	})
}

// visit is called with every attribute and its path, without keys and indexes, and returns the new
// value. Attributes inside others are visited first.
type visit func(x *schema.Attribute, v cty.Value, path string) cty.Value

func mapBlock(b *schema.Block, v cty.Value, path string, f visit) cty.Value {
	if v.IsNull() || !v.IsKnown() {
		return v
	}
	values := map[string]cty.Value{}
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		values[name] = mapAttribute(b.Attributes[name], v.GetAttr(name), path+"."+name, f)
	}
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		n := b.Blocks[name]
		values[name] = cases.MapObjects(n.Nesting, v.GetAttr(name), func(v cty.Value) cty.Value { return mapBlock(n.Block, v, path+"."+name, f) })
	}
	return cty.ObjectVal(values)
}

func mapAttribute(x *schema.Attribute, v cty.Value, path string, f visit) cty.Value {
	if x.Nested != nil {
		v = cases.MapObjects(x.Nested.Nesting, v, func(v cty.Value) cty.Value {
			if v.IsNull() || !v.IsKnown() {
				return v
			}
			values := map[string]cty.Value{}
			for name, y := range x.Nested.Attributes {
				values[name] = mapAttribute(y, v.GetAttr(name), path+"."+name, f)
			}
			return cty.ObjectVal(values)
		})
	}
	return f(x, v, path)
}

// plan returns the plan of a provider without faults.
func (a *Active) plan(prior, proposed cty.Value) cty.Value {
	b := a.Schema().Block
	create := prior.IsNull()
	if proposed.IsNull() {
		return proposed
	}
	clean := mapBlock(b, proposed, "", func(x *schema.Attribute, v cty.Value, _ string) cty.Value {
		if x.WriteOnly {
			return cty.NullVal(x.ImpliedType())
		}
		return v
	})
	if !create && clean.RawEquals(prior) {
		return prior
	}
	planned := mapBlock(b, clean, "", func(x *schema.Attribute, v cty.Value, path string) cty.Value {
		if !x.Computed || x.WriteOnly {
			return v
		}
		t := x.ImpliedType()
		unset := v.IsNull()
		if !create && !unset {
			// What was computed before may change with anything else, but not what is configured.
			if !x.Optional && path != ".id" && a.chance("volatile", path)%3 == 0 {
				return cty.UnknownVal(t)
			}
			return v
		}
		if !unset {
			return v
		}
		if path == ".id" {
			return cty.UnknownVal(cty.String)
		}
		switch a.chance("plan", path, a.Index) % 6 {
		case 0:
			return cty.UnknownVal(t).RefineNotNull()
		case 1:
			return a.fillAttribute(x, "planned", path)
		case 2:
			return v
		default:
			return cty.UnknownVal(t)
		}
	})
	if a.Case.Legacy {
		planned = a.bend(planned)
	}
	return planned
}

// bend changes a plan as the legacy SDK does: from null to empty values and back.
func (a *Active) bend(v cty.Value) cty.Value {
	return mapBlock(a.Schema().Block, v, "", func(x *schema.Attribute, v cty.Value, path string) cty.Value {
		if x.WriteOnly || x.Nested != nil || !v.IsKnown() || a.chance("bend", path)%3 != 0 {
			return v
		}
		switch t := x.Type; {
		case t == cty.String && v.IsNull():
			return cty.StringVal("")
		case t == cty.String:
			return cty.StringVal(strings.ToUpper(v.AsString()))
		case t.IsListType() && v.IsNull():
			return cty.ListValEmpty(t.ElementType())
		case t == cty.Bool && v.IsNull():
			return cty.False
		}
		return v
	})
}

// requiresReplace returns the attributes that force a new object, changed or not.
func (a *Active) requiresReplace(prior, planned cty.Value) []*tftypes.AttributePath {
	var out []*tftypes.AttributePath
	b := a.Schema().Block
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		if a.chance("replace", name)%6 != 0 || name == "id" {
			continue
		}
		x, path := b.Attributes[name], tftypes.NewAttributePath().WithAttributeName(name)
		v := planned.GetAttr(name)
		if x.Nested != nil && x.Nested.Nesting == schema.NestingSingle && !v.IsNull() && v.IsKnown() && len(x.Nested.Attributes) > 0 {
			path = path.WithAttributeName(slices.Sorted(maps.Keys(x.Nested.Attributes))[0])
		}
		if x.Type != cty.NilType && x.Type.IsListType() && !v.IsNull() && v.IsKnown() && v.LengthInt() > 0 {
			path = path.WithElementKeyInt(0)
		}
		out = append(out, path)
	}
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		n := b.Blocks[name]
		if a.chance("replace", name)%8 != 0 {
			continue
		}
		path := tftypes.NewAttributePath().WithAttributeName(name)
		if v := planned.GetAttr(name); n.Nesting == schema.NestingList && v.LengthInt() > 0 && len(n.Attributes) > 0 {
			path = path.WithElementKeyInt(0).WithAttributeName(slices.Sorted(maps.Keys(n.Attributes))[0])
		}
		out = append(out, path)
	}
	_ = prior
	return out
}

// apply returns the object that a plan results in.
func (a *Active) apply(planned cty.Value, id string) cty.Value {
	out := mapBlock(a.Schema().Block, planned, "", func(x *schema.Attribute, v cty.Value, path string) cty.Value {
		if path == ".id" && !v.IsKnown() {
			return cty.StringVal(id)
		}
		if v.IsWhollyKnown() {
			return v
		}
		return a.known(x, v, path, id)
	})
	return out
}

// known replaces what is unknown in an attribute with random values.
func (a *Active) known(x *schema.Attribute, v cty.Value, path, id string) cty.Value {
	if !v.IsKnown() {
		if v.Range().CouldBeNull() && a.chance("null", path)%4 == 0 {
			return cty.NullVal(x.ImpliedType())
		}
		return a.fillAttribute(x, "applied", path, id, a.Index)
	}
	return v // its inside was visited before
}

// Identity returns the identity of the object with an id, or cty.NilVal without an identity schema.
func (a *Active) Identity(id string) cty.Value { return a.identity(id) }

func (a *Active) identity(id string) cty.Value {
	s := a.Schema().Identity
	if s == nil {
		return cty.NilVal
	}
	values := map[string]cty.Value{}
	for _, name := range slices.Sorted(maps.Keys(s.Attributes)) {
		x := s.Attributes[name]
		switch {
		case name == "id":
			values[name] = cty.StringVal(id)
		case x.OptionalForImport && a.chance("identity", name)%3 == 0:
			values[name] = cty.NullVal(x.Type)
		default:
			values[name] = a.fill(x.Type, "identity", name)
		}
	}
	return cty.ObjectVal(values)
}

// Prepare makes the remote changes of a step that neither side makes: it creates the object to
// import, and changes or removes others. It returns the id of the object to import.
func (a *Active) Prepare() string {
	b := a.Schema().Block
	switch a.Step.Drift {
	case cases.DriftGone:
		a.change(func(w *World) { clear(w.Objects) })
	case cases.DriftChanged:
		for _, id := range slices.Sorted(maps.Keys(a.World().Objects)) {
			v, _ := a.object(id)
			values := v.AsValueMap()
			for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
				if x := b.Attributes[name]; name != "id" && !x.WriteOnly && a.chance("drift", name, a.Index)%3 == 0 {
					values[name] = a.fillAttribute(x, "drift", name, a.Index)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
				if a.chance("drift", name, a.Index)%4 == 0 {
					values[name] = b.Blocks[name].EmptyValue()
				}
			}
			a.Put(id, cty.ObjectVal(values))
		}
	}
	config, err := a.Case.ConfigValue(a.Step)
	if a.Step.Import == cases.NoImport || err != nil || config.IsNull() {
		return ""
	}
	id := fmt.Sprintf("existing-%d", a.Index)
	if a.chance("existing", a.Index)%6 == 0 {
		return id // there is none
	}
	v := mapBlock(b, config, "", func(x *schema.Attribute, v cty.Value, path string) cty.Value {
		switch {
		case path == ".id":
			return cty.StringVal(id)
		case x.WriteOnly:
			return cty.NullVal(x.ImpliedType())
		case x.Computed && v.IsNull(), a.chance("existing", path, a.Index)%4 == 0:
			return a.fillAttribute(x, "existing", path)
		}
		return v
	})
	a.Put(id, v)
	return id
}
