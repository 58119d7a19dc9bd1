package schema_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// Identities have primitive attributes and lists of them, each either required or optional for an
// import.
func TestIdentityFromProtocol(t *testing.T) {
	t.Parallel()
	const either = "exactly one of required_for_import and optional_for_import"
	list := func(t tftypes.Type) tftypes.Type { return tftypes.List{ElementType: t} }
	for name, test := range map[string]struct {
		typ                tftypes.Type
		required, optional bool
		want               cty.Type
		err                string
	}{
		"required":         {typ: tftypes.String, required: true, want: cty.String},
		"optional":         {typ: tftypes.String, optional: true, want: cty.String},
		"neither":          {typ: tftypes.String, err: either},
		"both":             {typ: tftypes.String, required: true, optional: true, err: either},
		"a number":         {typ: tftypes.Number, required: true, want: cty.Number},
		"a boolean":        {typ: tftypes.Bool, required: true, want: cty.Bool},
		"strings":          {typ: list(tftypes.String), required: true, want: cty.List(cty.String)},
		"numbers":          {typ: list(tftypes.Number), required: true, want: cty.List(cty.Number)},
		"booleans":         {typ: list(tftypes.Bool), required: true, want: cty.List(cty.Bool)},
		"lists of strings": {typ: list(list(tftypes.String)), required: true, err: "only primitive types and lists of them"},
		"a map":            {typ: tftypes.Map{ElementType: tftypes.String}, required: true, err: "only primitive types and lists of them"},
		"a set":            {typ: tftypes.Set{ElementType: tftypes.String}, required: true, err: "only primitive types and lists of them"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, diags := schema.FromProtocol(6, &tfprotov6.GetProviderSchemaResponse{
				Provider: &tfprotov6.Schema{}, ResourceSchemas: map[string]*tfprotov6.Schema{"cloud_thing": {Block: &tfprotov6.SchemaBlock{}}},
			}, &tfprotov6.GetResourceIdentitySchemasResponse{IdentitySchemas: map[string]*tfprotov6.ResourceIdentitySchema{"cloud_thing": {
				IdentityAttributes: []*tfprotov6.ResourceIdentitySchemaAttribute{{
					Name: "x", Type: test.typ, RequiredForImport: test.required, OptionalForImport: test.optional,
				}},
			}}}, nil)
			if test.err != "" {
				if text := diags.Errors().String(); !strings.Contains(text, test.err) {
					t.Errorf("got %q, want %q", text, test.err)
				}
				return
			}
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			got := p.Resources["cloud_thing"].Identity.Attributes["x"]
			if !got.Type.Equals(test.want) || got.RequiredForImport != test.required || got.OptionalForImport != test.optional {
				t.Errorf("got %#v", got)
			}
		})
	}
}
