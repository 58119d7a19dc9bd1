package translate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

// Placeholders for values in status.plan that cannot be shown.
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
	// Before and After are JSON values; nil is null or absent.
	Before any `json:"before,omitempty"`
	After  any `json:"after,omitempty"`
}

// Changes returns the differences between a state and a planned state, either of which may be null, by
// leaf, sorted by path. SensitiveValue replaces sensitive values and those at concealed paths,
// KnownAfterApply unknown ones. It returns at most 100 changes, the last of which has the number of
// further ones, and shortens long values.
func Changes(r *model.Resource, before, after cty.Value, concealed ...cty.Path) []Change {
	c := changes{r: r, concealed: concealed}
	root := r.Root()
	c.compare(root, orNull(before, root.Cty), orNull(after, root.Cty))
	return c.bounded()
}

// bounded returns the changes, the last of which has the number of further ones.
func (c *changes) bounded() []Change {
	if c.count > maxChanges {
		c.out = append(c.out[:maxChanges-1], Change{Path: "…", After: fmt.Sprintf("(%d more changes)", c.count-maxChanges+1)})
	}
	return c.out
}

// AllChange is one difference, for programs.
type AllChange struct {
	// Path is formatted as in FieldPath. [*] is an element of a set.
	Path string
	// Attribute is the same path.
	Attribute cty.Path
	// Before and After are JSON values; nil is null, absent, sensitive or unknown.
	Before, After any
	// Sensitive is set if the values are left out because they are sensitive, and Unknown if After is known after apply.
	Sensitive, Unknown bool
}

// AllChanges returns the same differences as Changes, all of them and in full, without sensitive values.
func AllChanges(r *model.Resource, before, after cty.Value, concealed ...cty.Path) []AllChange {
	c := changes{r: r, concealed: concealed}
	c.each = func(before, after any) {
		out := AllChange{Path: r.FieldPath(c.path), Attribute: c.path.Copy(), Before: before, After: after}
		if out.Sensitive = before == any(SensitiveValue) || after == any(SensitiveValue); out.Sensitive {
			out.Before, out.After = nil, nil
		}
		if after == any(KnownAfterApply) {
			out.After, out.Unknown = nil, true
		}
		c.all = append(c.all, out)
	}
	root := r.Root()
	c.compare(root, orNull(before, root.Cty), orNull(after, root.Cty))
	return c.all
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
	path      cty.Path
	out       []Change
	count     int
	// each is called with each difference instead of adding it to out; nil for Changes.
	each func(before, after any)
	all  []AllChange
}

func (c *changes) add(before, after any) {
	c.count++
	switch {
	case c.each != nil:
		c.each(before, after)
	case c.count <= maxChanges:
		c.out = append(c.out, Change{Path: c.r.FieldPath(c.path), Before: shorten(before), After: shorten(after)})
	}
}

func (c *changes) leaf(t *model.Type, before, after cty.Value) {
	e := encoder{unknown: KnownAfterApply, orRaw: true}
	c.add(e.value(t, before), e.value(t, after))
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
		c.add(concealed(before), concealed(after))
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
				c.add(concealed(b), concealed(a))
				c.path = c.path[:len(c.path)-1]
			}
		default:
			c.in(cty.GetAttrStep{Name: f.Name}, f.Type, b, a)
		}
	}
}

func concealed(v cty.Value) any {
	switch {
	case !v.IsKnown():
		return KnownAfterApply
	case v.IsNull():
		return nil
	default:
		return SensitiveValue
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
		return cut(x)
	default:
		raw, err := json.Marshal(x)
		if err != nil || len(raw) <= maxChangeLen {
			return v
		}
		return cut(string(raw))
	}
}

func cut(s string) string {
	if len(s) <= maxChangeLen {
		return s
	}
	n := maxChangeLen
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
