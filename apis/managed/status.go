package managed

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// ResourceStatus is the part of the status that all managed resources have.
type ResourceStatus struct {
	xpv2.ConditionedStatus `json:",inline"`

	// The whole messages of conditions that show only a part of them, by the type of the condition.
	// +optional
	Messages map[string]string `json:"messages,omitempty"`

	// State of the remote object: Empty, Partial, Tainted or Full.
	// +optional
	State string `json:"state,omitempty"`

	// External name of the remote object, as in the annotation crossplane.io/external-name. Field selectors can use it.
	// +optional
	ExternalName string `json:"externalName,omitempty"`

	// The operation that is running.
	// +optional
	Operation *Operation `json:"operation,omitempty"`

	// Remote objects that were replaced and are not destroyed yet.
	// +optional
	// +listType=map
	// +listMapKey=key
	Deposed []DeposedObject `json:"deposed,omitempty"`

	// The last handled value of each annotation that requests an action. The same value is never handled twice.
	// +optional
	LastHandled *LastHandled `json:"lastHandled,omitempty"`

	// The changes that are needed to bring the remote object to its desired state.
	// +optional
	Plan *Plan `json:"plan,omitempty"`

	// What was changed of the remote object outside of this resource.
	// +optional
	Drift *Drift `json:"drift,omitempty"`

	// Warnings of the provider, and about values of this resource.
	// +optional
	Warnings []string `json:"warnings,omitempty"`

	// The last plan that was carried out because it was approved.
	// +optional
	LastApproval *LastApproval `json:"lastApproval,omitempty"`

	// The replacement of the object, which the resources that refer to this one take part in.
	// +optional
	Replacement *Replacement `json:"replacement,omitempty"`

	// The replacements of objects that this resource refers to, and what they mean for it.
	// +optional
	AwaitedReplacements []AwaitedReplacement `json:"awaitedReplacements,omitempty"`

	// The generation of the resource that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// The last value of the annotation crossplane.io/reconcile-requested-at that was handled.
	// +optional
	LastHandledReconcileAt string `json:"lastHandledReconcileAt,omitempty"`
}

// Operation is the operation that is running.
type Operation struct {
	// +optional
	ID string `json:"id,omitempty"`

	// Create, Update or Delete.
	// +optional
	Kind string `json:"kind,omitempty"`

	// The generation of the resource that the operation is for.
	// +optional
	Generation int64 `json:"generation,omitempty"`

	// Key of the deposed object that is destroyed, or that the created object replaces.
	// +optional
	Deposed string `json:"deposed,omitempty"`

	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`

	// When the operation times out. Empty while it is queued.
	// +optional
	Deadline *metav1.Time `json:"deadline,omitempty"`

	// The last message that the provider logged about the operation.
	// +optional
	Progress string `json:"progress,omitempty"`

	// Set when the operation was interrupted by request and has not ended yet.
	// +optional
	Interrupted bool `json:"interrupted,omitempty"`
}

// Replacement is the replacement of an object that others refer to.
type Replacement struct {
	// Identifies the replacement.
	ID string `json:"id"`

	// Planned: the resources that refer to this one tell what they would do. Started: nothing is done to their objects until the new object is there. DestroyingDependents: those that must be replaced, too, are destroyed. Following: the new object is there, and they are changed before the old one is destroyed.
	Phase string `json:"phase"`

	// The resources whose objects are replaced with this one's. Those of other namespaces have no names. An approval of the plan is one of these.
	// +optional
	Dependents []ReplacedDependent `json:"dependents,omitempty"`

	// Set when the replacement of these needs an approval of the plan.
	// +optional
	Approval bool `json:"approval,omitempty"`
}

// A ReplacedDependent is a resource whose object is replaced with one that it refers to.
type ReplacedDependent struct {
	UID string `json:"uid"`
	// +optional
	Kind string `json:"kind,omitempty"`
	// +optional
	Name string `json:"name,omitempty"`
}

// An AwaitedReplacement is the replacement of an object that the resource refers to.
type AwaitedReplacement struct {
	// The resource whose object is replaced, or the provider configuration that takes values from one of another namespace.
	Group string `json:"group"`
	Kind  string `json:"kind"`
	// +optional
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	UID       string `json:"uid"`

	// Identifies the replacement.
	ID string `json:"id"`

	// The generation of this resource that the effect was planned for.
	// +optional
	Generation int64 `json:"generation,omitempty"`

	// What the replacement means for the object of this resource: NoOp, Update, DeleteThenCreate, CreateThenDelete, or Destroyed if it was destroyed for the replacement. Empty if there is none.
	// +optional
	Effect string `json:"effect,omitempty"`

	// Why this resource cannot take part. Empty if it can.
	// +optional
	Refused string `json:"refused,omitempty"`

	// Set when a plan of the effect needs an approval.
	// +optional
	Approval bool `json:"approval,omitempty"`

	// Set when nothing is done to the object of this resource until the replacement is over.
	// +optional
	Waits bool `json:"waits,omitempty"`

	// Set when the object of this resource fits the new object.
	// +optional
	Follows bool `json:"follows,omitempty"`
}

// A DeposedObject was replaced and is not destroyed yet.
type DeposedObject struct {
	// Identifies the deposed object.
	Key string `json:"key"`

	// +optional
	State string `json:"state,omitempty"`

	// External name of the object.
	// +optional
	ExternalName string `json:"externalName,omitempty"`

	// +optional
	// +nullable
	Identity *apiextensionsv1.JSON `json:"identity,omitempty"`
}

// LastHandled has the last handled value of each annotation that requests an action.
type LastHandled struct {
	// The last value of the annotation landbridge.io/taint that was handled.
	// +optional
	Taint string `json:"taint,omitempty"`

	// The last value of the annotation landbridge.io/untaint that was handled.
	// +optional
	Untaint string `json:"untaint,omitempty"`

	// The last value of the annotation landbridge.io/retry that was handled.
	// +optional
	Retry string `json:"retry,omitempty"`

	// The last value of the annotation landbridge.io/interrupt that was handled.
	// +optional
	Interrupt string `json:"interrupt,omitempty"`

	// The last value of the annotation landbridge.io/reapply that was handled.
	// +optional
	Reapply string `json:"reapply,omitempty"`

	// The last value of the annotation landbridge.io/reconcile-requested-at that was handled.
	// +optional
	ReconcileRequestedAt string `json:"reconcileRequestedAt,omitempty"`
}

// Plan is the changes that bring the remote object to the desired state.
type Plan struct {
	// NoOp, Create, Update, Delete, DeleteThenCreate or CreateThenDelete.
	// +optional
	Action string `json:"action,omitempty"`

	// Why the object must be replaced.
	// +optional
	Reason string `json:"reason,omitempty"`

	// Identifies this plan with all its values, also those that are not shown. It cannot be guessed from them.
	// +optional
	Hash string `json:"hash,omitempty"`

	// +optional
	Changes []Change `json:"changes,omitempty"`

	// The fields that force a replacement.
	// +optional
	RequiresReplace []string `json:"requiresReplace,omitempty"`
}

// LastApproval is the last plan that was carried out because it was approved.
type LastApproval struct {
	// Hash of the plan.
	// +optional
	Hash string `json:"hash,omitempty"`

	// Action of the plan.
	// +optional
	Action string `json:"action,omitempty"`

	// Who approved it. Empty if the API server does not tell.
	// +optional
	By string `json:"by,omitempty"`

	// When it was carried out.
	// +optional
	At *metav1.Time `json:"at,omitempty"`
}

// Drift is what was changed of the remote object outside of this resource.
type Drift struct {
	// When the first of the changes was found. Empty if there are none now.
	// +optional
	Found *metav1.Time `json:"found,omitempty"`

	// Set when the object was destroyed.
	// +optional
	Gone bool `json:"gone,omitempty"`

	// The changed fields that spec.forProvider wants to be otherwise.
	// +optional
	Changes []Change `json:"changes,omitempty"`

	// Earlier changes, the latest last.
	// +optional
	History []FormerDrift `json:"history,omitempty"`
}

// A FormerDrift is what was changed outside of this resource earlier.
type FormerDrift struct {
	// When it was found.
	Found metav1.Time `json:"found"`

	// When it ended.
	Until metav1.Time `json:"until"`

	// How it ended. Repaired: it was changed back. Adopted: spec wants it so. Reverted: it was changed back outside of this resource. Observed: spec has nothing to compare with.
	Outcome string `json:"outcome"`

	// Set when the object was destroyed.
	// +optional
	Gone bool `json:"gone,omitempty"`

	// +optional
	Changes []Change `json:"changes,omitempty"`
}

// A Change is one difference that a plan makes.
type Change struct {
	// Path of the field below atProvider; [*] is an element of a set.
	Path string `json:"path"`

	// +optional
	// +nullable
	Before *apiextensionsv1.JSON `json:"before,omitempty"`

	// +optional
	// +nullable
	After *apiextensionsv1.JSON `json:"after,omitempty"`

	// Before is sensitive.
	// +optional
	BeforeSensitive bool `json:"beforeSensitive,omitempty"`

	// After is sensitive.
	// +optional
	AfterSensitive bool `json:"afterSensitive,omitempty"`

	// After is not wholly known.
	// +optional
	AfterUnknown bool `json:"afterUnknown,omitempty"`
}

// A FormerIdentity is an earlier identity of the remote object. Identities of earlier schema versions
// have other fields, so it is not typed.
type FormerIdentity struct {
	Identity runtime.RawExtension `json:"identity"`

	// When another identity was first observed.
	Until metav1.Time `json:"until"`
}
