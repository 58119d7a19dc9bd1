package inference_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/inference"
	"github.com/landbridge-io/landbridge/schema"
)

func TestConfigurations(t *testing.T) {
	t.Parallel()
	s := &schema.Provider{
		Config: &schema.Block{},
		Resources: map[string]*schema.Resource{"cloud_thing": {Type: "cloud_thing", Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{
				"name": {Type: cty.String, Required: true}, "size": {Type: cty.Number, Optional: true}, "zones": {
					Type: cty.List(cty.String), Optional: true,
				},
				"token": {Type: cty.String, Optional: true, Sensitive: true}, "network": {Type: cty.String, Optional: true},
			},
			Blocks: map[string]*schema.NestedBlock{
				"rule": {
					Nesting: schema.NestingList, Block: &schema.Block{
						Attributes: map[string]*schema.Attribute{"port": {Type: cty.Number, Required: true}},
					},
				},
				"timeouts": {
					Nesting: schema.NestingSingle, Block: &schema.Block{
						Attributes: map[string]*schema.Attribute{"create": {Type: cty.String, Optional: true}},
					},
				},
			},
		}}},
	}
	page := func(content string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("```hcl\n" + content + "\n```\n")}
	}
	all := map[string]any{
		"name": "a", "size": 3.0, "zones": []any{"x", "y"}, "timeouts": map[string]any{"create": "5m"},
		"rule": []any{map[string]any{"port": 80.0}, map[string]any{"port": 443.0}},
	}
	const literal = `resource "cloud_thing" "a" {
  name  = "a"
  size  = "3"
  zones = ["x", "y"]
  rule { port = 80 }
  rule { port = 443 }
  timeouts { create = "5m" }
}`
	tests := map[string]struct {
		docs fstest.MapFS
		want []map[string]any
	}{
		"literals": {fstest.MapFS{"docs/resources/thing.md": page(literal)}, []map[string]any{all}},
		"others are left out": {
			fstest.MapFS{
				"docs/resources/thing.md": page("resource \"cloud_thing\" \"a\" {\n count = 2\n name = \"a\"\n " +
					"token = \"t\"\n network = cloud_network.a.id\n}"),
			},
			[]map[string]any{{"name": "a"}},
		},
		"its own page is first": {
			fstest.MapFS{
				"docs/index.md":           page(`resource "cloud_thing" "i" { name = "index" }`),
				"docs/resources/thing.md": page(`resource "cloud_thing" "a" { name = "page" }`),
			},
			[]map[string]any{{"name": "page"}, {"name": "index"}},
		},
		"complete ones are first": {
			fstest.MapFS{
				"docs/resources/thing.md": page("resource \"cloud_thing\" \"a\" { name = var.name }\nresource " +
					"\"cloud_thing\" \"b\" { name = \"b\" }"),
			},
			[]map[string]any{{"name": "b"}, {}},
		},
		"other types": {fstest.MapFS{"docs/resources/thing.md": page(`resource "other_thing" "a" { name = "a" }`)}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := inference.Configurations(s, test.docs)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got["cloud_thing"]); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
