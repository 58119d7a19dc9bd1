package managed

import xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

// ResourceSpec is the part of spec that all managed resources have.
type ResourceSpec struct {
	// What may happen to the remote object.
	// +optional
	Lifecycle *Lifecycle `json:"lifecycle,omitempty"`

	// What may be done to the remote object. An empty list pauses the resource.
	// +optional
	// +kubebuilder:default={"*"}
	// +kubebuilder:validation:MaxItems=16
	ManagementPolicies []xpv2.ManagementAction `json:"managementPolicies,omitzero"`

	// The configuration of the provider to use: a ProviderConfig in the resource's namespace, or a ClusterProviderConfig.
	// +optional
	// +kubebuilder:default={"kind": "ClusterProviderConfig", "name": "default"}
	ProviderConfigReference *xpv2.ProviderConfigReference `json:"providerConfigRef,omitempty"`

	// Fields that get their values from other resources. What is referred to is destroyed after this resource.
	// +optional
	// +listType=map
	// +listMapKey=to
	// +kubebuilder:validation:MaxItems=32
	References []Reference `json:"references,omitempty"`

	// The Secret, in the resource's namespace, into which the object's sensitive values are written.
	// +optional
	WriteConnectionSecretToReference *xpv2.LocalSecretReference `json:"writeConnectionSecretToRef,omitempty"`
}

// Lifecycle says what may happen to the remote object.
type Lifecycle struct {
	// What happens when a change cannot be made without destroying the object and creating another. Automatic, the default: it is replaced, as Terraform does. Never: nothing happens, and the change is shown in status.plan.
	// +optional
	// +kubebuilder:validation:Enum=Automatic;Never
	ReplacePolicy string `json:"replacePolicy,omitempty"`

	// What happens to an object whose creation did not end well. Replace, the default: it is destroyed and created again. Keep: it waits for a person.
	// +optional
	// +kubebuilder:validation:Enum=Replace;Keep
	TaintPolicy string `json:"taintPolicy,omitempty"`

	// A replacement creates the new object before it destroys the old one. Default: false.
	// +optional
	CreateBeforeDestroy *bool `json:"createBeforeDestroy,omitempty"`

	// How long operations may take until they are given up. Default: somewhat longer than the provider gives itself, where it says so in a field named timeouts of forProvider or, with the legacy SDK, by itself; else what the controller allows.
	// +optional
	Timeouts *Timeouts `json:"timeouts,omitempty"`

	// Fields of forProvider whose differences are left alone once the object exists, such as tags.team or rule[0].maxAgeDays; "*" is all of them.
	// +optional
	IgnoreChanges []string `json:"ignoreChanges,omitempty"`
}

// Timeouts are how long operations may take.
type Timeouts struct {
	// How long creates may take, such as 30m or 1h30m.
	// +optional
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	Create string `json:"create,omitempty"`

	// How long updates may take, such as 30m or 1h30m.
	// +optional
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	Update string `json:"update,omitempty"`

	// How long deletes may take, such as 30m or 1h30m.
	// +optional
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	Delete string `json:"delete,omitempty"`
}
