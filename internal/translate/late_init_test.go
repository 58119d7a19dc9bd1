package translate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

func TestLateInitialize(t *testing.T) {
	t.Parallel()
	chosen := func(ty cty.Type) *schema.Attribute {
		return &schema.Attribute{Type: ty, Optional: true, Computed: true}
	}
	b := &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"size": chosen(cty.Number), "zones": chosen(cty.List(cty.String)), "huge": chosen(cty.Number),
			"note":   {Type: cty.String, Optional: true},
			"result": {Type: cty.String, Computed: true},
			"token":  {Type: cty.String, Optional: true, Computed: true, Sensitive: true},
			"users": {
				Optional: true, Computed: true,
				Nested: &schema.NestedAttributes{Nesting: schema.NestingList, Attributes: map[string]*schema.Attribute{
					"password": {Type: cty.String, Optional: true, Sensitive: true},
				}},
			},
		},
		Blocks: map[string]*schema.NestedBlock{
			"disk": {Nesting: schema.NestingList, MaxItems: 1, Block: &schema.Block{Attributes: map[string]*schema.Attribute{
				"iops": chosen(cty.Number), "kind": chosen(cty.String),
			}}},
		},
	}
	r := resource(t, b, config.Resource{})
	user := cty.ObjectVal(map[string]cty.Value{"password": cty.StringVal("hunter2")})
	state := with(b, map[string]cty.Value{
		"size": cty.NumberIntVal(3), "zones": cty.ListVal([]cty.Value{cty.StringVal("a")}),
		"huge": cty.MustParseNumberVal("18446744073709551615"),
		"note": cty.StringVal("n"), "result": cty.StringVal("r"), "token": cty.StringVal("hunter2"), "users": cty.ListVal([]cty.Value{user}),
		"disk": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"iops": cty.NumberIntVal(9), "kind": cty.StringVal("ssd")})}),
	})
	tests := map[string]struct {
		forProvider, initProvider, want map[string]any
	}{
		"nothing given":      {want: map[string]any{"size": int64(3), "zones": []any{"a"}}},
		"given stays":        {forProvider: map[string]any{"size": int64(4), "zones": []any{}}},
		"initProvider stays": {forProvider: map[string]any{"zones": []any{}}, initProvider: map[string]any{"size": int64(4)}},
		"inside what was given": {
			forProvider: map[string]any{"size": int64(4), "zones": []any{}, "disk": map[string]any{"kind": "hdd"}},
			want: map[string]any{
				"size": int64(4), "zones": []any{}, "disk": map[string]any{"kind": "hdd", "iops": int64(9)},
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, changed := translate.LateInitialize(r, test.forProvider, test.initProvider, state)
			if changed != (test.want != nil) {
				t.Errorf("changed: %v", changed)
			}
			if test.want == nil {
				test.want = test.forProvider
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
