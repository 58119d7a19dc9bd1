package config

// ExternalName configures the external name of an object: its name at the provider, which the
// annotation crossplane.io/external-name holds.
type ExternalName struct {
	// Attribute is the top-level attribute whose value is the external name. The provider chooses
	// the value, or the user sets the attribute.
	// +optional
	Attribute string `json:"attribute,omitempty"`
	// Argument is the top-level argument that is set to the external name: to the annotation, or to
	// Default without one. It is not in spec.
	// +optional
	Argument string `json:"argument,omitempty"`
	// Default is the external name of an object whose resource has no annotation yet. It may use
	// .metadata and .parameters, and needs Argument. Defaults to the name of the resource.
	// +optional
	Default Template `json:"default,omitempty"`
	// ImportID is the id by which an object without a known identity is imported. It may use
	// .externalName, .metadata and .parameters. Without Attribute and Argument, the external name
	// is the part of the attribute id that is in the place of .externalName. Defaults to the
	// external name.
	// +optional
	ImportID Template `json:"importID,omitempty"`
}
