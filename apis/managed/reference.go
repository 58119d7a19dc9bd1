package managed

import xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

// Reference is a field that takes its value from another resource.
type Reference struct {
	// Path of the field that is set, such as forProvider.vpcId, forProvider.rule[0].vpcId or import.identity.arn.
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:Pattern=`^(forProvider|initProvider|import[.]identity)[.[].+$`
	To string `json:"to"`

	// Where the value comes from.
	From ReferenceSource `json:"from"`

	// How the reference is resolved.
	// +optional
	Policy *xpv2.Policy `json:"policy,omitempty"`
}

// ReferenceSource is a field of another resource, by its name or a selector.
// +kubebuilder:validation:XValidation:rule="has(self.name) != has(self.selector)",message="exactly one of name and selector must be given"
type ReferenceSource struct {
	// API version of the other resource. Default: that of this resource.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`

	// Kind of the other resource.
	Kind string `json:"kind"`

	// Name of the other resource.
	// +optional
	Name string `json:"name,omitempty"`

	// Selects the other resource. Of several that match, the first by name is used.
	// +optional
	Selector *ReferenceSelector `json:"selector,omitempty"`

	// Namespace of the other resource, which must allow the reference with the annotation landbridge.io/referable-from. Default: that of this resource.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Path of the field with the value, such as status.atProvider.arn. Default: the external name, or the id of a data source.
	// +optional
	FieldPath string `json:"fieldPath,omitempty"`

	// CEL expression that makes the value of the field's, which is self: self.split('/')[3].
	// +kubebuilder:validation:MaxLength=1024
	// +optional
	Transform string `json:"transform,omitempty"`
}

// ReferenceSelector selects resources.
type ReferenceSelector struct {
	// The labels of the other resource.
	// +optional
	MatchLabels map[string]string `json:"matchLabels,omitempty"`

	// Whether the other resource must have the same controller as this one.
	// +optional
	MatchControllerRef bool `json:"matchControllerRef,omitempty"`
}
