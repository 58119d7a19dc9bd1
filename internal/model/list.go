package model

import "github.com/zclconf/go-cty/cty"

// ListResource has the arguments of the list resource of a resource type.
type ListResource struct {
	// Type is Terraform's name of the resource type, and of its list resource.
	Type string
	// Config is an Object.
	Config *Type
}

// ListResource returns the list resource of a resource type, or nil if the provider has none.
func (p *Provider) ListResource(resourceType string) *ListResource {
	b := p.Schema.ListResources[resourceType]
	if b == nil {
		return nil
	}
	return &ListResource{Type: resourceType, Config: blockType(b, place{input: true, rules: &rules{}})}
}

// UserPath formats a path of the arguments: example_thing.vpcId.
func (l *ListResource) UserPath(p cty.Path) string { return l.Config.spell(l.Type, p, true) }
