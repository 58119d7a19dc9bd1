package translate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// Lists in both are merged as by Upjet: elements by their index. What is not merged is told.
func TestInitProviderLists(t *testing.T) {
	t.Parallel()
	scaling := &schema.Block{Attributes: map[string]*schema.Attribute{
		"min": {Type: cty.Number, Required: true}, "desired": {Type: cty.Number, Optional: true},
	}}
	outer := &schema.Block{Blocks: map[string]*schema.NestedBlock{"scaling": {Nesting: schema.NestingList, Block: scaling}}}
	b := &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"zones": {Type: cty.List(cty.String), Optional: true}, "groups": {Type: cty.Set(cty.String), Optional: true},
			"labels":   {Type: cty.List(cty.Map(cty.String)), Optional: true},
			"anything": {Type: cty.DynamicPseudoType, Optional: true},
		},
		Blocks: map[string]*schema.NestedBlock{
			"scaling": {Nesting: schema.NestingList, Block: scaling}, "outer": {Nesting: schema.NestingList, Block: outer},
			"one": {Nesting: schema.NestingList, Block: scaling, MaxItems: 1}, "one_set": {Nesting: schema.NestingSet, Block: scaling, MaxItems: 1},
			"many": {Nesting: schema.NestingSet, Block: scaling},
		},
	}
	r := resource(t, b, config.Resource{})
	type (
		m = map[string]any
		l = []any
	)
	number := cty.NumberIntVal
	scale := func(min, desired cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"min": min, "desired": desired})
	}
	null := cty.NullVal(cty.Number)
	const list = "spec.forProvider has only 1 of the 2 elements of the list. Lists are merged by index, so add the others there."
	const precedence = "spec.forProvider has it, too, and takes precedence: sets, and lists of single values, are " +
		"not merged. Remove it from spec.initProvider."
	warning := func(path, text string) string { return path + ": Part of initProvider has no effect: " + text }
	tests := map[string]struct {
		over, under m
		want        map[string]cty.Value
		initOnly    []string
		warnings    []string
	}{
		"by index": {
			over:  m{"scaling": l{m{"min": int64(1)}, m{"min": int64(2)}}},
			under: m{"scaling": l{m{"desired": int64(3), "min": int64(9)}}},
			want: map[string]cty.Value{"scaling": cty.ListVal([]cty.Value{
				scale(number(1), number(3)), scale(number(2), null),
			})},
			initOnly: []string{"scaling[0].desired"},
		},
		"more elements": {
			over:     m{"scaling": l{m{"min": int64(1)}}},
			under:    m{"scaling": l{m{}, m{"desired": int64(3)}}},
			want:     map[string]cty.Value{"scaling": cty.ListVal([]cty.Value{scale(number(1), null)})},
			warnings: []string{warning("spec.forProvider.scaling", list)},
		},
		"in each other": {
			over:  m{"outer": l{m{"scaling": l{m{"min": int64(1)}}}}},
			under: m{"outer": l{m{"scaling": l{m{"desired": int64(3)}}}}},
			want: map[string]cty.Value{"outer": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{
				"scaling": cty.ListVal([]cty.Value{scale(number(1), number(3))}),
			})})},
			initOnly: []string{"outer[0].scaling[0].desired"},
		},
		"lists of maps": {
			over: m{"labels": l{m{"a": "1"}}}, under: m{"labels": l{m{"a": "2", "b": "2"}}},
			want: map[string]cty.Value{
				"labels": cty.ListVal([]cty.Value{
					cty.MapVal(map[string]cty.Value{"a": cty.StringVal("1"), "b": cty.StringVal("2")}),
				}),
			},
			initOnly: []string{`labels[0]["b"]`},
		},
		"singletons": {
			over:  m{"one": m{"min": int64(1)}, "oneSet": m{"min": int64(1)}},
			under: m{"one": m{"desired": int64(3)}, "oneSet": m{"desired": int64(3)}},
			want: map[string]cty.Value{
				"one":     cty.ListVal([]cty.Value{scale(number(1), number(3))}),
				"one_set": cty.SetVal([]cty.Value{scale(number(1), number(3))}),
			},
			initOnly: []string{"one[0].desired"},
		},
		"not merged": {
			over:  m{"zones": l{"a"}, "groups": l{"a"}, "many": l{m{"min": int64(1)}}, "anything": m{"a": "1"}},
			under: m{"zones": l{"b"}, "groups": l{"b"}, "many": l{m{"desired": int64(1)}}, "anything": m{"b": "1"}},
			want: map[string]cty.Value{
				"zones": cty.ListVal([]cty.Value{cty.StringVal("a")}), "groups": cty.SetVal([]cty.Value{cty.StringVal("a")}),
				"many": cty.SetVal([]cty.Value{scale(number(1), null)}), "anything": cty.ObjectVal(map[string]cty.Value{"a": cty.StringVal("1")}),
			},
			warnings: []string{
				warning("spec.forProvider.anything", precedence), warning("spec.forProvider.groups", precedence),
				warning("spec.forProvider.many", precedence), warning("spec.forProvider.zones", precedence),
			},
		},
		"the same": {
			over: m{"zones": l{"a"}}, under: m{"zones": l{"a"}},
			want: map[string]cty.Value{"zones": cty.ListVal([]cty.Value{cty.StringVal("a")})},
		},
		"only in one": {
			over: m{"zones": nil}, under: m{"zones": l{"a"}},
			want:     map[string]cty.Value{"zones": cty.ListVal([]cty.Value{cty.StringVal("a")})},
			initOnly: []string{"zones"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, diags := translate.Config(r, test.over, test.under, nil)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if want := with(b, test.want); !got.Value.RawEquals(want) {
				t.Errorf("got %#v\nwant %#v", got.Value, want)
			}
			var warnings, initOnly []string
			for _, x := range diags {
				warnings = append(warnings, translate.Message(r, diagnostic.Diagnostics{x}))
			}
			if diff := cmp.Diff(test.warnings, warnings); diff != "" {
				t.Errorf("warnings: -want, +got:\n%s", diff)
			}
			for _, p := range translate.InitOnly(r, test.over, test.under) {
				initOnly = append(initOnly, diagnostic.FormatPath(p))
			}
			if diff := cmp.Diff(test.initOnly, initOnly); diff != "" {
				t.Errorf("only at creation: -want, +got:\n%s", diff)
			}
		})
	}
}

func TestInitOnly(t *testing.T) {
	t.Parallel()
	r := thing(t)
	got := translate.InitOnly(r,
		map[string]any{
			"name": "x", "tags": map[string]any{"a": "1"}, "singletonList": map[string]any{"label": "a"},
			"singletonSet": map[string]any{}, "zones": []any{"a"},
			"groupBlock": map[string]any{"deep": map[string]any{}}, "old": nil,
		},
		map[string]any{
			"name": "y", "size": int64(1), "tags": map[string]any{"a": "2", "b": "2"},
			"singletonList": map[string]any{"label": "b", "maxAgeDays": int64(1)},
			"singletonSet":  map[string]any{"label": "b"}, "zones": []any{"b"}, "passwordSecretRef": ref("text"),
			"groupBlock": map[string]any{"deep": map[string]any{"label": "x"}}, "old": "o", "vpcId": nil,
		},
	)
	var paths []string
	for _, p := range got {
		paths = append(paths, diagnostic.FormatPath(p))
	}
	want := []string{"group_block.deep[0].label", "old", "password", "singleton_list[0].max_age_days", "size", `tags["b"]`}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
