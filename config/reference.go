package config

// Reference makes an attribute take its value from another resource. Beside its field, the kind has
// a field that names the other resource, and a field that selects it by labels.
type Reference struct {
	// Targets are the kinds that may be referred to. Each kind may be listed once. The first is
	// used if a reference names no kind.
	// +optional
	Targets []Target `json:"targets,omitempty"`
	// RefField and SelectorField are the names of the two fields. They default to vpcIdRef and
	// vpcIdSelector for vpcId, and to subnetIdRefs and subnetIdSelector for a list subnetIds.
	RefField      string `json:"refField,omitempty"`
	SelectorField string `json:"selectorField,omitempty"`
	// None removes a reference that was inferred from the provider's examples.
	None bool `json:"none,omitempty"`
}

// Target is a kind that may be referred to, and which value is taken from it. That is the external
// name unless Attribute, FieldPath or Extract is set, changed by Transform.
type Target struct {
	// Type is the resource type, if it is of the same provider.
	Type string `json:"type,omitempty"`
	// APIVersion and Kind are the kind, if it is of another provider.
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`

	// Attribute is the attribute of Type that has the value, by its Terraform path with dots.
	Attribute string `json:"attribute,omitempty"`
	// FieldPath is the path of the field with the value in the custom resource:
	// status.atProvider.arn.
	FieldPath string `json:"fieldPath,omitempty"`
	// Transform is a CEL expression that makes the value of the one above, which is self:
	// self.split('/')[3].
	Transform string `json:"transform,omitempty"`
	// Extract returns the value from the custom resource, which it must not change. It is instead
	// of all of the above.
	Extract Extractor `json:"-"`
}

// Extractor returns the value of a reference from the custom resource that is referred to. It
// returns nil or an empty string if there is no value yet.
//
// +kubebuilder:object:generate=false
type Extractor func(target map[string]any) any

// DeepCopy returns the same function.
func (e Extractor) DeepCopy() Extractor { return e }
