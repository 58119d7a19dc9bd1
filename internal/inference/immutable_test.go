package inference_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/inference"
	"github.com/landbridge-io/landbridge/schema"
)

// Documentation says which arguments force a new resource; what it says of arguments inside blocks
// is not taken for others.
func TestImmutable(t *testing.T) {
	page := strings.Join([]string{
		"# cloud_server", "", "```hcl", "resource \"cloud_server\" \"s\" {}", "```", "",
		"## Argument Reference", "", "The following arguments are supported:", "",
		"* `name` - (Required) The name. Changing this forces a new resource to be created.", "",
		"* `size` - (Optional) The size.", "",
		"* `zone` - (Optional) The zone,", "  where it is. Changing this forces a new resource", "  to be created.", "",
		"* `tags` - (Optional) Tags. Changing this forces a new resource to be created.", "",
		"* `kept` - (Optional) Changing this forces a new resource to be created.", "",
		"---", "", "A `disk` block supports the following:", "",
		"* `label` - (Required) Changing this forces a new resource to be created.", "",
		"## Attributes Reference", "", "* `seen` - Changing this forces a new resource to be created.",
	}, "\n")
	no := false
	for name, test := range map[string]struct {
		file   string
		config config.Resource
		want   []string
	}{
		"permitted": {
			"docs/resources/server.md",
			config.Resource{InferImmutable: true, Fields: map[string]config.Field{"kept": {Immutable: &no}}},
			[]string{"name", "zone"},
		},
		"older folders": {"website/docs/r/server.html.markdown", config.Resource{InferImmutable: true}, []string{"kept", "name", "zone"}},
		"not permitted": {"docs/resources/server.md", config.Resource{}, nil},
		"a data source": {"docs/data-sources/server.md", config.Resource{InferImmutable: true}, nil},
		"another type":  {"docs/resources/disk.md", config.Resource{InferImmutable: true}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := &schema.Attribute{Type: cty.String, Optional: true}
			s := &schema.Provider{
				Config: &schema.Block{},
				Resources: map[string]*schema.Resource{
					"cloud_server": {
						Type: "cloud_server", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
							"name": text, "size": text, "zone": text, "label": text, "kept": text, "seen": {
								Type: cty.String, Optional: true, Computed: true,
							}, "tags": {Type: cty.Map(cty.String), Optional: true},
						}},
					},
				},
			}
			p, _, err := inference.Provider("cloud", s, config.Provider{
				Resources: map[string]config.Resource{"cloud_server": test.config},
			}, nil, fstest.MapFS{test.file: {Data: []byte(page)}})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range p.Resources["cloud_server"].Root().Object.All {
				if f.Immutable {
					got = append(got, f.Name)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
