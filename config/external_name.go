package config

// ExternalName says what an object is called at the provider, which is what the annotation
// crossplane.io/external-name holds.
type ExternalName struct {
	// Attribute is the top-level attribute of the object that is its name: the provider chooses
	// it, or the user does by setting the attribute.
	// +optional
	Attribute string `json:"attribute,omitempty"`
	// Argument is the top-level argument that the name is given to: what it is called in the
	// annotation, if there is one, and else Default. It is not in spec.
	// +optional
	Argument string `json:"argument,omitempty"`
	// Default is the name of an object whose resource has no annotation yet; empty: the name of
	// the resource. It has .metadata and .parameters, and goes with Argument.
	// +optional
	Default Template `json:"default,omitempty"`
	// ImportID is the id by which an object is imported if no identity is known of it; empty: its
	// name. It has .externalName, .metadata and .parameters. Without Attribute and Argument, the name
	// is what the attribute id has in the place of .externalName.
	// +optional
	ImportID Template `json:"importID,omitempty"`
}
