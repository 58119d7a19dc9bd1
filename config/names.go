package config

// Names are the names of a kind, as in a CustomResourceDefinition. Names that are left out follow
// from the others.
type Names struct {
	// Kind in PascalCase, such as NetworkRule.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Kind string `json:"kind,omitempty"`
	// ListKind is the kind of lists. Defaults to the kind, followed by List.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	ListKind string `json:"listKind,omitempty"`
	// Plural in lower case. Defaults to the plural of the singular.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Plural string `json:"plural,omitempty"`
	// Singular in lower case. Defaults to the kind in lower case.
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Singular string `json:"singular,omitempty"`
}
