package translate

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
)

// LongValue is the placeholder for a value of a drift that was too long to be kept.
const LongValue = "(long value)"

// Drift returns the changes of a drift as Changes does. Values that do not fit the schema any more
// are left out.
func Drift(r *model.Resource, drift []instance.DriftChange, concealed ...cty.Path) []Change {
	c := changes{r: r, concealed: concealed, bounded: true}
	for _, d := range drift {
		path := cty.Path(d.Path)
		t, secret, ok := typeAt(r.Root(), path)
		if !ok {
			continue
		}
		c.path = path.Copy()
		was, is := len(d.Before) > 0, len(d.After) > 0
		switch {
		case secret || d.Instead == instance.Sensitive || slices.ContainsFunc(concealed, path.HasPrefix):
			c.add(Change{BeforeSensitive: was, AfterSensitive: is})
			continue
		case d.Instead == instance.Long:
			c.add(Change{Before: longUnlessNull(was), After: longUnlessNull(is)})
			continue
		}
		before, after := instance.Value(d.Before), instance.Value(d.After)
		if !fits(before, t) || !fits(after, t) {
			continue
		}
		c.compare(t, orNull(before, t.Cty), orNull(after, t.Cty))
	}
	return c.some()
}

func longUnlessNull(there bool) any {
	if !there {
		return nil
	}
	return LongValue
}

// fits reports whether a value is null or of a type.
func fits(v cty.Value, t *model.Type) bool {
	return v == cty.NilVal || len(v.Type().TestConformance(t.Cty)) == 0
}

// typeAt returns the type of the value at a path. secret is set if the value must not be shown; ok
// is not if there is no such value, or it is not presented.
func typeAt(t *model.Type, path cty.Path) (_ *model.Type, secret, ok bool) {
	for _, step := range path {
		switch s := step.(type) {
		case cty.GetAttrStep:
			if t.Object == nil {
				return nil, false, false
			}
			f := t.Object.ByTerraform(s.Name)
			if f == nil || f.WriteOnly || !f.Observed && !f.Sensitive {
				return nil, false, false
			}
			t, secret = f.Type, secret || f.Sensitive
		case cty.IndexStep:
			switch {
			case t.Kind == model.Tuple:
				n, _ := s.Key.AsBigFloat().Int64()
				if n < 0 || int(n) >= len(t.Tuple) {
					return nil, false, false
				}
				t = t.Tuple[n]
			case t.Element != nil:
				t = t.Element
			default:
				return nil, false, false
			}
		}
	}
	return t, secret, true
}
