package config

// Provider is the configuration of one provider.
type Provider struct {
	// Name is the short name, used as a category and in the API group; a DNS label.
	// Empty: the name model.NewProvider is given.
	Name string `json:"name,omitempty"`
	// Group is the API group of all kinds; empty: <name>.landbridge.io.
	Group string `json:"group,omitempty"`
	// Version is the API version of all kinds, such as v1beta1; empty: v1alpha1. Versions that a repository
	// served before go on being served, and objects are converted.
	Version string `json:"version,omitempty"`
	// DroppedVersions are API versions of any kinds that are not served any more.
	DroppedVersions []string `json:"droppedVersions,omitempty"`
	// Overrides configure many resource types at once. Those that match a type are applied in
	// their order, and its entry in Resources last.
	Overrides []Override `json:"overrides,omitempty"`
	// Resources configures single resource types, by Terraform's name. A name the provider
	// does not have is an error.
	Resources map[string]Resource `json:"resources,omitempty"`
}
