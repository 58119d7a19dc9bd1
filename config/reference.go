package config

// Reference says that the value of an attribute is one of another resource: beside the field, the
// kind has one that names that resource, and one that selects it by labels.
type Reference struct {
	// Targets are what may be referred to. Of several, no two have the same kind, and the first is
	// meant where a reference names no kind.
	// +optional
	Targets []Target `json:"targets,omitempty"`
	// RefField and SelectorField are the names of the two fields; empty: vpcIdRef and vpcIdSelector
	// for vpcId, subnetIdRefs and subnetIdSelector for a list subnetIds.
	RefField      string `json:"refField,omitempty"`
	SelectorField string `json:"selectorField,omitempty"`
	// None: there is no reference, whatever the provider's examples suggest.
	None bool `json:"none,omitempty"`
}

// Target is a kind that may be referred to, and what of it is the value: the external name, unless
// something else is given.
type Target struct {
	// Type is the resource type, if it is the same provider's.
	Type string `json:"type,omitempty"`
	// APIVersion and Kind are the kind, if it is another provider's.
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`

	// Attribute is the attribute of Type that is the value, in Terraform's spelling with dots.
	Attribute string `json:"attribute,omitempty"`
	// FieldPath is the field that is the value, as in the custom resource: status.atProvider.arn.
	FieldPath string `json:"fieldPath,omitempty"`
	// Extract makes the value of the custom resource as it is in the cluster, which it must not
	// change. Nil, or an empty string, is no value yet.
	Extract Extractor `json:"-"`
}

// Extractor makes the value of a reference of the custom resource that is referred to.
//
// +kubebuilder:object:generate=false
type Extractor func(target map[string]any) any

// DeepCopy returns the same function.
func (e Extractor) DeepCopy() Extractor { return e }
