//lint:file-ignore SA1019 Providers of the legacy SDK still announce their type system, and types come as JSON.

package cloud

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/schema"
)

var blockNestings = map[schema.Nesting]tfprotov6.SchemaNestedBlockNestingMode{
	schema.NestingSingle: tfprotov6.SchemaNestedBlockNestingModeSingle,
	schema.NestingGroup:  tfprotov6.SchemaNestedBlockNestingModeGroup,
	schema.NestingList:   tfprotov6.SchemaNestedBlockNestingModeList,
	schema.NestingSet:    tfprotov6.SchemaNestedBlockNestingModeSet,
	schema.NestingMap:    tfprotov6.SchemaNestedBlockNestingModeMap,
}

var objectNestings = map[schema.Nesting]tfprotov6.SchemaObjectNestingMode{
	schema.NestingSingle: tfprotov6.SchemaObjectNestingModeSingle,
	schema.NestingList:   tfprotov6.SchemaObjectNestingModeList,
	schema.NestingSet:    tfprotov6.SchemaObjectNestingModeSet,
	schema.NestingMap:    tfprotov6.SchemaObjectNestingModeMap,
}

func protocolBlock(b *schema.Block) *tfprotov6.SchemaBlock {
	out := &tfprotov6.SchemaBlock{Attributes: protocolAttributes(b.Attributes)}
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		n := b.Blocks[name]
		out.BlockTypes = append(out.BlockTypes, &tfprotov6.SchemaNestedBlock{
			TypeName: name, Block: protocolBlock(n.Block), Nesting: blockNestings[n.Nesting], MinItems: n.MinItems, MaxItems: n.MaxItems,
		})
	}
	return out
}

func protocolAttributes(in map[string]*schema.Attribute) []*tfprotov6.SchemaAttribute {
	var out []*tfprotov6.SchemaAttribute
	for _, name := range slices.Sorted(maps.Keys(in)) {
		a := in[name]
		x := &tfprotov6.SchemaAttribute{
			Name: name, Required: a.Required, Optional: a.Optional, Computed: a.Computed, Sensitive: a.Sensitive, WriteOnly: a.WriteOnly,
		}
		if a.Nested != nil {
			x.NestedType = &tfprotov6.SchemaObject{Nesting: objectNestings[a.Nested.Nesting], Attributes: protocolAttributes(a.Nested.Attributes)}
		} else {
			x.Type = protocolType(a.Type)
		}
		out = append(out, x)
	}
	return out
}

func protocolType(t cty.Type) tftypes.Type {
	raw, err := ctyjson.MarshalType(t)
	if err != nil {
		panic(err)
	}
	out, err := tftypes.ParseJSONType(raw) //nolint:staticcheck // the wire form of a type is what is at hand
	if err != nil {
		panic(err)
	}
	return out
}

func protocolIdentity(i *schema.Identity) *tfprotov6.ResourceIdentitySchema {
	out := &tfprotov6.ResourceIdentitySchema{Version: i.Version}
	for _, name := range slices.Sorted(maps.Keys(i.Attributes)) {
		a := i.Attributes[name]
		out.IdentityAttributes = append(out.IdentityAttributes, &tfprotov6.ResourceIdentitySchemaAttribute{
			Name: name, Type: protocolType(a.Type), RequiredForImport: a.RequiredForImport, OptionalForImport: a.OptionalForImport,
		})
	}
	return out
}

func protocolPath(path cty.Path) *tftypes.AttributePath {
	out := tftypes.NewAttributePath()
	for _, step := range path {
		switch step := step.(type) {
		case cty.GetAttrStep:
			out = out.WithAttributeName(step.Name)
		case cty.IndexStep:
			if step.Key.Type() == cty.String {
				out = out.WithElementKeyString(step.Key.AsString())
				continue
			}
			i, _ := step.Key.AsBigFloat().Int64()
			out = out.WithElementKeyInt(int(i))
		}
	}
	return out
}
