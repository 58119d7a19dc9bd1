package managed

import xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

// ProviderConfigStatus is the status of a provider's configuration.
type ProviderConfigStatus struct {
	xpv2.ConditionedStatus `json:",inline"`

	// Number of resources that use this configuration.
	// +optional
	Users int64 `json:"users,omitempty"`

	// The generation of the spec of which the users were last notified.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// The last value of the annotation landbridge.io/reconcile-requested-at that was handled.
	// +optional
	LastHandledReconcileAt string `json:"lastHandledReconcileAt,omitempty"`
}
