package managed

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// AllowedNamespaces selects namespaces, by name or by label.
type AllowedNamespaces struct {
	// Names of namespaces.
	// +listType=atomic
	// +optional
	Names []string `json:"names,omitempty"`

	// Selects namespaces by their labels. An empty selector selects all.
	// +optional
	Selector *metav1.LabelSelector `json:"selector,omitempty"`
}
