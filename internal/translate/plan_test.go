package translate_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/translate"
)

func TestChanges(t *testing.T) {
	t.Parallel()
	r := thing(t)
	b := r.Schema.Block
	str := cty.StringVal
	object := func(values map[string]cty.Value) cty.Value { return with(b, values) }
	label := func(block, l string) cty.Value {
		return with(b.Blocks[block].Block, map[string]cty.Value{"label": str(l), "token": str("hunter2")})
	}
	many := map[string]cty.Value{}
	for i := range 150 {
		many[fmt.Sprintf("%03d", i)] = str("x")
	}
	tests := map[string]struct {
		before, after cty.Value
		want          []translate.Change
	}{
		"none": {before: object(nil), after: object(nil)},
		"primitive": {
			before: object(map[string]cty.Value{"size": cty.NumberIntVal(1)}),
			after:  object(map[string]cty.Value{"size": cty.NumberIntVal(2)}), want: []translate.Change{{
				Path: "size", Before: int64(1), After: int64(2),
			}},
		},
		"set": {
			before: object(nil), after: object(map[string]cty.Value{"name": str("x")}), want: []translate.Change{{
				Path: "name", After: "x",
			}},
		},
		"unset": {
			before: object(map[string]cty.Value{"name": str("x")}), after: object(nil), want: []translate.Change{{
				Path: "name", Before: "x",
			}},
		},
		"unknown": {
			before: object(map[string]cty.Value{"result": str("x")}),
			after:  object(map[string]cty.Value{"result": cty.UnknownVal(cty.String)}), want: []translate.Change{{
				Path: "result", Before: "x", AfterUnknown: true,
			}},
		},
		"sensitive": {
			before: object(map[string]cty.Value{"password": str("hunter1")}),
			after: object(map[string]cty.Value{
				"password": str("hunter2"), "generated": cty.UnknownVal(cty.String), "pin": cty.NumberIntVal(42),
			}), want: []translate.Change{
				{Path: "generated", AfterUnknown: true}, {
					Path: "password", BeforeSensitive: true, AfterSensitive: true,
				}, {Path: "pin", AfterSensitive: true},
			},
		},
		"create": {
			before: cty.NilVal,
			after: object(map[string]cty.Value{
				"name": str("x"), "zones": cty.ListVal([]cty.Value{str("z")}),
				"singleton_list": cty.ListVal([]cty.Value{label("singleton_list", "l")}),
			}), want: []translate.Change{
				{Path: "name", After: "x"}, {Path: "singletonList.label", After: "l"},
				{Path: "singletonList.token", AfterSensitive: true}, {Path: "zones[0]", After: "z"},
			},
		},
		"destroy": {
			before: object(map[string]cty.Value{"name": str("x")}), after: cty.NullVal(r.Root().Cty),
			want: []translate.Change{{Path: "name", Before: "x"}},
		},
		"texts of placeholders": {
			before: object(map[string]cty.Value{"name": str(translate.SensitiveValue)}),
			after:  object(map[string]cty.Value{"name": str(translate.KnownAfterApply)}),
			want:   []translate.Change{{Path: "name", Before: "(sensitive value)", After: "(known after apply)"}},
		},
		"unknown in part": {
			before: object(nil),
			after: object(map[string]cty.Value{
				"set_block": cty.SetVal([]cty.Value{
					with(b.Blocks["set_block"].Block, map[string]cty.Value{"label": cty.UnknownVal(cty.String)}),
				}),
			}),
			want: []translate.Change{{Path: "setBlock[*]", After: map[string]any{}, AfterUnknown: true}},
		},
		"maps": {
			before: object(map[string]cty.Value{"tags": cty.MapVal(map[string]cty.Value{"a.b": str("1"), "c": str("1")})}),
			after:  object(map[string]cty.Value{"tags": cty.MapVal(map[string]cty.Value{"c": str("2"), "d": str("1")})}),
			want: []translate.Change{
				{Path: `tags["a.b"]`, Before: "1"}, {Path: `tags["c"]`, Before: "1", After: "2"}, {
					Path: `tags["d"]`, After: "1",
				},
			},
		},
		"empty and null": {
			before: object(nil), after: object(map[string]cty.Value{"zones": cty.ListValEmpty(cty.String)}),
			want: []translate.Change{{Path: "zones", After: []any{}}},
		},
		"blocks in a list": {
			before: object(map[string]cty.Value{"list_block": cty.ListVal([]cty.Value{label("list_block", "a")})}),
			after:  object(map[string]cty.Value{"list_block": cty.ListVal([]cty.Value{label("list_block", "b"), label("list_block", "c")})}),
			want: []translate.Change{
				{Path: "listBlock[0].label", Before: "a", After: "b"}, {Path: "listBlock[1].label", After: "c"},
				{Path: "listBlock[1].token", AfterSensitive: true},
			},
		},
		"blocks in a set": {
			before: object(map[string]cty.Value{"set_block": cty.SetVal([]cty.Value{label("set_block", "a"), label("set_block", "b")})}),
			after:  object(map[string]cty.Value{"set_block": cty.SetVal([]cty.Value{label("set_block", "b"), label("set_block", "c")})}),
			want: []translate.Change{
				{Path: "setBlock[*]", Before: map[string]any{"label": "a"}}, {
					Path: "setBlock[*]", After: map[string]any{"label": "c"},
				},
			},
		},
		"blocks of anything": {
			before: object(map[string]cty.Value{"dynamic_block": cty.TupleVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"value": str("a")})})}),
			after: object(map[string]cty.Value{
				"dynamic_block": cty.TupleVal([]cty.Value{
					cty.ObjectVal(map[string]cty.Value{"value": cty.NumberIntVal(1)}),
				}),
			}),
			want: []translate.Change{{Path: "dynamicBlock[0].value", Before: "a", After: int64(1)}},
		},
		"unknown collection": {
			before: object(nil), after: object(map[string]cty.Value{"zones": cty.UnknownVal(cty.List(cty.String))}),
			want: []translate.Change{{Path: "zones", AfterUnknown: true}},
		},
		"long text": {
			before: object(nil), after: object(map[string]cty.Value{"name": str(strings.Repeat("ä", 400))}),
			want: []translate.Change{{Path: "name", After: strings.Repeat("ä", 256) + "…"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, translate.Changes(r, test.before, test.after)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
	t.Run("bounded", func(t *testing.T) {
		t.Parallel()
		got := translate.Changes(r, object(nil), object(map[string]cty.Value{"tags": cty.MapVal(many)}))
		if len(got) != 100 || got[98].Path != `tags["098"]` || got[99].After != "(51 more changes)" {
			t.Errorf("got %d, the last %+v", len(got), got[len(got)-2:])
		}
	})
}
