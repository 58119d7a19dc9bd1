package managed

import xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

// ResourceSpec is the part of spec that all managed resources have.
type ResourceSpec struct {
	// How the remote object is replaced, and how long operations may take.
	// +optional
	Lifecycle *Lifecycle `json:"lifecycle,omitempty"`

	// What Landbridge may do with the remote object. An empty list pauses the resource.
	// +optional
	// +kubebuilder:default={"*"}
	// +kubebuilder:validation:MaxItems=16
	ManagementPolicies []xpv2.ManagementAction `json:"managementPolicies,omitzero"`

	// The configuration of the provider: a ProviderConfig in the resource's namespace, or a ClusterProviderConfig.
	// +optional
	// +kubebuilder:default={"kind": "ClusterProviderConfig", "name": "default"}
	ProviderConfigReference *xpv2.ProviderConfigReference `json:"providerConfigRef,omitempty"`

	// Fields that take their values from other resources. Those resources are destroyed after this one.
	// +optional
	// +listType=map
	// +listMapKey=to
	// +kubebuilder:validation:MaxItems=32
	References []Reference `json:"references,omitempty"`

	// The Secret, in the resource's namespace, to which the object's sensitive values are written.
	// +optional
	WriteConnectionSecretToReference *xpv2.LocalSecretReference `json:"writeConnectionSecretToRef,omitempty"`
}

// Lifecycle configures how the remote object is replaced, and how long operations may take.
type Lifecycle struct {
	// What happens if a change requires that the object is destroyed and created again. Automatic: the object is replaced, as by Terraform. Never: the object is not changed, and status.plan shows the change. Default: Automatic.
	// +optional
	// +kubebuilder:validation:Enum=Automatic;Never
	ReplacePolicy string `json:"replacePolicy,omitempty"`

	// What happens to an object whose creation failed. Replace: the object is destroyed and created again. Keep: the object stays until it is untainted. Default: Replace.
	// +optional
	// +kubebuilder:validation:Enum=Replace;Keep
	TaintPolicy string `json:"taintPolicy,omitempty"`

	// Whether an existing object with the same identity is looked for before the object is created. Automatic: an object that is found is not changed, and the create is refused. Never: the create is carried out without it; it may overwrite an existing object. Default: Automatic.
	// +optional
	// +kubebuilder:validation:Enum=Automatic;Never
	ExistenceCheck string `json:"existenceCheck,omitempty"`

	// Which plans wait for approval. Destructive: those that destroy or replace an object, also because the resource is deleted. Always: all. The TerraformProvider and the provider configuration may require more. Default: Never.
	// +optional
	// +kubebuilder:validation:Enum=Never;Destructive;Always
	ApprovalPolicy string `json:"approvalPolicy,omitempty"`

	// What happens to fields of forProvider that were changed outside of this resource. Repair: they are changed back. Report: they stay, and status.drift shows them. Approve: they are changed back once the plan is approved. Fields in ignoreChanges stay in any case. Default: Repair.
	// +optional
	// +kubebuilder:validation:Enum=Repair;Report;Approve
	DriftPolicy string `json:"driftPolicy,omitempty"`

	// What happens to resources that refer to this one and would be replaced if its object is. Their objects are destroyed before this one, and created after it, as by Terraform. Ask: once the plan, whose hash covers them, is approved. Automatic: without an approval. Resources of other namespaces must have the policy Automatic themselves. Default: that of the TerraformProvider, else Ask.
	// +optional
	// +kubebuilder:validation:Enum=Ask;Automatic
	ReplaceDependents string `json:"replaceDependents,omitempty"`

	// Whether the remote object is kept from being destroyed. With true, the API server refuses to delete the resource, and a change that would destroy the object is not made. managementPolicies without Delete leave the object, so that the resource can be deleted all the same. Default: false.
	// +optional
	DeletionProtection *bool `json:"deletionProtection,omitempty"`

	// Whether a replacement creates the new object before it destroys the old one. Default: false.
	// +optional
	CreateBeforeDestroy *bool `json:"createBeforeDestroy,omitempty"`

	// How often an object is created with the same configuration if each creation fails after it has made an object. Each such object is destroyed before the next attempt. The last one stays, and the resource is Stalled until its configuration changes or a retry is requested. Default: 3.
	// +optional
	// +kubebuilder:validation:Minimum=1
	CreateAttempts int64 `json:"createAttempts,omitempty"`

	// How long the object may be missing after its create or import without being taken for gone, such as 2m; 0s for not at all. Default: that of the kind's configuration, else of the controller.
	// +optional
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	CreationGracePeriod string `json:"creationGracePeriod,omitempty"`

	// Timeouts of operations. Default: somewhat longer than the provider's own timeouts, if it has a field named timeouts in forProvider or uses the legacy SDK; otherwise the timeout of the controller.
	// +optional
	Timeouts *Timeouts `json:"timeouts,omitempty"`

	// Fields of forProvider whose changes are ignored after the object was created, such as tags.team or rule[0].maxAgeDays; "*" ignores all fields.
	// +optional
	IgnoreChanges []string `json:"ignoreChanges,omitempty"`
}

// Timeouts are the timeouts of operations.
type Timeouts struct {
	// Timeout of creates, such as 30m or 1h30m.
	// +optional
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	Create string `json:"create,omitempty"`

	// Timeout of updates, such as 30m or 1h30m.
	// +optional
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	Update string `json:"update,omitempty"`

	// Timeout of deletes, such as 30m or 1h30m.
	// +optional
	// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`
	Delete string `json:"delete,omitempty"`
}
