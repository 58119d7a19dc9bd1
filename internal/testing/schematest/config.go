package schematest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/schema"
)

// Config draws a configuration of a resource type with a block: renamed and retyped fields,
// sensitive fields, and fields that are left out.
func Config(t *rapid.T, b *schema.Block) config.Resource {
	c := configurer{t: t, out: config.Resource{Fields: map[string]config.Field{}}}
	c.block(b, "")
	return c.out
}

// Configured returns a configuration of Everything that presents fields in every possible way.
func Configured() config.Provider {
	return config.Provider{Resources: map[string]config.Resource{"everything_thing": {
		Description: "A thing, configured.",
		Omit:        []string{"old", "endpoint.port"},
		Fields: map[string]config.Field{
			"name":                       {Name: "title", Description: "What it is called."},
			"size":                       {Type: config.FieldInteger, Immutable: ptr.To(true)},
			"enabled":                    {Type: config.FieldString},
			"result":                     {Type: config.FieldNumber},
			"vpc_id":                     {Type: config.FieldJSON},
			"vpcId":                      {Type: config.FieldBoolean, Name: "hasVpc"},
			"zones":                      {Sensitive: true},
			"list_block":                 {Name: "rules", Description: "Rules."},
			"list_block.max_age_days":    {Name: "days", Type: config.FieldString},
			"map_attribute.label":        {Sensitive: true},
			"singleton_list.deep.label":  {Type: config.FieldInteger},
			"endpoint.host_name":         {Name: "host"},
			"secret_secret_ref":          {Value: "{{ .metadata.name }}"},
			"single_attribute.seen_at":   {Name: "observed"},
			"set_attribute.max_age_days": {Type: config.FieldInteger},
		},
		Add: map[string]config.AddedField{
			"stage": {Required: true, Description: "What it is for."}, "count": {Type: config.FieldInteger}, "ratio": {Type: config.FieldNumber},
			"strict": {Type: config.FieldBoolean}, "notes": {Type: config.FieldJSON},
			"labels": {Type: config.FieldMap}, "hosts": {Type: config.FieldList},
		},
		ExternalName: &config.ExternalName{Argument: "namespace"},
	}}}
}

type configurer struct {
	t   *rapid.T
	out config.Resource
}

func (c *configurer) block(b *schema.Block, at string) {
	c.attributes(b.Attributes, at)
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		nb := b.Blocks[name]
		c.field(at+name, cty.DynamicPseudoType, false, nb.MinItems > 0)
		c.block(nb.Block, at+name+".")
	}
}

func (c *configurer) attributes(attributes map[string]*schema.Attribute, at string) {
	for _, name := range slices.Sorted(maps.Keys(attributes)) {
		a := attributes[name]
		c.field(at+name, a.ImpliedType(), true, a.Required)
		if a.Nested != nil {
			c.attributes(a.Nested.Attributes, at+name+".")
		}
	}
}

var presentations = map[cty.Type][]config.FieldType{
	cty.Number: {config.FieldNumber, config.FieldString, config.FieldInteger},
	cty.Bool:   {config.FieldBoolean, config.FieldString},
	cty.String: {config.FieldString, config.FieldNumber, config.FieldInteger, config.FieldBoolean, config.FieldJSON},
}

func (c *configurer) field(path string, ty cty.Type, attribute, required bool) {
	var f config.Field
	one := func(of int, what string) bool { return rapid.IntRange(0, of-1).Draw(c.t, what) == 0 }
	if !required && one(8, "omit") {
		c.out.Omit = append(c.out.Omit, path)
		return
	}
	if one(2, "rename") {
		f.Name = fmt.Sprintf("renamed%d", len(c.out.Fields))
	}
	if ty.IsPrimitiveType() && one(2, "retype") {
		f.Type = rapid.SampledFrom(presentations[ty]).Draw(c.t, "as")
	}
	f.Sensitive = attribute && one(6, "conceal")
	if f.Name != "" || f.Type != "" || f.Sensitive {
		c.out.Fields[path] = f
	}
}
