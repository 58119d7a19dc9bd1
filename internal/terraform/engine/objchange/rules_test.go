package objchange_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/terraform/engine/objchange"
	"github.com/landbridge-io/landbridge/schema"
)

var (
	typeB  = blockB().ImpliedType()
	typeN  = cty.Object(map[string]cty.Type{"o": cty.String, "c": cty.String})
	anyVal = cty.DynamicVal
)

// dynamicBlock has a dynamically typed attribute, so that several blocks are a tuple or an object.
func dynamicBlock(nesting schema.Nesting) *schema.Block {
	return &schema.Block{Blocks: map[string]*schema.NestedBlock{"b": {Nesting: nesting, Block: &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"any": {Type: cty.DynamicPseudoType, Optional: true},
			"c":   {Type: cty.String, Computed: true},
		},
	}}}}
}

func computedBlock(nesting schema.Nesting) *schema.Block {
	return &schema.Block{Blocks: map[string]*schema.NestedBlock{"b": {Nesting: nesting, Computed: true, Block: &schema.Block{
		Attributes: map[string]*schema.Attribute{"k": {Type: cty.String, Computed: true}, "c": {Type: cty.String, Computed: true}},
	}}}}
}

// deepSet returns a set of objects that hold a list, a set and a map.
func deepSet() *schema.Block {
	inner := &schema.NestedAttributes{Nesting: schema.NestingList, Attributes: map[string]*schema.Attribute{
		"o": {Type: cty.String, Optional: true}, "c": {Type: cty.String, Computed: true},
	}}
	return &schema.Block{Blocks: map[string]*schema.NestedBlock{"b": {Nesting: schema.NestingSet, Block: &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"n":    {Nested: inner, Optional: true},
			"tags": {Type: cty.Set(cty.String), Optional: true, Computed: true},
		},
	}}}}
}

// tripleSet returns a set of nested attributes of the three kinds.
func tripleSet() *schema.Block {
	return withAttribute("n", &schema.Attribute{
		Optional: true,
		Nested: &schema.NestedAttributes{Nesting: schema.NestingSet, Attributes: map[string]*schema.Attribute{
			"k": {Type: cty.String, Required: true}, "oc": {Type: cty.String, Optional: true, Computed: true},
			"c": {Type: cty.String, Computed: true},
		}},
	})
}

func deep(n cty.Value, tags ...string) cty.Value {
	values := cty.NullVal(cty.Set(cty.String))
	if len(tags) > 0 {
		elements := make([]cty.Value, len(tags))
		for i, s := range tags {
			elements[i] = v(s)
		}
		values = cty.SetVal(elements)
	}
	return cty.ObjectVal(map[string]cty.Value{"n": n, "tags": values})
}

func TestProposedNew(t *testing.T) {
	s := schemaS("o", "oc", "c")
	b := func(c cty.Value) cty.Value { return one("b", c) }
	n := func(c cty.Value) cty.Value { return one("n", c) }
	tuple := func(elements ...cty.Value) cty.Value { return b(cty.TupleVal(elements)) }
	dynamic := func(a cty.Value, c string) cty.Value { return cty.ObjectVal(map[string]cty.Value{"any": a, "c": v(c)}) }
	deeps := func(elements ...cty.Value) cty.Value { return b(cty.SetVal(elements)) }
	tests := map[string]struct {
		schema              *schema.Block
		prior, config, want cty.Value
	}{
		"unknown config keeps the prior object": {s, obj("o=a oc=b c=c"), cty.UnknownVal(s.ImpliedType()), obj("o=a oc=b c=c")},
		"unknown prior object makes computed ones": {
			withBlock(schema.NestingSingle), b(cty.UnknownVal(typeB)), b(obj("k=a c=-")), b(obj("k=a c=?")),
		},
		"unknown blocks stay unknown": {
			withBlock(schema.NestingList), b(list("k=a c=1")), b(cty.UnknownVal(cty.List(typeB))),
			b(cty.UnknownVal(cty.List(typeB))),
		},
		"empty list block": {
			withBlock(schema.NestingList), b(list("k=a c=1")), b(cty.ListValEmpty(typeB)), b(cty.ListValEmpty(typeB)),
		},
		"group block from nothing": {
			withBlock(schema.NestingGroup), cty.NullVal(withBlock(schema.NestingGroup).ImpliedType()),
			b(obj("k=a c=-")), b(obj("k=a c=-")),
		},
		"map block by label": {
			withBlock(schema.NestingMap), b(mapOf("x", "k=a c=1", "y", "k=b c=2")),
			b(mapOf("y", "k=b c=-", "z", "k=c c=-")), b(mapOf("y", "k=b c=2", "z", "k=c c=-")),
		},
		"prior list is null": {
			withNested(schema.NestingList), n(cty.NullVal(cty.List(typeN))), n(list("o=a c=-")), n(list("o=a c=-")),
		},
		"prior list is unknown": {
			withNested(schema.NestingList), n(cty.UnknownVal(cty.List(typeN))), n(list("o=a c=-")), n(list("o=a c=-")),
		},
		"nested list by index": {
			withNested(schema.NestingList), n(list("o=a c=1", "o=b c=2")), n(list("o=b c=-")), n(list("o=b c=1")),
		},
		"unknown element of a list": {
			withNested(schema.NestingList), n(list("o=a c=1")), n(cty.ListVal([]cty.Value{cty.UnknownVal(typeN)})),
			n(cty.ListVal([]cty.Value{cty.UnknownVal(typeN)})),
		},
		"unknown element of a set": {
			withNested(schema.NestingSet), n(set("o=a c=1")), n(cty.SetVal([]cty.Value{cty.UnknownVal(typeN)})),
			n(cty.SetVal([]cty.Value{cty.UnknownVal(typeN)})),
		},
		"null element of a nested list": {
			withNested(schema.NestingList), n(list("o=a c=1")), n(cty.ListVal([]cty.Value{cty.NullVal(typeN)})),
			n(cty.ListVal([]cty.Value{cty.NullVal(typeN)})),
		},
		"empty nested list is configured": {
			withNested(schema.NestingList), n(list("o=a c=1")), n(cty.ListValEmpty(typeN)), n(cty.ListValEmpty(typeN)),
		},
		"dynamic list block is a tuple": {
			dynamicBlock(schema.NestingList), tuple(dynamic(v("a"), "1"), dynamic(cty.True, "2")),
			tuple(dynamic(v("b"), "-")), tuple(dynamic(v("b"), "1")),
		},
		"dynamic map block is an object": {
			dynamicBlock(schema.NestingMap), b(one("x", dynamic(v("a"), "1"))),
			b(cty.ObjectVal(map[string]cty.Value{"x": dynamic(cty.True, "-"), "y": dynamic(v("z"), "-")})),
			b(cty.ObjectVal(map[string]cty.Value{"x": dynamic(cty.True, "1"), "y": dynamic(v("z"), "-")})),
		},
		"set element with a computed set": {
			deepSet(), deeps(deep(list("o=a c=1"), "x")), deeps(deep(list("o=a c=-"))), deeps(deep(list("o=a c=-"))),
		},
		"set element with another set": {
			deepSet(), deeps(deep(list("o=a c=1"), "x")), deeps(deep(list("o=a c=-"), "y")),
			deeps(deep(list("o=a c=-"), "y")),
		},
		"set element with a shorter list": {
			deepSet(), deeps(deep(list("o=a c=1", "o=b c=2"))), deeps(deep(list("o=a c=-"))),
			deeps(deep(list("o=a c=-"))),
		},
		"set element with a longer list": {
			deepSet(), deeps(deep(list("o=a c=1"))), deeps(deep(list("o=a c=-", "o=b c=-"))),
			deeps(deep(list("o=a c=1", "o=b c=-"))),
		},
		"set element is used once": {
			tripleSet(), n(set("k=a oc=x c=1")), n(set("k=a oc=- c=-", "k=a oc=x c=-")),
			n(set("k=a oc=x c=1", "k=a oc=- c=-")),
		},
		"set element configured otherwise": {tripleSet(), n(set("k=a oc=x c=1")), n(set("k=a oc=y c=-")), n(set("k=a oc=y c=-"))},
		"equal set element":                {withBlock(schema.NestingSet), b(set("k=a c=1")), b(set("k=a c=1")), b(set("k=a c=1"))},
		"prior set element is used once": {
			withNested(schema.NestingSet), n(set("o=- c=1")),
			n(cty.SetVal([]cty.Value{obj("o=- c=-"), obj("o=x c=-")})),
			n(cty.SetVal([]cty.Value{obj("o=- c=1"), obj("o=x c=-")})),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			wantValue(t, objchange.ProposedNew(test.schema, test.prior, test.config), test.want)
		})
	}
}

func TestAssertPlanValid(t *testing.T) {
	b := func(c cty.Value) cty.Value { return one("b", c) }
	n := func(c cty.Value) cty.Value { return one("n", c) }
	none := func(b *schema.Block) cty.Value { return cty.NullVal(b.ImpliedType()) }
	s := schemaS("o")
	refined := one("o", cty.UnknownVal(cty.String).RefineNotNull())
	configuredNested := func(nesting schema.Nesting) *schema.Block {
		out := withNested(nesting)
		out.Attributes["n"].Computed = false
		return out
	}
	tests := map[string]struct {
		schema                 *schema.Block
		prior, config, planned cty.Value
		want                   []string
	}{
		"both null": {s, none(s), none(s), none(s), nil},
		"unknown object": {
			s, none(s), obj("o=a"), cty.UnknownVal(s.ImpliedType()), []string{": planned for unknown object"},
		},
		"unknown object for an unknown one": {s, none(s), cty.UnknownVal(s.ImpliedType()), cty.UnknownVal(s.ImpliedType()), nil},
		"refinements are ignored":           {s, none(s), obj("o=?"), refined, nil},
		"prior kept for a null config":      {schemaS("oc"), obj("oc=p"), obj("oc=-"), obj("oc=p"), nil},
		"prior kept, but config is null":    {s, obj("o=p"), obj("o=-"), obj("o=p"), []string{"o: planned value for a non-computed"}},
		"planned null for a configured one": {s, none(s), obj("o=a"), obj("o=-"), []string{"o: planned value disagrees with config value"}},
		"disagrees with both":               {s, obj("o=p"), obj("o=a"), obj("o=b"), []string{"o: planned value disagrees with both"}},
		"computed only, though configured":  {schemaS("c"), none(schemaS("c")), obj("c=a"), obj("c=-"), nil},
		"nested: null for a configured one": {
			withNested(schema.NestingSingle), none(withNested(schema.NestingSingle)), n(obj("o=a c=-")),
			n(cty.NullVal(typeN)), []string{"n: planned for absence"},
		},
		"nested: value for an unknown one": {
			withNested(schema.NestingSingle), none(withNested(schema.NestingSingle)), n(cty.UnknownVal(typeN)),
			n(obj("o=a c=-")), []string{"n: planned a value for an unknown"},
		},
		"nested: value for none": {
			configuredNested(schema.NestingSingle), n(obj("o=p c=1")), n(cty.NullVal(typeN)), n(obj("o=a c=-")),
			[]string{"n: planned value for a non-computed"},
		},
		"nested: single": {
			withNested(schema.NestingSingle), n(obj("o=p c=1")), n(obj("o=a c=-")), n(obj("o=b c=2")), []string{
				"n.o: planned value disagrees with both",
			},
		},
		"nested: computed inside": {
			withNested(schema.NestingSingle), n(obj("o=p c=1")), n(obj("o=a c=-")), n(obj("o=a c=?")), nil,
		},
		"nested: list count": {
			withNested(schema.NestingList), none(withNested(schema.NestingList)), n(list("o=a c=-")),
			n(list("o=a c=-", "o=b c=-")), []string{"n: count in plan"},
		},
		"nested: list element": {
			withNested(schema.NestingList), n(list("o=a c=1")), n(list("o=a c=-", "o=b c=-")),
			n(list("o=a c=2", "o=x c=-")), []string{"n[1].o: planned value disagrees with config value"},
		},
		"nested: prior element kept": {
			withNested(schema.NestingList), n(list("o=A c=1")), n(list("o=a c=-")), n(list("o=A c=2")), nil,
		},
		"nested: null list element": {
			withNested(schema.NestingList), none(withNested(schema.NestingList)), n(list("o=a c=-")),
			n(cty.ListVal([]cty.Value{cty.NullVal(typeN)})), []string{"n[0]: planned and configured object disagree"},
		},
		"nested: null list elements": {
			withNested(schema.NestingList), none(withNested(schema.NestingList)),
			n(cty.ListVal([]cty.Value{cty.NullVal(typeN), obj("o=a c=-")})),
			n(cty.ListVal([]cty.Value{cty.NullVal(typeN), obj("o=a c=?")})), nil,
		},
		"nested: unknown list element": {
			withNested(schema.NestingList), none(withNested(schema.NestingList)), n(list("o=a c=-")),
			n(cty.ListVal([]cty.Value{cty.UnknownVal(typeN)})), []string{"n[0]: planned unknown"},
		},
		"nested: unknown list elements": {
			withNested(schema.NestingList), none(withNested(schema.NestingList)),
			n(cty.ListVal([]cty.Value{cty.UnknownVal(typeN), obj("o=a c=-")})),
			n(cty.ListVal([]cty.Value{cty.UnknownVal(typeN), obj("o=a c=?")})), nil,
		},
		"nested: map element": {
			withNested(schema.NestingMap), none(withNested(schema.NestingMap)), n(mapOf("x", "o=a c=-")),
			n(mapOf("x", "o=b c=1")), []string{`n["x"].o: planned value disagrees`},
		},
		"nested: set of the same size": {
			withNested(schema.NestingSet), none(withNested(schema.NestingSet)), n(set("o=a c=-")),
			n(set("o=b c=1")), nil,
		},
		"nested: set of a possible size": {
			withNested(schema.NestingSet), none(withNested(schema.NestingSet)), n(set("o=a c=-", "o=b c=-")),
			n(set("o=? c=1", "o=? c=2", "o=? c=3")), nil,
		},
		"blocks: list element": {
			withBlock(schema.NestingList), b(list("k=A c=1")), b(list("k=a c=-")), b(list("k=x c=2")), []string{
				"b[0].k: planned value disagrees with both",
			},
		},
		"blocks: map element": {
			withBlock(schema.NestingMap), none(withBlock(schema.NestingMap)), b(mapOf("x", "k=a c=-")),
			b(mapOf("x", "k=b c=-")), []string{`b["x"].k: planned value disagrees`},
		},
		"blocks: map keys": {
			withBlock(schema.NestingMap), none(withBlock(schema.NestingMap)), b(mapOf("x", "k=a c=-")),
			b(mapOf("y", "k=a c=-")), []string{`b["y"]: key in plan`, `b["x"]: key in config`},
		},
		"blocks: unknown map element": {
			withBlock(schema.NestingMap), none(withBlock(schema.NestingMap)), b(mapOf("x", "k=a c=-")),
			b(cty.MapVal(map[string]cty.Value{"x": cty.UnknownVal(typeB)})), []string{
				`b["x"]: element representing nested block`,
			},
		},
		"blocks: unknown set element": {
			withBlock(schema.NestingSet), none(withBlock(schema.NestingSet)), b(set("k=a c=-")),
			b(cty.SetVal([]cty.Value{cty.UnknownVal(typeB)})), []string{"b: element representing nested block"},
		},
		"blocks: unknown set element as config": {
			withBlock(schema.NestingSet), none(withBlock(schema.NestingSet)),
			b(cty.SetVal([]cty.Value{cty.UnknownVal(typeB)})), b(cty.SetVal([]cty.Value{cty.UnknownVal(typeB)})),
			[]string{"b: element representing nested block"},
		},
		"blocks: unknown set as config": {
			withBlock(schema.NestingSet), none(withBlock(schema.NestingSet)), b(cty.UnknownVal(cty.Set(typeB))),
			b(cty.UnknownVal(cty.Set(typeB))), nil,
		},
		"blocks: known for an unknown config": {
			withBlock(schema.NestingList), none(withBlock(schema.NestingList)), b(cty.UnknownVal(cty.List(typeB))),
			b(list("k=a c=-")), []string{"b: planned blocks for an unknown configuration"},
		},
		"blocks: single": {
			withBlock(schema.NestingSingle), none(withBlock(schema.NestingSingle)), b(obj("k=a c=-")),
			b(obj("k=b c=-")), []string{"b.k: planned value disagrees"},
		},
		"blocks: single absent": {
			withBlock(schema.NestingSingle), none(withBlock(schema.NestingSingle)), b(obj("k=a c=-")),
			b(cty.NullVal(typeB)), []string{"b: planned for absence"},
		},
		"blocks: single unknown": {
			withBlock(schema.NestingSingle), none(withBlock(schema.NestingSingle)), b(obj("k=a c=-")),
			b(cty.UnknownVal(typeB)), []string{"b: attribute representing nested blocks must not be unknown"},
		},
		"blocks: null group": {
			withBlock(schema.NestingGroup), none(withBlock(schema.NestingGroup)), b(obj("k=a c=-")),
			b(cty.NullVal(typeB)), []string{"b: attribute representing nested blocks must not be null"},
		},
		"blocks: group": {
			withBlock(schema.NestingGroup), none(withBlock(schema.NestingGroup)), b(obj("k=a c=-")),
			b(obj("k=a c=?")), nil,
		},
		"computed blocks: not configured": {
			computedBlock(schema.NestingList), none(computedBlock(schema.NestingList)),
			b(cty.NullVal(cty.List(typeB))), b(list("k=x c=1")), nil,
		},
		"computed blocks: unknown": {
			computedBlock(schema.NestingList), none(computedBlock(schema.NestingList)),
			b(cty.NullVal(cty.List(typeB))), b(cty.UnknownVal(cty.List(typeB))), nil,
		},
		"computed blocks: null as proposed": {
			computedBlock(schema.NestingList), none(computedBlock(schema.NestingList)),
			b(cty.NullVal(cty.List(typeB))), b(cty.NullVal(cty.List(typeB))), nil,
		},
		"computed blocks: null for a configured": {
			computedBlock(schema.NestingList), none(computedBlock(schema.NestingList)), b(list("k=x c=1")),
			b(cty.NullVal(cty.List(typeB))), []string{"b: attribute representing nested blocks must not be null"},
		},
		"map blocks for a null config": {
			withBlock(schema.NestingMap), none(withBlock(schema.NestingMap)), b(cty.NullVal(cty.Map(typeB))),
			b(mapOf("x", "k=a c=-")), []string{"b: planned blocks that are not in config"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			wantErrors(t, objchange.AssertPlanValid(test.schema, test.prior, test.config, test.planned), test.want...)
		})
	}
}

func TestAssertObjectCompatible(t *testing.T) {
	b := func(c cty.Value) cty.Value { return one("b", c) }
	s := schemaS("o")
	attribute := func(ty cty.Type) *schema.Block {
		return withAttribute("x", &schema.Attribute{Type: ty, Optional: true})
	}
	x := func(c cty.Value) cty.Value { return one("x", c) }
	strs := func(texts ...string) []cty.Value {
		out := make([]cty.Value, len(texts))
		for i, text := range texts {
			out[i] = v(text)
		}
		return out
	}
	tests := map[string]struct {
		schema          *schema.Block
		planned, actual cty.Value
		want            []string
	}{
		"both null":              {s, cty.NullVal(s.ImpliedType()), cty.NullVal(s.ImpliedType()), nil},
		"root appeared":          {s, cty.NullVal(s.ImpliedType()), obj("o=a"), []string{": root object was absent, but now present"}},
		"root vanished":          {s, obj("o=a"), cty.NullVal(s.ImpliedType()), []string{": root object was present, but now absent"}},
		"unknown root":           {s, cty.UnknownVal(s.ImpliedType()), obj("o=a"), nil},
		"unknown became unknown": {s, obj("o=?"), obj("o=?"), nil},
		"refined prefix": {
			s, one("o", cty.UnknownVal(cty.String).Refine().StringPrefix("ab-").NewValue()), obj("o=cd"),
			[]string{"o: final value does not conform"},
		},
		"refined prefix kept":      {s, one("o", cty.UnknownVal(cty.String).Refine().StringPrefix("ab-").NewValue()), obj("o=ab-c"), nil},
		"dynamic accepts anything": {attribute(cty.DynamicPseudoType), x(anyVal), x(cty.True), nil},
		"dynamic that was known":   {attribute(cty.DynamicPseudoType), x(v("a")), x(cty.True), []string{"x: wrong final value type"}},
		"list element": {
			attribute(cty.List(cty.String)), x(cty.ListVal(strs("a", "?"))), x(cty.ListVal(strs("b", "c"))),
			[]string{"x[0]: value has changed"},
		},
		"list grew": {
			attribute(cty.List(cty.String)), x(cty.ListVal(strs("a"))), x(cty.ListVal(strs("a", "b"))),
			[]string{"x[1]: new element"},
		},
		"list shrank": {
			attribute(cty.List(cty.String)), x(cty.ListVal(strs("a", "b"))), x(cty.ListVal(strs("a"))), []string{
				"x[1]: element has vanished",
			},
		},
		"tuple": {
			attribute(cty.DynamicPseudoType), x(cty.TupleVal(strs("a"))), x(cty.TupleVal(strs("b"))), []string{
				"x[0]: value has changed",
			},
		},
		"object": {
			attribute(cty.Object(map[string]cty.Type{"k": cty.String})), x(obj("k=a")), x(obj("k=b")), []string{
				"x.k: value has changed",
			},
		},
		"set": {
			attribute(cty.Set(cty.String)), x(cty.SetVal(strs("a"))), x(cty.SetVal(strs("b"))), []string{
				"x: 1 planned set elements", "x: 1 actual set elements",
			},
		},
		"set shrank": {
			attribute(cty.Set(cty.String)), x(cty.SetVal(strs("a", "b"))), x(cty.SetVal(strs("a"))), []string{
				"x: 1 planned set elements",
			},
		},
		"number spelled otherwise": {attribute(cty.Number), x(cty.NumberFloatVal(0.5)), x(cty.MustParseNumberVal("0.50")), nil},
		"single block appeared": {
			withBlock(schema.NestingSingle), b(cty.NullVal(typeB)), b(obj("k=a c=1")), []string{
				"b: was absent, but now present",
			},
		},
		"single block vanished": {
			withBlock(schema.NestingSingle), b(obj("k=a c=1")), b(cty.NullVal(typeB)), []string{
				"b: was present, but now absent",
			},
		},
		"group block": {
			withBlock(schema.NestingGroup), b(obj("k=a c=?")), b(obj("k=b c=1")), []string{"b.k: value has changed"},
		},
		"list block": {
			withBlock(schema.NestingList), b(list("k=a c=?")), b(list("k=b c=1")), []string{
				"b[0].k: value has changed",
			},
		},
		"list block that was unknown": {withBlock(schema.NestingList), b(cty.UnknownVal(cty.List(typeB))), b(list("k=b c=1")), nil},
		"list block that is null":     {withBlock(schema.NestingList), b(list("k=b c=1")), b(cty.NullVal(cty.List(typeB))), nil},
		"map block": {
			withBlock(schema.NestingMap), b(mapOf("x", "k=a c=?")), b(mapOf("y", "k=a c=1")), []string{
				`b["x"]: element has vanished`, `b["y"]: new element`,
			},
		},
		"computed block is null": {
			computedBlock(schema.NestingList), b(cty.UnknownVal(cty.List(typeB))), b(cty.NullVal(cty.List(typeB))),
			[]string{"b: computed block must not be null"},
		},
		"computed block became known": {computedBlock(schema.NestingList), b(cty.UnknownVal(cty.List(typeB))), b(list("k=a c=1")), nil},
		"computed block of another len": {
			computedBlock(schema.NestingList), b(list("k=a c=1")), b(list("k=a c=1", "k=b c=1")), []string{
				"b: block count changed from 1 to 2",
			},
		},
		"computed single may be null": {computedBlock(schema.NestingSingle), b(cty.UnknownVal(typeB)), b(cty.NullVal(typeB)), nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			wantErrors(t, objchange.AssertObjectCompatible(test.schema, test.planned, test.actual), test.want...)
		})
	}
}

func TestNormalizeObjectFromLegacySDK(t *testing.T) {
	b := func(c cty.Value) cty.Value { return one("b", c) }
	// outer holds blocks in blocks.
	outer := func(nesting schema.Nesting) *schema.Block {
		return &schema.Block{Blocks: map[string]*schema.NestedBlock{"b": {Nesting: nesting, Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{"x": {Type: cty.String, Optional: true}},
			Blocks: map[string]*schema.NestedBlock{
				"list": {Nesting: schema.NestingList, Block: blockB()}, "single": {Nesting: schema.NestingSingle, Block: blockB()},
				"map": {Nesting: schema.NestingMap, Block: blockB()}, "set": {Nesting: schema.NestingSet, Block: blockB()},
				"group": {Nesting: schema.NestingGroup, Block: blockB()},
			},
		}}}}
	}
	inner := func(x string, lists, single, maps, sets, group cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"x": v(x), "list": lists, "single": single, "map": maps, "set": sets, "group": group})
	}
	nulls := inner("a", cty.NullVal(cty.List(typeB)), cty.NullVal(typeB), cty.NullVal(cty.Map(typeB)),
		cty.NullVal(cty.Set(typeB)), cty.NullVal(typeB))
	empties := inner("a", cty.ListValEmpty(typeB), cty.NullVal(typeB), cty.MapValEmpty(typeB), cty.SetValEmpty(typeB), obj("k=- c=-"))
	unknowns := inner("?", list("k=? c=?"), obj("k=? c=?"), cty.MapValEmpty(typeB), set("k=? c=?"), obj("k=? c=?"))
	typeInner := nulls.Type()
	dynamic := b(cty.NullVal(cty.DynamicPseudoType))
	tests := map[string]struct {
		schema   *schema.Block
		in, want cty.Value
	}{
		"absent": {withBlock(schema.NestingList), cty.NilVal, cty.NilVal},
		"null": {
			withBlock(schema.NestingList), cty.NullVal(withBlock(schema.NestingList).ImpliedType()),
			cty.NullVal(withBlock(schema.NestingList).ImpliedType()),
		},
		"no blocks": {schemaS("o"), obj("o=?"), obj("o=?")},
		"dynamic":   {dynamicBlock(schema.NestingList), dynamic, dynamic},
		"unknown object": {
			withBlock(schema.NestingList), cty.UnknownVal(withBlock(schema.NestingList).ImpliedType()),
			b(list("k=? c=?")),
		},
		"null set":               {withBlock(schema.NestingSet), b(cty.NullVal(cty.Set(typeB))), b(cty.SetValEmpty(typeB))},
		"unknown set":            {withBlock(schema.NestingSet), b(cty.UnknownVal(cty.Set(typeB))), b(set("k=? c=?"))},
		"null map":               {withBlock(schema.NestingMap), b(cty.NullVal(cty.Map(typeB))), b(cty.MapValEmpty(typeB))},
		"unknown map":            {withBlock(schema.NestingMap), b(cty.UnknownVal(cty.Map(typeB))), b(cty.UnknownVal(cty.Map(typeB)))},
		"null group":             {withBlock(schema.NestingGroup), b(cty.NullVal(typeB)), b(obj("k=- c=-"))},
		"null single":            {withBlock(schema.NestingSingle), b(cty.NullVal(typeB)), b(cty.NullVal(typeB))},
		"unknown single":         {outer(schema.NestingSingle), b(cty.UnknownVal(typeInner)), b(unknowns)},
		"blocks in a single one": {outer(schema.NestingSingle), b(nulls), b(empties)},
		"blocks in a group":      {outer(schema.NestingGroup), b(nulls), b(empties)},
		"blocks in a list":       {outer(schema.NestingList), b(cty.ListVal([]cty.Value{nulls})), b(cty.ListVal([]cty.Value{empties}))},
		"blocks in a set":        {outer(schema.NestingSet), b(cty.SetVal([]cty.Value{nulls})), b(cty.SetVal([]cty.Value{empties}))},
		"blocks in a map": {
			outer(schema.NestingMap), b(cty.MapVal(map[string]cty.Value{"k": nulls})),
			b(cty.MapVal(map[string]cty.Value{"k": empties})),
		},
		"unknown element": {
			outer(schema.NestingList), b(cty.ListVal([]cty.Value{cty.UnknownVal(typeInner)})),
			b(cty.ListVal([]cty.Value{unknowns})),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := objchange.NormalizeObjectFromLegacySDK(test.in, test.schema)
			if test.in == cty.NilVal {
				if got != cty.NilVal {
					t.Errorf("got %#v", got)
				}
				return
			}
			wantValue(t, got, test.want)
		})
	}
}
