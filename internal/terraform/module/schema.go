package module

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/schema"
)

// outputAttribute returns the attribute of an output: its name, unless a variable has the same
// name.
func (d *Definition) outputAttribute(name string) string {
	if _, taken := d.Variables[name]; taken {
		return name + "_output"
	}
	return name
}

// Schema returns the module as a resource type: variables are arguments; outputs are computed, and
// of any type. The attribute of an output that has the name of a variable is NAME_output.
func (d *Definition) Schema(resourceType string) (*schema.Resource, diagnostic.Diagnostics) {
	b := &schema.Block{Attributes: map[string]*schema.Attribute{}}
	for name, v := range d.Variables {
		a := typed(v.Type)
		a.Required, a.Optional, a.Sensitive = !v.Default, v.Default, v.Sensitive
		a.Description.Text = v.Description
		a.Deprecated, a.DeprecationMessage = v.Deprecated != "", v.Deprecated
		b.Attributes[name] = a
	}
	for name, o := range d.Outputs {
		at := d.outputAttribute(name)
		if _, taken := b.Attributes[at]; taken {
			return nil, diagnostic.Errorf("Module cannot be used",
				"The attribute of the output %s would be %s, because there is a variable of the same name, but "+
					"there is another attribute %[2]s. Rename one of them.",
				name, at)
		}
		b.Attributes[at] = &schema.Attribute{
			Type: cty.DynamicPseudoType, Computed: true, Sensitive: o.Sensitive, Description: schema.Text{Text: o.Description},
		}
	}
	return &schema.Resource{Type: resourceType, Block: b}, nil
}

// typed returns an attribute of a type. Objects become nested attributes, since these can be
// optional. Collections whose elements may have different types are of any type; the module checks
// the values.
func typed(t cty.Type) *schema.Attribute {
	nested := func(n schema.Nesting, object cty.Type) *schema.Attribute {
		out := &schema.NestedAttributes{Nesting: n, Attributes: map[string]*schema.Attribute{}}
		for name, at := range object.AttributeTypes() {
			a := typed(at)
			a.Optional = object.AttributeOptional(name)
			a.Required = !a.Optional
			out.Attributes[name] = a
		}
		return &schema.Attribute{Nested: out}
	}
	switch {
	case t.IsObjectType() && len(t.AttributeTypes()) > 0:
		return nested(schema.NestingSingle, t)
	case t.IsPrimitiveType() || t.IsObjectType():
		return &schema.Attribute{Type: t}
	case t.HasDynamicTypes():
		return &schema.Attribute{Type: cty.DynamicPseudoType}
	case t.IsListType() && t.ElementType().IsObjectType():
		return nested(schema.NestingList, t.ElementType())
	case t.IsSetType() && t.ElementType().IsObjectType():
		return nested(schema.NestingSet, t.ElementType())
	case t.IsMapType() && t.ElementType().IsObjectType():
		return nested(schema.NestingMap, t.ElementType())
	default:
		return &schema.Attribute{Type: t.WithoutOptionalAttributesDeep()}
	}
}
