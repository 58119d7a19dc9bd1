package config

// DefaultTags are added to all objects of a type. Tags that users set take precedence.
type DefaultTags struct {
	// Attribute is the top-level attribute or block for tags: a map of strings, or a list or set of
	// objects whose only settable attributes are key and value. Defaults to tags.
	// +optional
	Attribute string `json:"attribute,omitempty"`
	// Tags are added to those of Crossplane. They may use .metadata and .parameters.
	// +optional
	Tags map[string]Template `json:"tags,omitempty"`
	// OnlyTags leaves out the tags of Crossplane: crossplane-kind, crossplane-name,
	// crossplane-namespace, crossplane-providerconfig and crossplane-providerconfig-kind.
	// +optional
	OnlyTags bool `json:"onlyTags,omitempty"`
}
