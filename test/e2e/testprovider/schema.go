package main

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

var attributes = map[string]tfprotov6.SchemaAttribute{
	"id":           {Computed: true},
	"name":         {Required: true},
	"value":        {Optional: true},
	"display_name": {Optional: true},
	"password":     {Optional: true, Sensitive: true},
	"token":        {Computed: true, Sensitive: true},
}

var ruleType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"port_range": tftypes.String}}

var (
	configType   = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"endpoint": tftypes.String, "token": tftypes.String}}
	loginType    = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"endpoint": tftypes.String, "token_file": tftypes.String}}
	identityType = tftypes.Object{AttributeTypes: map[string]tftypes.Type{"name": tftypes.String}}
)

// names returns the string attributes of a resource. Version 2 has one more.
func (s *server) names() []string {
	out := slices.Collect(maps.Keys(attributes))
	if s.second {
		out = append(out, "label")
	}
	slices.Sort(out)
	return out
}

func (s *server) resourceType() tftypes.Object {
	out := tftypes.Object{AttributeTypes: map[string]tftypes.Type{"rule": tftypes.List{ElementType: ruleType}}}
	for _, name := range s.names() {
		out.AttributeTypes[name] = tftypes.String
	}
	return out
}

func (s *server) resourceSchema() *tfprotov6.Schema {
	block := &tfprotov6.SchemaBlock{BlockTypes: []*tfprotov6.SchemaNestedBlock{{
		TypeName: "rule", Nesting: tfprotov6.SchemaNestedBlockNestingModeList,
		Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{{Name: "port_range", Type: tftypes.String, Required: true}}},
	}}}
	for _, name := range s.names() {
		a, ok := attributes[name]
		if !ok {
			a.Optional = true
		}
		a.Name, a.Type = name, tftypes.String
		block.Attributes = append(block.Attributes, &a)
	}
	version := int64(1)
	if s.second {
		version = 2
	}
	return &tfprotov6.Schema{Version: version, Block: block}
}

func (s *server) configSchema() *tfprotov6.Schema {
	if !s.configurable {
		return &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}}
	}
	if s.login {
		return &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
			{Name: "endpoint", Type: tftypes.String, Required: true},
			{Name: "token_file", Type: tftypes.String, Optional: true},
		}}}
	}
	return &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{Attributes: []*tfprotov6.SchemaAttribute{
		{Name: "endpoint", Type: tftypes.String, Optional: true},
		{Name: "token", Type: tftypes.String, Required: true, Sensitive: true},
	}}}
}
