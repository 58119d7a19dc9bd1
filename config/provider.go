package config

// Provider is the configuration of one provider.
type Provider struct {
	// Name is the short name, used as a category and in the API group. It must be a DNS label.
	// Defaults to the name of the provider.
	Name string `json:"name,omitempty"`
	// Group is the API group of all kinds. Defaults to <name>.landbridge.io.
	Group string `json:"group,omitempty"`
	// Version is the API version of all kinds, such as v1beta1. Versions that a repository served
	// before stay served, and objects are converted. Defaults to v1alpha1.
	Version string `json:"version,omitempty"`
	// DroppedVersions are the API versions of all kinds that are no longer served.
	DroppedVersions []string `json:"droppedVersions,omitempty"`
	// ProviderConfig configures the kinds of the provider's own configuration.
	ProviderConfig ProviderConfig `json:"providerConfig,omitzero"`
	// Overrides configure all resource types that match. They are applied in order, before the
	// entry of a type in Resources.
	Overrides []Override `json:"overrides,omitempty"`
	// Names are the names of kinds, by Terraform's names of the resource types. They are for names
	// that a cluster or a repository has assigned; kind and plural of resources and overrides come
	// before them. Types that the provider does not have are ignored, so that the names are there
	// when it has them.
	Names map[string]Names `json:"names,omitempty"`
	// Resources configures single resource types, by Terraform's names. The provider must have
	// them.
	Resources map[string]Resource `json:"resources,omitempty"`
}

// ProviderConfig is the configuration of the kinds ProviderConfig and ClusterProviderConfig.
type ProviderConfig struct {
	// Fields configures how arguments and blocks are presented, by their paths. A value cannot be
	// set.
	// +optional
	Fields map[string]Field `json:"fields,omitempty"`

	// AccountFrom are the arguments and blocks that name the account, such as project, by
	// Terraform's names. Provider configurations that have the same values of them are for the same
	// account. Sensitive arguments cannot be named.
	// +listType=set
	// +optional
	AccountFrom []string `json:"accountFrom,omitempty"`
}
