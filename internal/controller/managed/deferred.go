package managed

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// DeferredReasons are the reasons of the condition Deferred.
var DeferredReasons = map[terraform.Deferral]xpv2.ConditionReason{
	terraform.NotDeferred:                   v1alpha1.ReasonNotDeferred,
	terraform.DeferredUnknown:               v1alpha1.ReasonNoReasonGiven,
	terraform.DeferredResourceConfigUnknown: v1alpha1.ReasonResourceConfigUnknown,
	terraform.DeferredProviderConfigUnknown: v1alpha1.ReasonProviderConfigUnknown,
	terraform.DeferredAbsentPrereq:          v1alpha1.ReasonAbsentPrereq,
}

// setDeferred sets the condition Deferred. A resource that was never deferred has none.
func (c *connector) setDeferred(r *CustomResource, why terraform.Deferral, message string) {
	status := corev1.ConditionTrue
	switch {
	case why != terraform.NotDeferred:
		// The same observation ends it.
		c.kind.tracked.revise(subjectOf(r).name, func(x tracked) tracked {
			x.status = writtenStatus{}
			return x
		})
	case r.GetCondition(v1alpha1.TypeDeferred).Status != corev1.ConditionTrue:
		return
	default:
		status, message = corev1.ConditionFalse, ""
	}
	r.SetConditions(xpv2.Condition{
		Type: v1alpha1.TypeDeferred, Status: status, Reason: DeferredReasons[why], Message: message, LastTransitionTime: metav1.Now(),
	}.WithObservedGeneration(r.GetGeneration()))
}
