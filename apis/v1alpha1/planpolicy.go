package v1alpha1

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PlanPolicy decides about plans before they are carried out: it denies them, requires that they
// are approved, or warns of them.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,categories={landbridge},path=planpolicies
// +kubebuilder:printcolumn:name="ACTION",type="string",JSONPath=".spec.action"
// +kubebuilder:printcolumn:name="READY",type="string",JSONPath=".status.conditions[?(@.type=='Ready')].status"
// +kubebuilder:printcolumn:name="AGE",type="date",JSONPath=".metadata.creationTimestamp"
type PlanPolicy struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   PlanPolicySpec   `json:"spec"`
	Status PlanPolicyStatus `json:"status,omitempty"`
}

// PlanPolicySpec is the desired state of a PlanPolicy.
type PlanPolicySpec struct {
	// Match selects the resources whose plans the policy decides about. Defaults to all.
	// +optional
	Match PlanPolicyMatch `json:"match,omitempty"`

	// Condition is a CEL expression that is true for the plans that the policy acts on. It has the
	// variables plan, resource and now. Sensitive values are left out of the plan. A condition that
	// cannot be evaluated counts as true.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=8192
	Condition string `json:"condition"`

	// Action is what happens to such plans. Deny: they are not carried out. RequireApproval: they
	// wait for approval, whatever the approval policy is. Warn: they are carried out, with an
	// event.
	Action PlanPolicyAction `json:"action"`

	// Message tells users why, and what to do.
	// +kubebuilder:validation:MaxLength=512
	// +optional
	Message string `json:"message,omitempty"`
}

// PlanPolicyAction is what a PlanPolicy does.
//
// +kubebuilder:validation:Enum=Deny;RequireApproval;Warn
type PlanPolicyAction string

// The actions of a PlanPolicy.
const (
	PlanPolicyDeny            PlanPolicyAction = "Deny"
	PlanPolicyRequireApproval PlanPolicyAction = "RequireApproval"
	PlanPolicyWarn            PlanPolicyAction = "Warn"
)

// PlanPolicyMatch selects resources. In each field, * stands for any characters, and an empty list
// for everything.
type PlanPolicyMatch struct {
	// Groups are API groups, such as hcloud.landbridge.io.
	// +kubebuilder:validation:MaxItems=64
	// +listType=set
	// +optional
	Groups []string `json:"groups,omitempty"`
	// Kinds are kinds, such as Server.
	// +kubebuilder:validation:MaxItems=64
	// +listType=set
	// +optional
	Kinds []string `json:"kinds,omitempty"`
	// Namespaces are the namespaces of resources.
	// +kubebuilder:validation:MaxItems=64
	// +listType=set
	// +optional
	Namespaces []string `json:"namespaces,omitempty"`
}

// PlanPolicyStatus is the observed state of a PlanPolicy.
type PlanPolicyStatus struct {
	xpv2.ConditionedStatus `json:",inline"`
	// ObservedGeneration is the generation that the conditions are about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}

// PlanPolicyList is a list of PlanPolicies.
//
// +kubebuilder:object:root=true
type PlanPolicyList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []PlanPolicy `json:"items"`
}
