package managed

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// ResourceStatus is the part of status that all managed resources have.
type ResourceStatus struct {
	xpv2.ConditionedStatus `json:",inline"`

	// State of the remote object: Empty, Partial, Tainted or Full.
	// +optional
	State string `json:"state,omitempty"`

	// The change that is being carried out.
	// +optional
	Operation *Operation `json:"operation,omitempty"`

	// Remote objects that were replaced, and are still to be destroyed.
	// +optional
	// +listType=map
	// +listMapKey=key
	Deposed []DeposedObject `json:"deposed,omitempty"`

	// What was asked for by annotation, and acted upon. The same value never acts twice.
	// +optional
	LastHandled *LastHandled `json:"lastHandled,omitempty"`

	// What has to be done to bring the remote object to what is wanted.
	// +optional
	Plan *Plan `json:"plan,omitempty"`

	// The generation of the resource that this status is about.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// The last value of the annotation crossplane.io/reconcile-requested-at that was acted on.
	// +optional
	LastHandledReconcileAt string `json:"lastHandledReconcileAt,omitempty"`
}

// Operation is the change that is being carried out.
type Operation struct {
	// +optional
	ID string `json:"id,omitempty"`

	// Create, Update or Delete.
	// +optional
	Kind string `json:"kind,omitempty"`

	// The generation of the resource that is being carried out.
	// +optional
	Generation int64 `json:"generation,omitempty"`

	// Key of the deposed object that is destroyed, or that the object to be created replaces.
	// +optional
	Deposed string `json:"deposed,omitempty"`

	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`

	// When it will be given up. Empty while it waits for its turn.
	// +optional
	Deadline *metav1.Time `json:"deadline,omitempty"`

	// What the provider said of it last, where it logs that it does something.
	// +optional
	Progress string `json:"progress,omitempty"`
}

// A DeposedObject was replaced, and is still to be destroyed.
type DeposedObject struct {
	// Tells it from other deposed objects.
	Key string `json:"key"`

	// +optional
	State string `json:"state,omitempty"`

	// What the object is called at the provider.
	// +optional
	ExternalName string `json:"externalName,omitempty"`

	// +optional
	// +nullable
	Identity *apiextensionsv1.JSON `json:"identity,omitempty"`
}

// LastHandled is what was asked for by annotation, and acted upon.
type LastHandled struct {
	// The last value of the annotation landbridge.io/taint that was acted upon.
	// +optional
	Taint string `json:"taint,omitempty"`

	// The last value of the annotation landbridge.io/untaint that was acted upon.
	// +optional
	Untaint string `json:"untaint,omitempty"`

	// The last value of the annotation landbridge.io/retry that was acted upon.
	// +optional
	Retry string `json:"retry,omitempty"`
}

// Plan is what has to be done to bring the remote object to what is wanted.
type Plan struct {
	// NoOp, Create, Update, Delete, DeleteThenCreate or CreateThenDelete.
	// +optional
	Action string `json:"action,omitempty"`

	// Why the object has to be replaced.
	// +optional
	Reason string `json:"reason,omitempty"`

	// Identifies this plan.
	// +optional
	Hash string `json:"hash,omitempty"`

	// +optional
	Changes []Change `json:"changes,omitempty"`

	// The fields that force a replacement.
	// +optional
	RequiresReplace []string `json:"requiresReplace,omitempty"`
}

// A Change is one difference that a plan makes.
type Change struct {
	// The field, as below atProvider; [*] is an element of a set.
	Path string `json:"path"`

	// +optional
	// +nullable
	Before *apiextensionsv1.JSON `json:"before,omitempty"`

	// +optional
	// +nullable
	After *apiextensionsv1.JSON `json:"after,omitempty"`
}

// A FormerIdentity is one that the remote object had before. Identities of earlier schema versions
// have other fields, so it is not typed.
type FormerIdentity struct {
	Identity runtime.RawExtension `json:"identity"`

	// When another identity was first seen.
	Until metav1.Time `json:"until"`
}
