package translate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/translate"
)

// What a state says to be sensitive, and its schema does not, is shown nowhere.
func TestConcealed(t *testing.T) {
	t.Parallel()
	r := thing(t)
	state := with(r.Schema.Block, map[string]cty.Value{
		"name": cty.StringVal("hunter2"), "size": cty.NumberIntVal(1),
		"tags": cty.MapVal(map[string]cty.Value{"a": cty.StringVal("hunter2"), "b": cty.StringVal("x")}),
		"list_block": cty.ListVal([]cty.Value{
			with(r.Schema.Block.Blocks["list_block"].Block, map[string]cty.Value{"label": cty.StringVal("hunter2")}),
		}),
	})
	after := with(r.Schema.Block, map[string]cty.Value{"name": cty.StringVal("hunter3"), "size": cty.NumberIntVal(2)})
	for name, x := range map[string]struct {
		sensitive []cty.Path
		concealed []cty.Path
		hidden    []string // fields of the observation
		changes   []translate.Change
	}{
		"nothing": {
			changes: []translate.Change{
				{Path: "listBlock[0].label", Before: "hunter2"}, {Path: "name", Before: "hunter2", After: "hunter3"},
				{Path: "size", Before: int64(1), After: int64(2)}, {Path: `tags["a"]`, Before: "hunter2"}, {Path: `tags["b"]`, Before: "x"},
			},
		},
		"attributes": {
			sensitive: []cty.Path{
				cty.GetAttrPath("name"), cty.GetAttrPath("tags").IndexString("a"),
				cty.GetAttrPath("list_block").IndexInt(0).GetAttr("label"),
			},
			concealed: []cty.Path{cty.GetAttrPath("name"), cty.GetAttrPath("tags"), cty.GetAttrPath("list_block").IndexInt(0).GetAttr("label")},
			hidden:    []string{"name", "tags"},
			changes: []translate.Change{
				{Path: "listBlock[0].label", BeforeSensitive: true}, {Path: "name", BeforeSensitive: true, AfterSensitive: true},
				{Path: "size", Before: int64(1), After: int64(2)}, {Path: "tags", BeforeSensitive: true},
			},
		},
		"a block": {
			sensitive: []cty.Path{cty.GetAttrPath("list_block")},
			concealed: []cty.Path{cty.GetAttrPath("list_block")},
			hidden:    []string{"listBlock"},
			changes: []translate.Change{
				{Path: "listBlock", BeforeSensitive: true, AfterSensitive: true}, {Path: "name", Before: "hunter2", After: "hunter3"},
				{Path: "size", Before: int64(1), After: int64(2)}, {Path: `tags["a"]`, Before: "hunter2"}, {Path: `tags["b"]`, Before: "x"},
			},
		},
		"what the schema makes so, and all": {
			sensitive: []cty.Path{cty.GetAttrPath("password"), {}},
			changes: []translate.Change{
				{Path: "listBlock[0].label", Before: "hunter2"}, {Path: "name", Before: "hunter2", After: "hunter3"},
				{Path: "size", Before: int64(1), After: int64(2)}, {Path: `tags["a"]`, Before: "hunter2"}, {Path: `tags["b"]`, Before: "x"},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			concealed := translate.Concealed(r, x.sensitive)
			if diff := cmp.Diff(x.concealed, concealed, cmp.Comparer(cty.Path.Equals)); diff != "" {
				t.Errorf("paths: -want +got:\n%s", diff)
			}
			if diff := cmp.Diff(x.changes, translate.Changes(r, state, after, concealed...)); diff != "" {
				t.Errorf("changes: -want +got:\n%s", diff)
			}
			want, got := translate.Observation(r, state), translate.Observation(r, state, concealed...)
			for _, f := range x.hidden {
				delete(want, f)
			}
			if len(x.hidden) == 2 {
				delete(want["listBlock"].([]any)[0].(map[string]any), "label")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("observation: -want +got:\n%s", diff)
			}
		})
	}
}
