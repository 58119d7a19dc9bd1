package schematest

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// Everything returns the schema of a provider with two resource types: everything_thing has every
// shape a schema can have, and everything_plain almost nothing.
func Everything() *schema.Provider {
	object := cty.Object(map[string]cty.Type{"host_name": cty.String, "port": cty.Number})
	leaf := func() map[string]*schema.Attribute {
		return map[string]*schema.Attribute{
			"max_age_days": {Type: cty.Number, Required: true},
			"label":        {Type: cty.String, Optional: true},
			"token":        {Type: cty.String, Optional: true, Sensitive: true},
			"seen_at":      {Type: cty.String, Computed: true},
		}
	}
	nested := func(n schema.Nesting) *schema.Attribute {
		return &schema.Attribute{Optional: true, Nested: &schema.NestedAttributes{Nesting: n, Attributes: leaf()}}
	}
	block := func(n schema.Nesting, most int64) *schema.NestedBlock {
		return &schema.NestedBlock{Nesting: n, MaxItems: most, Block: &schema.Block{
			Attributes: leaf(),
			Blocks: map[string]*schema.NestedBlock{
				"deep": {Nesting: schema.NestingList, MaxItems: 1, Block: &schema.Block{Attributes: leaf()}},
			},
		}}
	}
	thing := &schema.Block{
		Description: schema.Text{Text: "A thing of every shape."},
		Attributes: map[string]*schema.Attribute{
			"id":               {Type: cty.String, Optional: true, Computed: true},
			"name":             {Type: cty.String, Required: true, Description: schema.Text{Text: "The name."}},
			"namespace":        {Type: cty.String, Required: true},
			"size":             {Type: cty.Number, Optional: true},
			"enabled":          {Type: cty.Bool, Optional: true, Computed: true},
			"result":           {Type: cty.String, Computed: true},
			"password":         {Type: cty.String, Required: true, Sensitive: true},
			"pin":              {Type: cty.Number, Optional: true, Sensitive: true},
			"password_wo":      {Type: cty.String, Optional: true, WriteOnly: true},
			"settings":         {Type: cty.Map(cty.String), Optional: true, Sensitive: true},
			"generated":        {Type: cty.String, Computed: true, Sensitive: true},
			"old":              {Type: cty.String, Optional: true, Deprecated: true, DeprecationMessage: "Use name."},
			"tags":             {Type: cty.Map(cty.String), Optional: true},
			"zones":            {Type: cty.List(cty.String), Optional: true},
			"groups":           {Type: cty.Set(cty.String), Optional: true},
			"anything":         {Type: cty.DynamicPseudoType, Optional: true},
			"pair":             {Type: cty.Tuple([]cty.Type{cty.String, cty.Number}), Optional: true},
			"endpoint":         {Type: object, Optional: true},
			"endpoints":        {Type: cty.List(object), Optional: true},
			"named_endpoints":  {Type: cty.Map(object), Optional: true},
			"single_attribute": nested(schema.NestingSingle),
			"list_attribute":   nested(schema.NestingList),
			"set_attribute":    nested(schema.NestingSet),
			"map_attribute":    nested(schema.NestingMap),
			"secret_attribute": {
				Optional: true, Sensitive: true,
				Nested: &schema.NestedAttributes{Nesting: schema.NestingSingle, Attributes: leaf()},
			},
			"vpc_id":            {Type: cty.String, Optional: true},
			"vpcId":             {Type: cty.String, Optional: true},
			"secret":            {Type: cty.String, Optional: true, Sensitive: true},
			"secret_secret_ref": {Type: cty.String, Optional: true},
		},
		Blocks: map[string]*schema.NestedBlock{
			"single_block":   block(schema.NestingSingle, 0),
			"group_block":    block(schema.NestingGroup, 0),
			"list_block":     block(schema.NestingList, 0),
			"set_block":      block(schema.NestingSet, 0),
			"map_block":      block(schema.NestingMap, 0),
			"singleton_list": block(schema.NestingList, 1),
			"singleton_set":  block(schema.NestingSet, 1),
			"some_block":     {Nesting: schema.NestingList, MinItems: 1, MaxItems: 3, Block: &schema.Block{Attributes: leaf()}},
			"dynamic_block": {Nesting: schema.NestingList, Block: &schema.Block{Attributes: map[string]*schema.Attribute{
				"value": {Type: cty.DynamicPseudoType, Optional: true},
			}}},
		},
	}
	return &schema.Provider{
		Protocol: 6,
		Config: &schema.Block{
			Attributes: map[string]*schema.Attribute{
				"endpoint":  {Type: cty.String, Required: true, Description: schema.Text{Text: "Where the API is."}},
				"api_token": {Type: cty.String, Optional: true, Sensitive: true},
			},
			Blocks: map[string]*schema.NestedBlock{
				"retry": {Nesting: schema.NestingList, MaxItems: 1, Block: &schema.Block{Attributes: map[string]*schema.Attribute{
					"max_attempts": {Type: cty.Number, Required: true},
				}}},
			},
		},
		Resources: map[string]*schema.Resource{
			"everything_thing": {
				Type: "everything_thing", Version: 3, Block: thing,
				Identity: &schema.Identity{Version: 1, Attributes: map[string]*schema.IdentityAttribute{
					"account_id": {Type: cty.String, RequiredForImport: true, Description: "The account."},
					"number":     {Type: cty.Number, RequiredForImport: true},
					"region":     {Type: cty.String, OptionalForImport: true},
					"path":       {Type: cty.List(cty.String), OptionalForImport: true},
				}},
			},
			"everything_plain": {Type: "everything_plain", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
				"id": {Type: cty.String, Computed: true},
			}}},
		},
	}
}
