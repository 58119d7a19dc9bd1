package managed

import xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

// Reference is a field that gets its value from another resource.
type Reference struct {
	// Path of the field that gets the value, such as forProvider.vpcId or forProvider.subnetIds[0].
	// +kubebuilder:validation:MaxLength=256
	// +kubebuilder:validation:Pattern=`^(forProvider|initProvider)[.[].+$`
	To string `json:"to"`

	// The field that the value is of.
	From ReferenceSource `json:"from"`

	// How the reference is resolved.
	// +optional
	Policy *xpv2.Policy `json:"policy,omitempty"`
}

// ReferenceSource is a field of another resource, which is named or selected.
// +kubebuilder:validation:XValidation:rule="has(self.name) != has(self.selector)",message="exactly one of name and selector must be given"
type ReferenceSource struct {
	// API version of the other resource; this one's by default.
	// +optional
	APIVersion string `json:"apiVersion,omitempty"`

	// Kind of the other resource.
	Kind string `json:"kind"`

	// Name of the other resource.
	// +optional
	Name string `json:"name,omitempty"`

	// Takes, of the resources selected, the first by name.
	// +optional
	Selector *ReferenceSelector `json:"selector,omitempty"`

	// Namespace of the other resource, which has to allow it by the annotation landbridge.io/referable-from; this one's by default.
	// +optional
	Namespace string `json:"namespace,omitempty"`

	// Path of the field, such as status.atProvider.arn; the external name by default.
	// +optional
	FieldPath string `json:"fieldPath,omitempty"`
}

// ReferenceSelector selects resources.
type ReferenceSelector struct {
	// The labels that the resource has.
	// +optional
	MatchLabels map[string]string `json:"matchLabels,omitempty"`

	// The resource has the same controller as this one.
	// +optional
	MatchControllerRef bool `json:"matchControllerRef,omitempty"`
}
