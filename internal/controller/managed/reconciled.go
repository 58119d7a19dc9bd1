package managed

import (
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/trigger"
)

// reconciled reports whether a reconcile of the resource has succeeded, and another one would write
// nothing if the remote object is unchanged, but for a connection Secret.
func reconciled(r *CustomResource) bool {
	return !paused(r) && r.GetDeletionTimestamp() == nil && finalizerReplaced(r) && synced(&r.Unstructured) && !trigger.Open(&r.Unstructured)
}

// published reports whether the resource has a connection Secret, which is compared with each
// reconcile.
func published(r *CustomResource) bool {
	return references.SecretWritten(&r.Unstructured) != ""
}

// synced reports whether the condition Synced is true.
func synced(u *unstructured.Unstructured) bool {
	return isSynced(u, "status", string(corev1.ConditionTrue))
}

// isSynced reports whether a field of the condition Synced has a value. It does not decode the
// other conditions.
func isSynced(u *unstructured.Unstructured, field, is string) bool {
	value, _, _ := unstructured.NestedFieldNoCopy(u.Object, "status", "conditions")
	conditions, _ := value.([]any)
	return slices.ContainsFunc(conditions, func(x any) bool {
		c, _ := x.(map[string]any)
		return c["type"] == string(xpv2.TypeSynced) && c[field] == is
	})
}
