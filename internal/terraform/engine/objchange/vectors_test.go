package objchange_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/terraform/engine/objchange"
	"github.com/landbridge-io/landbridge/schema"
)

// TestVectorsProposedNew and the tests below are the vectors of contract § 7, by their numbers.
func TestVectorsProposedNew(t *testing.T) {
	s := schemaS("o", "oc", "c")
	b := func(nesting schema.Nesting) *schema.Block { return withBlock(nesting) }
	in := func(c cty.Value) cty.Value { return one("b", c) }
	n := func(c cty.Value) cty.Value { return one("n", c) }
	nullS := cty.NullVal(s.ImpliedType())
	objectN := cty.Object(map[string]cty.Type{"o": cty.String, "c": cty.String})
	tags := withAttribute("m", &schema.Attribute{Type: cty.Map(cty.String), Optional: true, Computed: true})
	type vector struct {
		schema              *schema.Block
		prior, config, want cty.Value
	}
	tests := map[string][]vector{
		"create proposes nulls for computed attributes (V01)":        {{s, nullS, obj("o=a oc=- c=-"), obj("o=a oc=- c=-")}},
		"unset arguments become null and computed values stay (V02)": {{s, obj("o=a oc=b c=c"), obj("o=- oc=- c=-"), obj("o=- oc=b c=c")}},
		"an unknown argument stays unknown (V03)":                    {{s, obj("o=a oc=b c=c"), obj("o=- oc=? c=-"), obj("o=- oc=? c=c")}},
		"nothing to nothing (V04)":                                   {{s, nullS, nullS, nullS}},
		"a destroy proposes the prior state (V05)":                   {{s, obj("o=a oc=b c=c"), nullS, obj("o=a oc=b c=c")}},
		"an empty map is configured (V06)": {{
			tags, one("m", stringMap("a", "1")), one("m", stringMap()), one("m", stringMap()),
		}},
		"computed values of list blocks stay by index (V07)": {{
			b(schema.NestingList), in(list("k=a c=1", "k=b c=2")), in(list("k=b c=-")), in(list("k=b c=1")),
		}},
		"computed values of set blocks stay by content (V08)": {{
			b(schema.NestingSet), in(set("k=a c=1", "k=b c=2")), in(set("k=b c=-")), in(set("k=b c=2")),
		}},
		"an added block has no computed values (V09)": {
			{b(schema.NestingList), in(list("k=a c=1")), in(list("k=a c=-", "k=b c=-")), in(list("k=a c=1", "k=b c=-"))},
			{b(schema.NestingSet), in(set("k=a c=1")), in(set("k=a c=-", "k=b c=-")), in(set("k=a c=1", "k=b c=-"))},
		},
		"a configured computed value wins (V10)": {
			{b(schema.NestingList), in(list("k=a c=1")), in(list("k=a c=9")), in(list("k=a c=9"))},
			{b(schema.NestingSet), in(set("k=a c=1")), in(set("k=a c=9")), in(set("k=a c=9"))},
		},
		"the first unused element of a set matches (V11)": {{
			withNested(schema.NestingSet), n(set("o=a c=1", "o=a c=2")), n(set("o=a c=-")), n(set("o=a c=1")),
		}},
		"no element of a set matches (V12)": {{
			withNested(schema.NestingSet), n(set("o=a c=1")), n(set("o=b c=-")), n(set("o=b c=-")),
		}},
		"a group block is never null (V13)": {{
			b(schema.NestingGroup), in(obj("k=- c=1")), in(obj("k=- c=-")), in(obj("k=- c=1")),
		}},
		"an absent single block is null (V14)": {{
			b(schema.NestingSingle), in(obj("k=z c=2")), in(cty.NullVal(blockB().ImpliedType())),
			in(cty.NullVal(blockB().ImpliedType())),
		}},
		"a computed nested object stays (V15)": {{
			withNested(schema.NestingSingle), n(obj("o=- c=1")), n(cty.NullVal(objectN)), n(obj("o=- c=1")),
		}},
		"a nested object that was configured goes (V16)": {{
			withNested(schema.NestingSingle), n(obj("o=x c=1")), n(cty.NullVal(objectN)), n(cty.NullVal(objectN)),
		}},
		"computed values in a nested object stay (V17)": {{
			withNested(schema.NestingSingle), n(obj("o=x c=1")), n(obj("o=y c=-")), n(obj("o=y c=1")),
		}},
		"computed values of nested maps stay by key (V18)": {{
			withNested(schema.NestingMap), n(mapOf("a", "o=1 c=ca", "b", "o=2 c=cb")),
			n(mapOf("b", "o=3 c=-", "d", "o=4 c=-")), n(mapOf("b", "o=3 c=cb", "d", "o=4 c=-")),
		}},
		"an unknown nested attribute stays unknown (V19)": {
			{withNested(schema.NestingSingle), n(obj("o=x c=1")), n(cty.UnknownVal(objectN)), n(cty.UnknownVal(objectN))},
			{withNested(schema.NestingList), n(list("o=x c=1")), n(cty.UnknownVal(cty.List(objectN))), n(cty.UnknownVal(cty.List(objectN)))},
		},
	}
	for name, vectors := range tests {
		t.Run(name, func(t *testing.T) {
			for _, x := range vectors {
				wantValue(t, objchange.ProposedNew(x.schema, x.prior, x.config), x.want)
			}
		})
	}
}

func TestVectorsAssertPlanValid(t *testing.T) {
	s := schemaS("o", "oc", "c")
	o, oc := schemaS("o"), schemaS("oc")
	none := func(b *schema.Block) cty.Value { return cty.NullVal(b.ImpliedType()) }
	in := func(c cty.Value) cty.Value { return one("b", c) }
	n := func(c cty.Value) cty.Value { return one("n", c) }
	lists, sets := withBlock(schema.NestingList), withBlock(schema.NestingSet)
	typeB := blockB().ImpliedType()
	emptyList := in(cty.ListValEmpty(typeB))
	single := withNested(schema.NestingSingle)
	typeN := single.Attributes["n"].ImpliedType()
	type vector struct {
		schema                 *schema.Block
		prior, config, planned cty.Value
		want                   []string
	}
	tests := map[string][]vector{
		"computed values may be unknown (V21)": {{s, none(s), obj("o=a oc=- c=-"), obj("o=a oc=? c=?"), nil}},
		"a planned value must be the configured one (V22)": {{
			o, none(o), obj("o=a"), obj("o=A"), []string{"o: planned value disagrees with config value"},
		}},
		"an unset argument cannot be planned (V23)": {{
			o, none(o), obj("o=-"), obj("o=d"), []string{"o: planned value for a non-computed attribute"},
		}},
		"the prior value does not excuse an unset argument (V24)": {{
			o, obj("o=d"), obj("o=-"), obj("o=d"), []string{"o: planned value for a non-computed attribute"},
		}},
		"the prior value may stand for the configured one (V25)": {{o, obj("o=A"), obj("o=a"), obj("o=A"), nil}},
		"a configured computed argument must be planned (V26)": {{
			oc, none(oc), obj("oc=x"), obj("oc=y"), []string{"oc: planned value disagrees with config value"},
		}},
		"a configured value cannot be planned unknown (V27)": {{
			oc, none(oc), obj("oc=x"), obj("oc=?"), []string{"oc: planned value disagrees with config value"},
		}},
		"an unset computed argument may change (V28)":    {{oc, obj("oc=p"), obj("oc=-"), obj("oc=other"), nil}},
		"a configured computed-only value is free (V29)": {{schemaS("c"), obj("c=q"), obj("c=q"), obj("c=z"), nil}},
		"an unknown argument must be planned unknown (V30)": {{
			o, none(o), obj("o=?"), obj("o=z"), []string{"o: planned value disagrees with config value"},
		}},
		"objects cannot appear or vanish (V31)": {
			{o, none(o), obj("o=a"), none(o), []string{": planned for absence"}},
			{o, none(o), none(o), obj("o=a"), []string{": planned for existence"}},
		},
		"the number of list blocks is the configured one (V32)": {{
			lists, none(lists), emptyList, in(list("k=x c=-")), []string{"b: count in plan"},
		}},
		"blocks cannot be planned null (V33)": {{
			lists, none(lists), emptyList, in(cty.NullVal(cty.List(typeB))), []string{
				"b: attribute representing nested blocks must not be null",
			},
		}},
		"blocks cannot be planned unknown (V34)": {
			{
				lists, none(lists), in(list("k=x c=-")), in(cty.UnknownVal(cty.List(typeB))), []string{
					"b: attribute representing nested blocks must not be unknown",
				},
			},
			{
				lists, none(lists), in(list("k=x c=-")), in(cty.ListVal([]cty.Value{cty.UnknownVal(typeB)})),
				[]string{"b[0]: element representing nested block must not be unknown"},
			},
		},
		"elements of set blocks are trusted (V35)": {{
			sets, none(sets), in(set("k=a c=-")), in(set("k=x c=1", "k=y c=2")), nil,
		}},
		"the number of nested set elements is the configured one (V36)": {{
			withNested(schema.NestingSet), none(withNested(schema.NestingSet)), n(set("o=a c=-")),
			n(set("o=a c=1", "o=a c=2")), []string{"n: count in plan"},
		}},
		"the keys of nested maps are the configured ones (V37)": {{
			withNested(schema.NestingMap), none(withNested(schema.NestingMap)), n(mapOf("a", "o=1 c=-")),
			n(mapOf("b", "o=1 c=-")),
			[]string{`n["b"]: key in plan`, `n["a"]: key in config`},
		}},
		"a configured nested object cannot be unknown (V38)": {{
			single, none(single), n(obj("o=a c=-")), n(cty.UnknownVal(typeN)), []string{
				"n: planned unknown for a configured value",
			},
		}},
		"a write-only value must be planned null (V39)": {
			{schemaS("wo"), none(schemaS("wo")), obj("wo=sec"), obj("wo=-"), nil},
			{schemaS("wo"), none(schemaS("wo")), obj("wo=sec"), obj("wo=zzz"), []string{"wo: planned value for a write-only attribute"}},
		},
		"a planned write-only value is found by its own check (V40)": {{schemaS("wo"), none(schemaS("wo")), obj("wo=sec"), obj("wo=sec"), nil}},
		"errors do not show sensitive values (V42)": {{
			schemaS("s"), none(schemaS("s")), obj("s=hunter2"), obj("s=hunter3"), []string{
				"s: planned value disagrees with config value",
			},
		}},
	}
	for name, vectors := range tests {
		t.Run(name, func(t *testing.T) {
			for _, x := range vectors {
				errs := objchange.AssertPlanValid(x.schema, x.prior, x.config, x.planned)
				wantErrors(t, errs, x.want...)
				for _, err := range errs {
					if strings.Contains(err.Error(), "hunter") {
						t.Errorf("the error tells a value: %s", err)
					}
				}
			}
		})
	}
}

func TestVectorsAssertObjectCompatible(t *testing.T) {
	o, c, sensitive := schemaS("o"), schemaS("c"), schemaS("s")
	m := withAttribute("m", &schema.Attribute{Type: cty.Map(cty.String), Optional: true})
	lists, sets := withBlock(schema.NestingList), withBlock(schema.NestingSet)
	type vector struct {
		schema          *schema.Block
		planned, actual cty.Value
		want            []string
	}
	tests := map[string][]vector{
		"an unknown value may become anything (V55)": {{c, obj("c=?"), obj("c=-"), nil}, {c, obj("c=?"), obj("c=x"), nil}},
		"a known value must be applied (V56)": {
			{o, obj("o=a"), obj("o=b"), []string{"o: value has changed"}},
			{o, obj("o=a"), obj("o=-"), []string{"o: was known, but now null"}},
			{o, obj("o=-"), obj("o=x"), []string{"o: was null, but now has a value"}},
		},
		"a value that is not null cannot become null (V57)": {{
			c, one("c", cty.UnknownVal(cty.String).RefineNotNull()), obj("c=-"), []string{
				"c: final value does not conform",
			},
		}},
		"a known value cannot become unknown (V58)": {{o, obj("o=a"), obj("o=?"), []string{"o: was known, but now unknown"}}},
		"the elements of a map are those of the plan (V59)": {
			{m, one("m", stringMap("a", "1")), one("m", stringMap("a", "1", "b", "2")), []string{`m["b"]: new element has appeared`}},
			{m, one("m", stringMap("a", "1")), one("m", stringMap()), []string{`m["a"]: element has vanished`}},
			{m, one("m", stringMap()), one("m", cty.NullVal(cty.Map(cty.String))), []string{"m: was known, but now null"}},
		},
		"a set cannot grow (V60)": {{
			sets, one("b", set("k=a c=?")), one("b", set("k=a c=1", "k=a c=2")), []string{
				"b: length changed from 1 to 2",
			},
		}},
		"equal elements of a set become one (V61)": {{sets, one("b", set("k=a c=?", "k=a c=1")), one("b", set("k=a c=1")), nil}},
		"list blocks cannot vanish (V62)": {{
			lists, one("b", list("k=x c=-")), one("b", cty.ListValEmpty(blockB().ImpliedType())), []string{
				"b: block count changed from 1 to 0",
			},
		}},
		"errors of results do not show sensitive values (V63)": {{
			sensitive, obj("s=hunter2"), obj("s=hunter3"), []string{"s: value has changed"},
		}},
	}
	for name, vectors := range tests {
		t.Run(name, func(t *testing.T) {
			for _, x := range vectors {
				errs := objchange.AssertObjectCompatible(x.schema, x.planned, x.actual)
				wantErrors(t, errs, x.want...)
				for _, err := range errs {
					if strings.Contains(err.Error(), "hunter") {
						t.Errorf("the error tells a value: %s", err)
					}
				}
			}
		})
	}
}

func TestVectorsNormalizeObjectFromLegacySDK(t *testing.T) {
	t.Run("a legacy provider's blocks are normalized (V79)", func(t *testing.T) {
		lists := withBlock(schema.NestingList)
		typeB := blockB().ImpliedType()
		wantValue(t, objchange.NormalizeObjectFromLegacySDK(one("b", cty.NullVal(cty.List(typeB))), lists), one("b", cty.ListValEmpty(typeB)))
		wantValue(t, objchange.NormalizeObjectFromLegacySDK(one("b", cty.UnknownVal(cty.List(typeB))), lists), one("b", list("k=? c=?")))
	})
}
