package schema

import (
	"sync"

	"github.com/zclconf/go-cty/cty"
)

// Provider is everything one provider publishes about itself.
type Provider struct {
	// Protocol is the major version of the plugin protocol that the schema was read over, 5 or 6.
	Protocol int `json:"protocol"`
	// Config is the schema of the provider's own configuration; never nil.
	Config *Block `json:"config"`
	// ConfigVersion is the version of Config.
	ConfigVersion int64 `json:"configVersion,omitempty"`
	// Meta is the schema of provider_meta, or nil if the provider has none.
	Meta *Block `json:"meta,omitempty"`
	// Resources holds the managed resource types by name.
	Resources map[string]*Resource `json:"resources,omitempty"`
	// DataSources, EphemeralResources and ListResources hold their configuration by type name.
	DataSources        map[string]*Block `json:"dataSources,omitempty"`
	EphemeralResources map[string]*Block `json:"ephemeralResources,omitempty"`
	ListResources      map[string]*Block `json:"listResources,omitempty"`
	Actions            map[string]*Block `json:"actions,omitempty"`
	// Functions are the names of the provider's functions.
	Functions []string `json:"functions,omitempty"`
	// Signatures are the signatures of the functions, by name.
	Signatures   map[string]*Function `json:"signatures,omitempty"`
	Capabilities Capabilities         `json:"capabilities"`
}

// Capabilities are the capabilities that a provider announces (contract § 1).
type Capabilities struct {
	PlanDestroy               bool `json:"planDestroy,omitempty"`
	GetProviderSchemaOptional bool `json:"getProviderSchemaOptional,omitempty"`
	MoveResourceState         bool `json:"moveResourceState,omitempty"`
	GenerateResourceConfig    bool `json:"generateResourceConfig,omitempty"`
}

// Resource is the schema of one managed resource type.
type Resource struct {
	// Type is Terraform's name of the resource type, such as random_password.
	Type    string `json:"type"`
	Version int64  `json:"version,omitempty"`
	Block   *Block `json:"block"`
	// Identity is nil if the type has no identity schema.
	Identity *Identity `json:"identity,omitempty"`
}

// ImpliedType returns the type of the resource's state and configuration.
func (r *Resource) ImpliedType() cty.Type { return r.Block.ImpliedType() }

// IdentityType returns the type of the resource's identity, or cty.NilType without an identity
// schema.
func (r *Resource) IdentityType() cty.Type {
	if r.Identity == nil {
		return cty.NilType
	}
	return r.Identity.ImpliedType()
}

// Text is human-readable text.
type Text struct {
	Text     string `json:"text,omitempty"`
	Markdown bool   `json:"markdown,omitempty"`
}

// Block is a group of attributes and nested blocks.
type Block struct {
	Attributes         map[string]*Attribute   `json:"attributes,omitempty"`
	Blocks             map[string]*NestedBlock `json:"blocks,omitempty"`
	Description        Text                    `json:"description,omitzero"`
	Deprecated         bool                    `json:"deprecated,omitempty"`
	DeprecationMessage string                  `json:"deprecationMessage,omitempty"`

	impliedType func() cty.Type
	once        sync.Once
}

// Attribute is one value of a block. Exactly one of Type and Nested is set.
type Attribute struct {
	// Type is the type constraint; cty.NilType when Nested is set.
	Type   cty.Type          `json:"type,omitzero"`
	Nested *NestedAttributes `json:"nested,omitempty"`

	Description        Text   `json:"description,omitzero"`
	Required           bool   `json:"required,omitempty"`
	Optional           bool   `json:"optional,omitempty"`
	Computed           bool   `json:"computed,omitempty"`
	Sensitive          bool   `json:"sensitive,omitempty"`
	WriteOnly          bool   `json:"writeOnly,omitempty"`
	Deprecated         bool   `json:"deprecated,omitempty"`
	DeprecationMessage string `json:"deprecationMessage,omitempty"`
}

// NestedAttributes is the type of an attribute that consists of attributes
// (protocol 6 only).
type NestedAttributes struct {
	Nesting    Nesting               `json:"nesting"`
	Attributes map[string]*Attribute `json:"attributes,omitempty"`

	impliedType func() cty.Type
	once        sync.Once
}

// NestedBlock is a block inside a block.
type NestedBlock struct {
	Nesting Nesting `json:"nesting"`
	*Block  `json:"block"`
	// MinItems and MaxItems limit the number of blocks of the list and set nestings; 0 means no
	// limit.
	MinItems int64 `json:"minItems,omitempty"`
	MaxItems int64 `json:"maxItems,omitempty"`
	// Computed is set if the provider computes the block, with the values in it, where it is not
	// configured (protocol 6.11). All attributes and blocks inside are computed, too.
	Computed bool `json:"computed,omitempty"`
}

// Nesting is the nesting mode of a nested block or of nested attributes.
type Nesting string

// The nesting modes of the protocol. Group exists for blocks only: like Single, but never null.
const (
	NestingSingle Nesting = "single"
	NestingGroup  Nesting = "group"
	NestingList   Nesting = "list"
	NestingSet    Nesting = "set"
	NestingMap    Nesting = "map"
)

// Identity is the identity schema of a resource type. An identity identifies one remote object.
type Identity struct {
	Version    int64                         `json:"version,omitempty"`
	Attributes map[string]*IdentityAttribute `json:"attributes"`

	impliedType func() cty.Type
	once        sync.Once
}

// IdentityAttribute is one value of an identity: a primitive or a list of primitives.
type IdentityAttribute struct {
	Type        cty.Type `json:"type"`
	Description string   `json:"description,omitempty"`
	// Exactly one of the two is true.
	RequiredForImport bool `json:"requiredForImport,omitempty"`
	OptionalForImport bool `json:"optionalForImport,omitempty"`
}
