package config

// Provider is the configuration of one provider.
type Provider struct {
	// Name is the short name, used as a category and in the API group; a DNS label.
	// Empty: the name model.NewProvider is given.
	Name string `json:"name,omitempty"`
	// Group is the API group of all kinds; empty: <name>.landbridge.io.
	Group string `json:"group,omitempty"`
	// Overrides configure many resource types at once. Those that match a type are applied in
	// their order, and its entry in Resources last.
	Overrides []Override `json:"overrides,omitempty"`
	// Resources configures single resource types, by Terraform's name. A name the provider
	// does not have is an error.
	Resources map[string]Resource `json:"resources,omitempty"`
}
