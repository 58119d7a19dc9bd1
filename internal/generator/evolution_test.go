package generator_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/generator"
	"github.com/landbridge-io/landbridge/schema"
)

// What was generated before is compared with what is generated now; the configuration can keep it
// as it was.
func TestCompare(t *testing.T) {
	t.Parallel()
	cloud := func(attributes map[string]*schema.Attribute) *schema.Provider {
		attributes["name"] = &schema.Attribute{Type: cty.String, Required: true}
		return &schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{
			"cloud_volume": {Type: "cloud_volume", Block: &schema.Block{Attributes: attributes}},
		}}
	}
	before := func() *schema.Provider {
		return cloud(map[string]*schema.Attribute{"size": {Type: cty.Number, Optional: true}, "public": {Type: cty.Bool, Optional: true}})
	}
	after := func() *schema.Provider {
		return cloud(map[string]*schema.Attribute{
			"size_gib": {Type: cty.Number, Optional: true}, "public": {Type: cty.String, Optional: true},
			"zone": {Type: cty.String, Optional: true},
		})
	}
	tests := map[string]struct {
		new    *schema.Provider
		fields map[string]config.Field
		want   []string
		refuse bool
	}{
		"nothing": {new: before()},
		"changed": {
			new: after(),
			want: []string{
				`NewVersion ~ spec.forProvider.public: type changed, boolean -> string (true becomes "true")`,
				"NewVersion - spec.forProvider.size: field removed, number (it no longer has an effect)",
				"InPlace + spec.forProvider.sizeGib: field added, number",
				"InPlace + spec.forProvider.zone: field added, string",
			},
			refuse: true,
		},
		"kept as it was": {
			new: after(), fields: map[string]config.Field{"size_gib": {Name: "size"}, "public": {Type: config.FieldBoolean}},
			want: []string{"InPlace + spec.forProvider.zone: field added, string"},
		},
		"without the type": {
			new:    &schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{}},
			want:   []string{"ByHand - resource type removed (the provider no longer manages its objects)"},
			refuse: true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			old := output(t, provide(t, "cloud", before(), config.Provider{}))
			if r, err := generator.Compare(dir, old.Files); err != nil || len(r.Changes) > 0 {
				t.Fatalf("%v, %v", r, err)
			}
			if _, err := generator.Write(dir, old.Files); err != nil {
				t.Fatal(err)
			}
			// What was not generated is left alone.
			if err := os.WriteFile(filepath.Join(dir, "package/crds/mine.yaml"), []byte("{"), 0o644); err != nil {
				t.Fatal(err)
			}
			c := config.Provider{}
			if test.fields != nil {
				c.Resources = map[string]config.Resource{"cloud_volume": {Fields: test.fields}}
			}
			report, err := generator.Compare(dir, output(t, provide(t, "cloud", test.new, c)).Files)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range report.Changes {
				got = append(got, string(c.Verdict)+" "+c.String())
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			err = generator.Refuse(report, "say please")
			if (err != nil) != test.refuse || err != nil &&
				(!strings.HasSuffix(err.Error(), "say please") || strings.Contains(err.Error(), "zone")) {
				t.Errorf("refused: %v", err)
			}
		})
	}
}
