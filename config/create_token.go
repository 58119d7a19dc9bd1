package config

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// CreateToken configures the argument that makes creates idempotent: of several creates with the
// same value, the remote side carries out only one, and answers all of them with the same object. A
// value is generated for each create, unless the user sets one. After an interruption, the create
// is repeated with it.
type CreateToken struct {
	// Argument is the name of a top-level argument, which must be an optional string.
	// +optional
	Argument string `json:"argument,omitempty"`
	// ValidFor is how long the remote side remembers a value. After that, an interrupted create is
	// not repeated. Defaults to 1h.
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Pattern=`^([0-9]{1,5}(\.[0-9]{1,6})?(ms|s|m|h)){1,4}$`
	// +optional
	ValidFor *metav1.Duration `json:"validFor,omitempty"`
}
