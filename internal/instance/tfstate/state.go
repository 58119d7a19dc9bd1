package tfstate

import (
	"encoding/json"
	"iter"
	"strings"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

// formatVersion is the version of the format.
const formatVersion = 4

// State is a whole state file.
type State struct {
	TerraformVersion string
	Serial           uint64
	Lineage          string
	Resources        []ResourceBlock
	// Extra are the other fields of the file, such as outputs and check results, by key.
	Extra map[string]json.RawMessage
}

// ResourceBlock is one resource block's instances.
type ResourceBlock struct {
	// Module is the address of the module; empty in the root module.
	Module string
	// Mode is "managed", or "data" for a data source.
	Mode string
	Type string
	Name string
	// Provider is the provider's configuration address, such as
	// provider["registry.terraform.io/hashicorp/random"].
	Provider  string
	Instances []Instance
	Extra     map[string]json.RawMessage
}

// Instance is one instance of a resource, with its deposed objects.
type Instance struct {
	// IndexKey is nil, an int64 (count) or a string (for_each).
	IndexKey any
	// Instance is the object. Values of resource types without a schema, of data sources, and of
	// other schema versions are raw. Status is Full, Tainted, or Empty when only deposed objects
	// exist; the format has no Partial, which is written as Full.
	instance.Instance
	Kept
	// KeptDeposed is the Kept of each deposed object, by key.
	KeptDeposed map[string]Kept
}

// All returns all instances with their resource blocks.
func (s State) All() iter.Seq2[ResourceBlock, Instance] {
	return func(yield func(ResourceBlock, Instance) bool) {
		for _, r := range s.Resources {
			for _, i := range r.Instances {
				if !yield(r, i) {
					return
				}
			}
		}
	}
}

// Kept are the fields of an object in the format that instance.Instance does not have.
type Kept struct {
	// Dependencies are addresses of resources.
	Dependencies []string
	Extra        map[string]json.RawMessage
	// OmitIdentityVersion leaves identity_schema_version out when there is no identity, as OpenTofu
	// does.
	OmitIdentityVersion bool
}

// Label returns the name of a custom resource in characters that Terraform permits in the name of a
// resource block.
func Label(name string) string {
	label := strings.ReplaceAll(name, ".", "_")
	if label == "" || label[0] >= '0' && label[0] <= '9' {
		label = "_" + label
	}
	return label
}

// Address returns Terraform's address of a resource block, without an index key.
func (r ResourceBlock) Address() string {
	address := r.Type + "." + r.Name
	if r.Mode == "data" {
		address = "data." + address
	}
	if r.Module != "" {
		address = r.Module + "." + address
	}
	return address
}

// Schemas returns the schema of a managed resource type; nil if there is none.
type Schemas func(resourceType string) *schema.Resource

// Of returns the Schemas of one provider's resource types.
func Of(p *schema.Provider) Schemas {
	return func(resourceType string) *schema.Resource { return p.Resources[resourceType] }
}

func (s Schemas) find(mode, resourceType string) *schema.Resource {
	if s == nil || mode != "managed" {
		return nil
	}
	return s(resourceType)
}
