package planview

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

// blocks shows the changed nested blocks of one name, and counts the unchanged ones. Both values
// are known.
func (b *builder) blocks(f *model.Field, before, after cty.Value, p place) (shown []node, unchanged int) {
	t := f.Type
	if b.sensitive.value(t, p) {
		if before.RawEquals(after) {
			return nil, len(elements(after))
		}
		n := leaf(before, after, sensitiveValue, sensitiveValue)
		n.symbol, n.suffix = updated, ""
		n.name, n.replaces = f.JSONName, b.forces(p, true)
		return []node{n}, 0
	}
	// If the blocks as a whole force the replacement, the first one is marked.
	whole := b.forces(p, t.Kind == model.Set)
	one := func(label string, was, is cty.Value, at place) {
		if was.RawEquals(is) {
			unchanged++
			return
		}
		e := t
		if t.Element != nil {
			e = t.Element
		}
		n := node{symbol: symbolOf(was, is), name: label, block: true, open: "{", end: "}"}
		if !is.IsKnown() {
			n = leaf(was, is, "{}", knownAfterApply)
			n.name = label
		} else {
			b.object(&n, e, was, is, cty.NilVal, at)
		}
		n.replaces = b.forces(at, false) || whole
		whole = false
		shown = append(shown, n)
	}
	switch {
	case t.Singleton && t.Kind == model.List:
		one(f.JSONName, only(t, before), only(t, after), p.index(0, 0))
	case t.Singleton:
		one(f.JSONName, only(t, before), only(t, after), p.element())
	case t.Kind == model.Object:
		one(f.JSONName, before, after, p)
	case t.Kind == model.Map:
		was, is := entries(before), entries(after)
		keys := map[string]bool{}
		for k := range was {
			keys[k] = true
		}
		for k := range is {
			keys[k] = true
		}
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			at := p.key(k)
			if t.Cty == cty.DynamicPseudoType {
				at = p.attribute(k)
			}
			one(f.JSONName+" "+quote(k), orNull(was[k], t), orNull(is[k], t), at)
		}
	case t.Kind == model.Set:
		was, is := elements(before), elements(after)
		null := cty.NullVal(t.Element.Cty)
		for _, v := range missing(was, is) {
			one(f.JSONName, v, null, p.element())
		}
		came := missing(is, was)
		for _, v := range came {
			one(f.JSONName, null, v, p.element())
		}
		unchanged += len(is) - len(came)
	default:
		was, is := elements(before), elements(after)
		null := cty.NullVal(t.Element.Cty)
		for _, e := range align(was, is, func(int) bool { return true }) {
			x, y := null, null
			i, j := max(e.before, e.after), max(e.before, e.after)
			if e.before >= 0 {
				x, i = was[e.before], e.before
			}
			if e.after >= 0 {
				y, j = is[e.after], e.after
			}
			if e.before < 0 {
				i = j
			}
			if e.after < 0 {
				j = i
			}
			one(f.JSONName, x, y, p.index(i, j))
		}
	}
	return shown, unchanged
}

func orNull(v cty.Value, t *model.Type) cty.Value {
	if v == cty.NilVal {
		return cty.NullVal(t.Element.Cty)
	}
	return v
}
