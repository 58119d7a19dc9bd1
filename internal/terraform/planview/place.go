package planview

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

// place is a position in both values. The two paths can differ, since elements of lists move.
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

// index returns the place of the elements before[i] and after[j].
func (p place) index(i, j int) place {
	return p.step(cty.IndexStep{Key: cty.NumberIntVal(int64(i))}, cty.IndexStep{Key: cty.NumberIntVal(int64(j))})
}

// element returns the place of an element of a set, which has no path of its own.
func (p place) element() place {
	s := cty.IndexStep{Key: cty.DynamicVal}
	return p.step(s, s)
}

func join(p cty.Path, s cty.PathStep) cty.Path {
	out := make(cty.Path, len(p), len(p)+1)
	copy(out, p)
	return append(out, s)
}

// marks are sensitive paths, or those that force a replacement.
type marks []cty.Path

// at reports whether the path is marked.
func (m marks) at(p cty.Path) bool {
	for _, x := range m {
		if len(x) == len(p) && begins(x, p) {
			return true
		}
	}
	return false
}

// within reports whether the path, or one that it is a prefix of, is marked.
func (m marks) within(p cty.Path) bool {
	for _, x := range m {
		if begins(x, p) {
			return true
		}
	}
	return false
}

// begins reports whether p is a prefix of x. An unknown index matches any element.
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

// sensitive describes which values are sensitive, by the schema or by their origin.
type sensitive struct{ before, after marks }

func sensitivity(c Change) sensitive {
	return sensitive{before: c.Plan.Prior.SensitivePaths, after: c.Plan.SensitivePaths}
}

// value reports whether the value at a place is sensitive as a whole.
func (s sensitive) value(t *model.Type, p place) bool {
	if s.before.at(p.before) || s.after.at(p.after) || s.after.at(p.before) || s.before.at(p.after) {
		return true
	}
	// Elements of a set have no paths of their own, and the schema does not describe values of
	// a dynamic type.
	if t.Kind == model.Set && !t.Singleton || t.Kind == model.Dynamic {
		return s.before.within(p.before) || s.after.within(p.after)
	}
	return false
}

func presented(f *model.Field) bool { return f.Observed || f.Input || f.Secret() }

// attribute returns the field's value, or the value of an unset field if the object is null.
func attribute(f *model.Field, v cty.Value) cty.Value {
	switch {
	case !v.IsKnown():
		return cty.UnknownVal(f.Type.Cty)
	case v.IsNull():
		return f.Type.Absent
	}
	return v.GetAttr(f.Name)
}

// elements returns the elements of a list, set or tuple; none for null and unknown.
func elements(v cty.Value) []cty.Value {
	if v.IsNull() || !v.IsKnown() || !v.CanIterateElements() {
		return nil
	}
	return v.AsValueSlice()
}

// entries returns the entries of a map or object; none for null and unknown.
func entries(v cty.Value) map[string]cty.Value {
	if v.IsNull() || !v.IsKnown() || !v.CanIterateElements() {
		return nil
	}
	return v.AsValueMap()
}

// only returns the element of a singleton; null if there is none.
func only(t *model.Type, v cty.Value) cty.Value {
	if !v.IsKnown() {
		return cty.UnknownVal(t.Element.Cty)
	}
	if all := elements(v); len(all) > 0 {
		return all[0]
	}
	return cty.NullVal(t.Element.Cty)
}
