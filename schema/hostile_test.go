package schema_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/landbridge-io/landbridge/schema"
)

// TestHostileSchemas checks that names which Terraform does not accept are refused, and shown
// without control characters.
func TestHostileSchemas(t *testing.T) {
	t.Parallel()
	attribute := func(name string) *tfprotov6.SchemaAttribute {
		return &tfprotov6.SchemaAttribute{Name: name, Type: tftypes.String, Optional: true}
	}
	block := func(b *tfprotov6.SchemaBlock) map[string]*tfprotov6.Schema {
		return map[string]*tfprotov6.Schema{"cloud_thing": {Block: b}}
	}
	for name, resources := range map[string]map[string]*tfprotov6.Schema{
		"type that is a path":          {"../../etc/passwd": {}},
		"type with control characters": {"cloud_\x1b[2Jthing": {}},
		"type without a name":          {"": {}},
		"type with a long name":        {"cloud_" + strings.Repeat("x", 1<<20): {}},
		"attribute that is a path":     block(&tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{attribute("../x")}}),
		"attribute with a line break":  block(&tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{attribute("a\nb")}}),
		"attribute with a long name": block(&tfprotov6.SchemaBlock{
			Attributes: []*tfprotov6.SchemaAttribute{attribute(strings.Repeat("x", 1<<20))},
		}),
		"nested attribute": block(&tfprotov6.SchemaBlock{
			Attributes: []*tfprotov6.SchemaAttribute{{Name: "a", Optional: true, NestedType: &tfprotov6.SchemaObject{
				Nesting: tfprotov6.SchemaObjectNestingModeList, Attributes: []*tfprotov6.SchemaAttribute{attribute("\x00")},
			}}},
		}),
		"block": block(&tfprotov6.SchemaBlock{BlockTypes: []*tfprotov6.SchemaNestedBlock{{
			TypeName: "a\rb", Nesting: tfprotov6.SchemaNestedBlockNestingModeList, Block: &tfprotov6.SchemaBlock{},
		}}}),
		"attribute of a block": block(&tfprotov6.SchemaBlock{BlockTypes: []*tfprotov6.SchemaNestedBlock{{
			TypeName: "a", Nesting: tfprotov6.SchemaNestedBlockNestingModeSet,
			Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{attribute("b c")}},
		}}}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := schema.FromProtocol(6, &tfprotov6.GetProviderSchemaResponse{
				Provider: &tfprotov6.Schema{}, ResourceSchemas: resources,
			}, nil, nil)
			text := diags.Errors().String()
			if !diags.HasErrors() || !strings.Contains(text, "which is a bug in the provider") {
				t.Fatalf("got %q", text)
			}
			if len(text) > 1000 || strings.ContainsAny(text, "\x00\x1b\r") {
				t.Errorf("it is shown as %.1100q", text)
			}
		})
	}
}
