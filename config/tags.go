package config

// DefaultTags are put on all objects of a type. What users set themselves wins.
type DefaultTags struct {
	// Attribute is the top-level attribute or block that takes them, tags by default: a map of strings,
	// or a list or set of objects with nothing but key and value to be given.
	// +optional
	Attribute string `json:"attribute,omitempty"`
	// Tags are put on besides, or instead of, those of Crossplane. Templates have .metadata and
	// .parameters.
	// +optional
	Tags map[string]Template `json:"tags,omitempty"`
	// OnlyTags leaves out those of Crossplane: crossplane-kind, crossplane-name,
	// crossplane-namespace, crossplane-providerconfig and crossplane-providerconfig-kind.
	// +optional
	OnlyTags bool `json:"onlyTags,omitempty"`
}
