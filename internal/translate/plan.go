package translate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/text"
)

// Placeholders for values that cannot be shown, in texts for people. Programs have the flags of a
// Change.
const (
	SensitiveValue  = "(sensitive value)"
	KnownAfterApply = "(known after apply)"
)

// Limits of Changes.
const (
	maxChanges   = 100
	maxChangeLen = 512
)

// Change is one difference between the state and the planned state.
type Change struct {
	// Path is formatted as in FieldPath. [*] is an element of a set.
	Path string `json:"path"`
	// Before and After are JSON values; nil is null, absent, sensitive or unknown. What is unknown
	// within a value is null in lists, and is left out of objects.
	Before any `json:"before,omitempty"`
	After  any `json:"after,omitempty"`
	// BeforeSensitive and AfterSensitive are set if there is a value, which is sensitive.
	BeforeSensitive bool `json:"beforeSensitive,omitempty"`
	AfterSensitive  bool `json:"afterSensitive,omitempty"`
	// AfterUnknown is set if the value, or a part of it, is known only when the plan has been
	// carried out.
	AfterUnknown bool `json:"afterUnknown,omitempty"`
}

// Adds reports whether there is no value before.
func (c Change) Adds() bool { return c.Before == nil && !c.BeforeSensitive }

// Removes reports whether there is no value after.
func (c Change) Removes() bool { return c.After == nil && !c.AfterSensitive && !c.AfterUnknown }

// BeforeText returns the value before for people: as show returns it, or a placeholder.
func (c Change) BeforeText(show func(any) string) string {
	if c.BeforeSensitive {
		return SensitiveValue
	}
	return show(c.Before)
}

// AfterText returns the value after for people: as show returns it, or a placeholder.
func (c Change) AfterText(show func(any) string) string {
	switch {
	case c.AfterSensitive:
		return SensitiveValue
	case c.AfterUnknown && c.After == nil:
		return KnownAfterApply
	case c.AfterUnknown:
		return show(c.After) + " and more " + KnownAfterApply
	}
	return show(c.After)
}

// Changes returns the differences between a state and a planned state, either of which may be null,
// by leaf, sorted by path, without sensitive values and those at concealed paths. It returns at
// most 100 changes, the last of which has the number of further ones, and shortens long values.
func Changes(r *model.Resource, before, after cty.Value, concealed ...cty.Path) []Change {
	c := changes{r: r, concealed: concealed, bounded: true}
	root := r.Root()
	c.compare(root, orNull(before, root.Cty), orNull(after, root.Cty))
	return c.some()
}

// some returns the changes, the last of which has the number of further ones.
func (c *changes) some() []Change {
	var out []Change
	for _, x := range c.out {
		out = append(out, x.Change)
	}
	if c.count > maxChanges {
		more := Change{Path: "…", After: fmt.Sprintf("(%d more changes)", c.count-maxChanges+1)}
		out = append(out[:maxChanges-1], more)
	}
	return out
}

// AllChange is one difference, for programs.
type AllChange struct {
	Change
	// Attribute is the same path.
	Attribute cty.Path
}

// AllChanges returns the same differences as Changes, all of them and in full, without sensitive
// values.
func AllChanges(r *model.Resource, before, after cty.Value, concealed ...cty.Path) []AllChange {
	c := changes{r: r, concealed: concealed}
	root := r.Root()
	c.compare(root, orNull(before, root.Cty), orNull(after, root.Cty))
	return c.out
}

func orNull(v cty.Value, t cty.Type) cty.Value {
	if v == cty.NilVal {
		return cty.NullVal(t)
	}
	v, _ = v.UnmarkDeep()
	return v
}

type changes struct {
	r         *model.Resource
	concealed []cty.Path
	// bounded is set for Changes.
	bounded bool
	path    cty.Path
	out     []AllChange
	count   int
}

// add adds a change of the value at the current path.
func (c *changes) add(x Change) {
	c.count++
	if c.bounded && c.count > maxChanges {
		return
	}
	x.Path = c.r.FieldPath(c.path)
	if c.bounded {
		x.Before, x.After = shorten(x.Before), shorten(x.After)
	}
	c.out = append(c.out, AllChange{Change: x, Attribute: c.path.Copy()})
}

func (c *changes) leaf(t *model.Type, before, after cty.Value) {
	e := encoder{orRaw: true}
	c.add(Change{Before: e.value(t, before), After: e.value(t, after), AfterUnknown: !after.IsWhollyKnown()})
}

// conceal adds a change of a value that is not shown.
func (c *changes) conceal(before, after cty.Value) {
	c.add(Change{
		BeforeSensitive: before.IsKnown() && !before.IsNull(), AfterSensitive: after.IsKnown() && !after.IsNull(), AfterUnknown: !after.IsKnown(),
	})
}

func (c *changes) in(s cty.PathStep, t *model.Type, before, after cty.Value) {
	c.path = append(c.path, s)
	c.compare(t, before, after)
	c.path = c.path[:len(c.path)-1]
}

func (c *changes) compare(t *model.Type, before, after cty.Value) {
	if before.RawEquals(after) {
		return
	}
	if slices.ContainsFunc(c.concealed, c.path.Equals) {
		c.conceal(before, after)
		return
	}
	if !before.IsKnown() || !after.IsKnown() || before.IsNull() && after.IsNull() {
		if before.IsKnown() != after.IsKnown() {
			c.leaf(t, before, after)
		}
		return
	}
	n := c.count
	switch t.Kind {
	case model.Object:
		c.object(t, before, after)
		if !before.IsNull() && !after.IsNull() {
			return
		}
	case model.List:
		c.list(t, before, after)
	case model.Map:
		c.mapping(t, before, after)
	case model.Set:
		c.set(t, before, after)
	}
	if c.count == n && len(c.path) > 0 {
		c.leaf(t, before, after)
	}
}

func (c *changes) object(t *model.Type, before, after cty.Value) {
	for _, f := range t.Object.All {
		b, a := attribute(f, before), attribute(f, after)
		switch {
		case f.WriteOnly, !f.Observed && !f.Sensitive:
			// never stored, or not presented
		case f.Sensitive:
			if !b.RawEquals(a) {
				c.path = append(c.path, cty.GetAttrStep{Name: f.Name})
				c.conceal(b, a)
				c.path = c.path[:len(c.path)-1]
			}
		default:
			c.in(cty.GetAttrStep{Name: f.Name}, f.Type, b, a)
		}
	}
}

// attribute returns the field's value, or its absent value in a null object.
func attribute(f *model.Field, v cty.Value) cty.Value {
	if v.IsNull() {
		return f.Type.Absent
	}
	return v.GetAttr(f.Name)
}

func (c *changes) list(t *model.Type, before, after cty.Value) {
	b, a := elements(before), elements(after)
	for i := range max(len(b), len(a)) {
		c.in(cty.IndexStep{Key: cty.NumberIntVal(int64(i))}, t.Element, elementAt(b, i, t), elementAt(a, i, t))
	}
}

func elements(v cty.Value) []cty.Value {
	if v.IsNull() {
		return nil
	}
	return v.AsValueSlice()
}

func elementAt(list []cty.Value, i int, t *model.Type) cty.Value {
	if i < len(list) {
		return list[i]
	}
	return cty.NullVal(t.Element.Cty)
}

func (c *changes) mapping(t *model.Type, before, after cty.Value) {
	b, a := entries(before), entries(after)
	keys := maps.Clone(b)
	if keys == nil {
		keys = map[string]cty.Value{}
	}
	maps.Copy(keys, a)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		bv, ok := b[k]
		if !ok {
			bv = cty.NullVal(t.Element.Cty)
		}
		av, ok := a[k]
		if !ok {
			av = cty.NullVal(t.Element.Cty)
		}
		c.in(cty.IndexStep{Key: cty.StringVal(k)}, t.Element, bv, av)
	}
}

func entries(v cty.Value) map[string]cty.Value {
	if v.IsNull() {
		return nil
	}
	return v.AsValueMap()
}

// set shows removed and added elements, since elements of sets cannot be matched.
func (c *changes) set(t *model.Type, before, after cty.Value) {
	b, a := elements(before), elements(after)
	has := func(list []cty.Value, v cty.Value) bool { return slices.ContainsFunc(list, v.RawEquals) }
	c.path = append(c.path, cty.IndexStep{Key: cty.DynamicVal})
	for _, v := range b {
		if !has(a, v) {
			c.leaf(t.Element, v, cty.NullVal(t.Element.Cty))
		}
	}
	for _, v := range a {
		if !has(b, v) {
			c.leaf(t.Element, cty.NullVal(t.Element.Cty), v)
		}
	}
	c.path = c.path[:len(c.path)-1]
}

// shorten shortens long values, to keep status small and readable.
func shorten(v any) any {
	switch x := v.(type) {
	case nil, bool, int64, float64:
		return v
	case string:
		return text.Shorten(x, maxChangeLen)
	default:
		raw, err := json.Marshal(x)
		if err != nil || len(raw) <= maxChangeLen {
			return v
		}
		return text.Shorten(string(raw), maxChangeLen)
	}
}
