package crd_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// Descriptions are such that the comment of a Go field can be the same.
func TestDescriptions(t *testing.T) {
	tests := map[string]struct{ in, want string }{
		"as it is":       {in: "A thing.\n\n* one\n  * two", want: "A thing.\n\n* one\n  * two"},
		"blanks":         {in: "\n\nA thing. \t\n\n\n\nof two\r\n", want: "A thing.\n\nof two"},
		"list":           {in: "+ one\n  + two", want: "- one\n  - two"},
		"marker":         {in: "+kubebuilder:validation:MaxLength=3", want: `\+kubebuilder:validation:MaxLength=3`},
		"left out":       {in: "A\n---\nTODO b", want: "A\n ---\n TODO b"},
		"not printable":  {in: "\ufeffa\x00b\x1b", want: "ab"},
		"not UTF-8":      {in: "a\xffb", want: "a\uFFFDb"},
		"nothing really": {in: " \n\t\r\n", want: ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := provider(t, "cloud", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{
				"cloud_thing": {Type: "cloud_thing", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
					"field": {Type: cty.String, Optional: true, Description: schema.Text{Text: test.in}},
				}}},
			}})
			d := definition(t, p.Resources["cloud_thing"])
			got := d.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"].Properties["forProvider"].Properties["field"].Description
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
