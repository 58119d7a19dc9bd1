package v1alpha1

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// EstatePolicy judges the remote objects that ResourceQueries find.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,categories={landbridge},path=estatepolicies
// +kubebuilder:printcolumn:name="ACTION",type="string",JSONPath=".spec.action"
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type EstatePolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   EstatePolicySpec   `json:"spec"`
	Status EstatePolicyStatus `json:"status,omitempty"`
}

// EstatePolicySpec is the desired state of an EstatePolicy.
type EstatePolicySpec struct {
	// Match selects the objects that the policy judges. Defaults to all.
	// +optional
	Match EstatePolicyMatch `json:"match,omitempty"`

	// Validations are what has to be true of each object.
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +listType=atomic
	Validations []EstateValidation `json:"validations"`

	// Action is what happens for objects that violate the policy. Warn: the query has the condition
	// Compliant with status False, and an event.
	// +kubebuilder:default=Warn
	// +optional
	Action EstatePolicyAction `json:"action,omitempty"`
}

// EstatePolicyAction is what an EstatePolicy does.
//
// +kubebuilder:validation:Enum=Warn
type EstatePolicyAction string

// EstatePolicyWarn is the action of an EstatePolicy.
const EstatePolicyWarn EstatePolicyAction = "Warn"

// EstateValidation is what has to be true of an object.
type EstateValidation struct {
	// Expression is a CEL expression that is false for objects that violate the policy. It has the
	// variables object, identity, displayName, managed, declared, owner, resourceType, query,
	// configuration and now. Sensitive values are left out of the object. An object for which it
	// cannot be evaluated violates the policy.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=8192
	Expression string `json:"expression"`
	// Message tells users why, and what to do.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Message string `json:"message,omitempty"`
}

// EstatePolicyMatch selects objects. In each field, * stands for any characters, and an empty list
// for everything.
type EstatePolicyMatch struct {
	// ResourceTypes are resource types, such as aws_instance.
	// +kubebuilder:validation:MaxItems=64
	// +listType=set
	// +optional
	ResourceTypes []string `json:"resourceTypes,omitempty"`
	// Namespaces are the namespaces of the ResourceQueries that find the objects.
	// +kubebuilder:validation:MaxItems=64
	// +listType=set
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`
}

// EstatePolicyStatus is the observed state of an EstatePolicy.
type EstatePolicyStatus struct {
	xpv2.ConditionedStatus `json:",inline"`
	// ObservedGeneration is the generation that the conditions are about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// EstatePolicyList is a list of EstatePolicies.
//
// +kubebuilder:object:root=true
type EstatePolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []EstatePolicy `json:"items"`
}
