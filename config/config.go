package config

// Provider is the configuration of one provider.
type Provider struct {
	// Name is the short name, used as a category and in the API group; a DNS label.
	// Empty: the name model.NewProvider is given.
	Name string `json:"name,omitempty"`
	// Group is the API group of all kinds; empty: <name>.landbridge.io.
	Group string `json:"group,omitempty"`
	// Resources configures single resource types, by Terraform's name. A name the provider
	// does not have is an error.
	Resources map[string]Resource `json:"resources,omitempty"`
}

// Resource is the configuration of one resource type.
type Resource struct {
	// Group is the API group of this kind; empty: the provider's.
	Group string `json:"group,omitempty"`
	// Kind and Plural are the names of the kind; empty: made from the name of the type.
	// A name that is taken is an error.
	Kind   string `json:"kind,omitempty"`
	Plural string `json:"plural,omitempty"`
	// ShortNames are for kubectl.
	ShortNames []string `json:"shortNames,omitempty"`
	// Omit names attributes and blocks, in Terraform's spelling with dots (rule.filter.prefix),
	// that appear neither in spec nor in status. Required ones cannot be omitted.
	Omit []string `json:"omit,omitempty"`
	// ExternalName is the top-level attribute whose value is the external name; empty: the one
	// required attribute of the identity, else the whole identity, else id.
	ExternalName string `json:"externalName,omitempty"`
	// LateInitialize lets values that the provider chose be written into spec.forProvider.
	LateInitialize bool `json:"lateInitialize,omitempty"`
	// References are attributes that get their values from other resources, by their paths in
	// Terraform's spelling with dots (network.network_id).
	References map[string]Reference `json:"references,omitempty"`
}
