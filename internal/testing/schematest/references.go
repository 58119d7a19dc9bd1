package schematest

import (
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/schema"
)

// References returns a configuration of Everything with references of every kind in every place.
func References() config.Provider {
	plain := []config.Target{{Type: "everything_plain"}}
	either := []config.Target{
		{Type: "everything_plain"}, {Type: "everything_thing", Attribute: "singleton_list.seen_at"}, {
			APIVersion: "example.org/v1", Kind: "VPC",
		},
	}
	return config.Provider{Resources: map[string]config.Resource{"everything_thing": {References: map[string]config.Reference{
		"name":                        {Targets: plain},
		"zones":                       {Targets: []config.Target{{Type: "everything_thing", Attribute: "result"}}},
		"groups":                      {Targets: either, RefField: "clubs", SelectorField: "clubSelector"},
		"vpcId":                       {Targets: either},
		"named_endpoints.port":        {Targets: plain},
		"map_attribute.label":         {Targets: plain},
		"list_block.max_age_days":     {Targets: plain},
		"list_block.deep.label":       {Targets: either},
		"some_block.max_age_days":     {Targets: plain},
		"singleton_set.max_age_days":  {Targets: plain},
		"single_block.deep.label":     {Targets: []config.Target{{Type: "everything_plain", Extract: func(map[string]any) any { return nil }}}},
		"set_attribute.max_age_days":  {Targets: plain},
		"list_attribute.max_age_days": {None: true},
	}}}}
}

// ReferencesEverywhere returns a configuration of a provider in which every field that can refer to
// another resource does, to one of its own type.
func ReferencesEverywhere(s *schema.Provider) config.Provider {
	out := config.Provider{Resources: map[string]config.Resource{}}
	for t, r := range s.Resources {
		e := everywhere{to: []config.Target{{Type: t}}, found: map[string]config.Reference{}}
		e.block("", r.Block)
		out.Resources[t] = config.Resource{References: e.found}
	}
	return out
}

type everywhere struct {
	to    []config.Target
	found map[string]config.Reference
}

func (e everywhere) block(prefix string, b *schema.Block) {
	e.attributes(prefix, b.Attributes)
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		if !b.Blocks[name].Computed {
			e.block(prefix+name+".", b.Blocks[name].Block)
		}
	}
}

func (e everywhere) attributes(prefix string, all map[string]*schema.Attribute) {
	for _, name := range slices.Sorted(maps.Keys(all)) {
		a := all[name]
		if a.Sensitive || a.WriteOnly || !a.Required && !a.Optional || name == "id" {
			continue
		}
		if a.Nested != nil {
			e.attributes(prefix+name+".", a.Nested.Attributes)
			continue
		}
		t := a.Type
		if t.IsListType() || t.IsSetType() {
			t = t.ElementType()
		}
		if t != cty.DynamicPseudoType && t.IsPrimitiveType() {
			e.found[prefix+name] = config.Reference{Targets: e.to}
		}
	}
}
