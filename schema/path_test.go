package schema_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

func TestAttributeByPath(t *testing.T) {
	leaf := &schema.Attribute{Type: cty.String, Optional: true}
	open := &schema.Attribute{Type: cty.DynamicPseudoType, Optional: true}
	b := &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"plain": {Type: cty.Map(cty.String), Optional: true},
			"nested": {Optional: true, Nested: &schema.NestedAttributes{
				Nesting: schema.NestingMap, Attributes: map[string]*schema.Attribute{"leaf": leaf},
			}},
		},
		Blocks: map[string]*schema.NestedBlock{
			"list": {Nesting: schema.NestingList, Block: &schema.Block{Attributes: map[string]*schema.Attribute{"leaf": leaf}}},
			"map":  {Nesting: schema.NestingMap, Block: &schema.Block{Attributes: map[string]*schema.Attribute{"leaf": leaf}}},
			"open": {Nesting: schema.NestingMap, Block: &schema.Block{Attributes: map[string]*schema.Attribute{"leaf": leaf, "any": open}}},
		},
	}
	for name, test := range map[string]struct {
		path cty.Path
		want *schema.Attribute
	}{
		"an attribute":                           {cty.GetAttrPath("plain"), b.Attributes["plain"]},
		"inside a plain attribute":               {cty.GetAttrPath("plain").IndexString("k"), nil},
		"nested":                                 {cty.GetAttrPath("nested").IndexString("k").GetAttr("leaf"), leaf},
		"in a list of blocks":                    {cty.GetAttrPath("list").IndexInt(0).GetAttr("leaf"), leaf},
		"a block":                                {cty.GetAttrPath("list").IndexInt(0), nil},
		"in a map of blocks":                     {cty.GetAttrPath("map").IndexString("k").GetAttr("leaf"), leaf},
		"in blocks that are an object":           {cty.GetAttrPath("open").GetAttr("k").GetAttr("leaf"), leaf},
		"a block labelled as one of its own":     {cty.GetAttrPath("open").GetAttr("leaf"), nil},
		"in blocks that are an object, by index": {cty.GetAttrPath("open").IndexString("k").GetAttr("leaf"), leaf},
		"nothing":                                {cty.GetAttrPath("other"), nil},
		"the whole":                              {nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := b.AttributeByPath(test.path); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
