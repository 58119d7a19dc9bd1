package planview

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

// place is where in the two values something is: elements of lists move.
type place struct{ before, after cty.Path }

func (p place) step(before, after cty.PathStep) place {
	return place{before: join(p.before, before), after: join(p.after, after)}
}

func (p place) attribute(name string) place {
	s := cty.GetAttrStep{Name: name}
	return p.step(s, s)
}

func (p place) key(k string) place {
	s := cty.IndexStep{Key: cty.StringVal(k)}
	return p.step(s, s)
}

// index is the place of the elements before[i] and after[j].
func (p place) index(i, j int) place {
	return p.step(cty.IndexStep{Key: cty.NumberIntVal(int64(i))}, cty.IndexStep{Key: cty.NumberIntVal(int64(j))})
}

// element is the place of an element of a set, which has no path of its own.
func (p place) element() place {
	s := cty.IndexStep{Key: cty.DynamicVal}
	return p.step(s, s)
}

func join(p cty.Path, s cty.PathStep) cty.Path {
	out := make(cty.Path, len(p), len(p)+1)
	copy(out, p)
	return append(out, s)
}

// marks are paths that mean something: sensitive ones, or those that force a replacement.
type marks []cty.Path

// at says whether the path is one of them.
func (m marks) at(p cty.Path) bool {
	for _, x := range m {
		if len(x) == len(p) && begins(x, p) {
			return true
		}
	}
	return false
}

// within says whether one of them is the path or leads further.
func (m marks) within(p cty.Path) bool {
	for _, x := range m {
		if begins(x, p) {
			return true
		}
	}
	return false
}

// begins says whether p begins x. An unknown index is any element.
func begins(x, p cty.Path) bool {
	if len(x) < len(p) {
		return false
	}
	for i := range p {
		switch a := x[i].(type) {
		case cty.GetAttrStep:
			b, ok := p[i].(cty.GetAttrStep)
			if !ok || a.Name != b.Name {
				return false
			}
		case cty.IndexStep:
			b, ok := p[i].(cty.IndexStep)
			if !ok {
				return false
			}
			if !a.Key.IsKnown() || !b.Key.IsKnown() {
				continue
			}
			if !a.Key.RawEquals(b.Key) {
				return false
			}
		}
	}
	return true
}

// sensitive says which values must not be shown, by the schema or by where they come from.
type sensitive struct{ before, after marks }

func sensitivity(c Change) sensitive {
	return sensitive{before: c.Plan.Prior.SensitivePaths, after: c.Plan.SensitivePaths}
}

// value says whether the value at a place is sensitive as a whole.
func (s sensitive) value(t *model.Type, p place) bool {
	if s.before.at(p.before) || s.after.at(p.after) || s.after.at(p.before) || s.before.at(p.after) {
		return true
	}
	// The elements of a set cannot be told apart; nor does anybody know what is in a value
	// of a dynamic type.
	if t.Kind == model.Set && !t.Singleton || t.Kind == model.Dynamic {
		return s.before.within(p.before) || s.after.within(p.after)
	}
	return false
}

func presented(f *model.Field) bool { return f.Observed || f.Input || f.Secret() }

// attribute is the field's value; in an object that is null, what not giving it means.
func attribute(f *model.Field, v cty.Value) cty.Value {
	switch {
	case !v.IsKnown():
		return cty.UnknownVal(f.Type.Cty)
	case v.IsNull():
		return f.Type.Absent
	}
	return v.GetAttr(f.Name)
}

// absent says whether the value is what not giving it means.
func absent(t *model.Type, v cty.Value) bool {
	if !v.IsKnown() {
		return false
	}
	if v.IsNull() {
		return true
	}
	switch t.Block {
	case "", "single":
		return false
	case "group":
		return v.RawEquals(t.Absent)
	default:
		return v.LengthInt() == 0
	}
}

// elements of a list, set or tuple; none of null and unknown.
func elements(v cty.Value) []cty.Value {
	if v.IsNull() || !v.IsKnown() || !v.CanIterateElements() {
		return nil
	}
	return v.AsValueSlice()
}

// entries of a map or object; none of null and unknown.
func entries(v cty.Value) map[string]cty.Value {
	if v.IsNull() || !v.IsKnown() || !v.CanIterateElements() {
		return nil
	}
	return v.AsValueMap()
}

// only is the one element of a singleton; null if there is none.
func only(t *model.Type, v cty.Value) cty.Value {
	if !v.IsKnown() {
		return cty.UnknownVal(t.Element.Cty)
	}
	if all := elements(v); len(all) > 0 {
		return all[0]
	}
	return cty.NullVal(t.Element.Cty)
}
