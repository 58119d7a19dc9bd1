package planview

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

// symbol is the marker before a line.
type symbol byte

const (
	same    symbol = ' '
	added   symbol = '+'
	removed symbol = '-'
	updated symbol = '~'
)

// Placeholders for values that are not shown.
const (
	sensitiveValue  = "(sensitive value)"
	writeOnlyValue  = "(write-only attribute)"
	knownAfterApply = "(known after apply)"
)

// node is a line, or several lines between brackets.
type node struct {
	symbol symbol
	name   string // empty for elements
	// block is set if the brackets follow the name without an equals sign.
	block bool
	// text is the value of a leaf.
	text string
	// open and end are the brackets around children and lines; empty for leaves.
	open, end string
	children  []node
	// lines are those of a text, which are shown as they are.
	lines []node
	// suffix follows the value, or the closing bracket.
	suffix string
	// replaces is set if the value forces the replacement.
	replaces bool
	// comment, if set, is shown instead of name and value.
	comment string
}

// hide appends an "N unchanged hidden" line.
func (n *node) hide(count int, what string) {
	if count > 0 {
		n.children = append(n.children, node{comment: plural(count, "unchanged "+what) + " hidden"})
	}
}

// builder builds the tree of one change.
type builder struct {
	sensitive sensitive
	replace   marks
	// forced are the paths of replace that have been shown.
	forced map[int]bool
}

// forces reports whether the value at a place forces the replacement; a leaf also if something
// inside it does.
func (b *builder) forces(p place, leaf bool) bool {
	found := false
	for i, m := range b.replace {
		for _, path := range []cty.Path{p.after, p.before} {
			if len(m) == len(path) && begins(m, path) || leaf && begins(m, path) {
				b.forced[i], found = true, true
			}
		}
	}
	return found
}

// object shows the fields of an object, attributes first, into n. config is what the object
// is created from; cty.NilVal if it is not created, or that is not known.
func (b *builder) object(n *node, t *model.Type, before, after, config cty.Value, p place) {
	var attributes, blocks []node
	var sameAttributes, sameBlocks int
	for _, f := range t.Object.All {
		if !presented(f) {
			continue
		}
		was, is := attribute(f, before), attribute(f, after)
		at := p.attribute(f.Name)
		switch {
		case f.WriteOnly:
			if config != cty.NilVal && !config.IsNull() && !config.GetAttr(f.Name).IsNull() {
				attributes = append(attributes, node{symbol: added, name: f.JSONName, text: writeOnlyValue})
			}
		case f.Type.IsAbsent(was) && f.Type.IsAbsent(is):
		case f.Type.Block != "" && is.IsKnown() && was.IsKnown():
			shown, hidden := b.blocks(f, was, is, at)
			blocks = append(blocks, shown...)
			sameBlocks += hidden
		case was.RawEquals(is):
			if len(p.after) == 0 && !f.Sensitive && f.Type.IsPrimitive() && (f.Name == "id" || f.Name == "name") {
				attributes = append(attributes, node{symbol: same, name: f.JSONName, text: b.inline(is)})
			} else {
				sameAttributes++
			}
		default:
			x := b.value(f.Type, was, is, at, f.Sensitive)
			x.name = f.JSONName
			attributes = append(attributes, x)
		}
	}
	n.children = append(n.children, attributes...)
	n.hide(sameAttributes, "attribute")
	n.children = append(n.children, blocks...)
	n.hide(sameBlocks, "block")
}

// value shows how a value that is not a block changes. The two are not equal.
func (b *builder) value(t *model.Type, before, after cty.Value, p place, secret bool) node {
	if secret || b.sensitive.value(t, p) {
		n := leaf(before, after, sensitiveValue, sensitiveValue)
		n.replaces = b.forces(p, true)
		return n
	}
	n := node{symbol: symbolOf(before, after)}
	switch {
	case t.Kind == model.Dynamic:
		return b.dynamic(before, after, p)
	case before.IsNull() && !after.IsKnown():
		n.text = knownAfterApply
		n.replaces = b.forces(p, true)
		return n
	case t.Kind == model.String:
		if n, ok := b.text(before, after); ok {
			n.replaces = b.forces(p, true)
			return n
		}
	case t.Kind == model.Object:
		n.open, n.end = "{", "}"
		is := after
		if !is.IsKnown() {
			is = cty.NullVal(t.Cty)
		}
		b.object(&n, t, before, is, cty.NilVal, p)
	case t.Kind == model.Map:
		n.open, n.end = "{", "}"
		b.mapping(&n, t, before, after, p)
	case t.Kind == model.Set:
		n.open, n.end = "[", "]"
		b.set(&n, t, before, after, p)
	case t.Kind == model.List, t.Kind == model.Tuple:
		n.open, n.end = "[", "]"
		b.list(&n, t, before, after, p)
	}
	if n.open == "" {
		n = leaf(before, after, b.inline(before), b.inline(after))
		n.replaces = b.forces(p, true)
		return n
	}
	n.replaces = b.forces(p, t.Kind == model.Set)
	switch {
	case !after.IsKnown():
		n.suffix = " -> " + knownAfterApply
	case after.IsNull():
		n.suffix = " -> null"
	}
	return n
}

func symbolOf(before, after cty.Value) symbol {
	switch {
	case before.IsKnown() && before.IsNull():
		return added
	case after.IsKnown() && after.IsNull():
		return removed
	case before.RawEquals(after):
		return same
	default:
		return updated
	}
}

func leaf(before, after cty.Value, was, is string) node {
	n := node{symbol: symbolOf(before, after)}
	switch {
	case n.symbol == added, n.symbol == same:
		n.text = is
	case n.symbol == removed:
		n.text = was
		n.suffix = " -> null"
	case was == is:
		n.text = is // (sensitive value)
	default:
		n.text = was + " -> " + is
	}
	return n
}

// element is value for an element of a collection: a removed element is not shown as null.
func (b *builder) element(t *model.Type, before, after cty.Value, p place) node {
	n := b.value(t, before, after, p, false)
	if n.symbol == removed {
		n.suffix = ""
	}
	return n
}

func (b *builder) mapping(n *node, t *model.Type, before, after cty.Value, p place) {
	was, is := entries(before), entries(after)
	keys := maps.Clone(was)
	if keys == nil {
		keys = map[string]cty.Value{}
	}
	maps.Copy(keys, is)
	unchanged := 0
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		null := cty.NullVal(t.Element.Cty)
		x, inWas := was[k]
		y, inIs := is[k]
		at := p.key(k)
		if t.Cty == cty.DynamicPseudoType {
			at = p.attribute(k)
		}
		switch {
		case !inWas:
			x = null
		case !inIs:
			y = null
		}
		if inWas && inIs && x.RawEquals(y) {
			unchanged++
			continue
		}
		// A key with a null value exists.
		e := b.element(t.Element, x, y, at)
		e.name = quote(k)
		n.children = append(n.children, e)
	}
	n.hide(unchanged, "element")
}

func (b *builder) set(n *node, t *model.Type, before, after cty.Value, p place) {
	was, is := elements(before), elements(after)
	null := cty.NullVal(t.Element.Cty)
	for _, v := range missing(was, is) {
		n.children = append(n.children, b.element(t.Element, v, null, p.element()))
	}
	came := missing(is, was)
	for _, v := range came {
		n.children = append(n.children, b.element(t.Element, null, v, p.element()))
	}
	n.hide(len(is)-len(came), "element")
}

// missing returns the elements of a that are not in b.
func missing(a, b []cty.Value) []cty.Value {
	var out []cty.Value
	for _, v := range a {
		if !slices.ContainsFunc(b, v.RawEquals) {
			out = append(out, v)
		}
	}
	return out
}

func (b *builder) list(n *node, t *model.Type, before, after cty.Value, p place) {
	was, is := elements(before), elements(after)
	unchanged := 0
	for _, e := range align(was, is, func(i int) bool { return paired(elementType(t, i)) }) {
		et := elementType(t, max(e.after, e.before))
		null := cty.NullVal(et.Cty)
		switch {
		case e.before < 0:
			n.children = append(n.children, b.element(et, null, is[e.after], p.index(e.after, e.after)))
		case e.after < 0:
			n.children = append(n.children, b.element(et, was[e.before], null, p.index(e.before, e.before)))
		case was[e.before].RawEquals(is[e.after]):
			unchanged++
		default:
			n.children = append(n.children, b.element(et, was[e.before], is[e.after], p.index(e.before, e.after)))
		}
	}
	n.hide(unchanged, "element")
}

func elementType(t *model.Type, i int) *model.Type {
	if t.Kind == model.Tuple && i < len(t.Tuple) {
		return t.Tuple[i]
	}
	return t.Element
}

// paired reports whether a changed element is shown as a change of its contents, and not as one
// removed and one added.
func paired(t *model.Type) bool { return !t.IsPrimitive() }

// dynamic shows values of a dynamic type.
func (b *builder) dynamic(before, after cty.Value, p place) node {
	t := dynamicType(before, after)
	if t == nil {
		n := leaf(before, after, b.inline(before), b.inline(after))
		n.replaces = b.forces(p, true)
		return n
	}
	return b.value(t, before, after, p, false)
}

var (
	anything = &model.Type{Kind: model.Dynamic, Cty: cty.DynamicPseudoType}
	// Objects in a dynamic value are shown as maps, so that their names stay, and tuples as lists.
	anyMap  = &model.Type{Kind: model.Map, Cty: cty.Map(cty.DynamicPseudoType), Element: anything}
	anyObj  = &model.Type{Kind: model.Map, Cty: cty.DynamicPseudoType, Element: anything}
	anyList = &model.Type{Kind: model.List, Cty: cty.DynamicPseudoType, Element: anything}
	anyText = &model.Type{Kind: model.String, Cty: cty.String}
)

// dynamicType returns a type by which two values of a dynamic type can be compared; nil if their
// forms differ, or if they have no elements.
func dynamicType(before, after cty.Value) *model.Type {
	form := func(v cty.Value) *model.Type {
		t := v.Type()
		switch {
		case v.IsNull(), !v.IsKnown():
			return anything
		case t.IsObjectType():
			return anyObj
		case t.IsMapType():
			return anyMap
		case t.IsTupleType(), t.IsListType(), t.IsSetType():
			return anyList
		case t == cty.String:
			return anyText
		}
		return nil
	}
	a, b := form(before), form(after)
	switch {
	case a == anything && b == anything:
		return nil
	case a == anything:
		return b
	case b == anything, a == b:
		return a
	}
	return nil
}

// number returns a number with all digits, unless that would be very long.
func number(v cty.Value) string {
	f := v.AsBigFloat()
	if e := f.MantExp(nil); e > 256 || e < -256 {
		return f.Text('g', -1)
	}
	return f.Text('f', -1)
}

// inline returns a value on one line.
func (b *builder) inline(v cty.Value) string {
	switch {
	case !v.IsKnown():
		return knownAfterApply
	case v.IsNull():
		return "null"
	}
	t := v.Type()
	switch {
	case t == cty.String:
		return quote(v.AsString())
	case t == cty.Number:
		return number(v)
	case t == cty.Bool:
		return fmt.Sprint(v.True())
	case t.IsObjectType(), t.IsMapType():
		all := entries(v)
		parts := make([]string, 0, len(all))
		for _, k := range slices.Sorted(maps.Keys(all)) {
			parts = append(parts, quote(k)+" = "+b.inline(all[k]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		var parts []string
		for _, e := range elements(v) {
			parts = append(parts, b.inline(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
}
