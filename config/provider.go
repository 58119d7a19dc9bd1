package config

// Provider is the configuration of one provider.
type Provider struct {
	// Name is the short name, used as a category and in the API group. It must be a DNS label. Defaults to
	// the name of the provider.
	Name string `json:"name,omitempty"`
	// Group is the API group of all kinds. Defaults to <name>.landbridge.io.
	Group string `json:"group,omitempty"`
	// Version is the API version of all kinds, such as v1beta1. Versions that a repository served before
	// stay served, and objects are converted. Defaults to v1alpha1.
	Version string `json:"version,omitempty"`
	// DroppedVersions are the API versions of all kinds that are no longer served.
	DroppedVersions []string `json:"droppedVersions,omitempty"`
	// Overrides configure all resource types that match. They are applied in order, before the entry of
	// a type in Resources.
	Overrides []Override `json:"overrides,omitempty"`
	// Resources configures single resource types, by Terraform's names. The provider must have them.
	Resources map[string]Resource `json:"resources,omitempty"`
}
