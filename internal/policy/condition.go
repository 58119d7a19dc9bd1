package policy

import (
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// Ready returns the condition Ready of a policy. invalid is why it cannot be used, and effect a
// sentence without its end about what follows from that.
func Ready(invalid error, effect string) xpv2.Condition {
	out := xpv2.Condition{
		Type: xpv2.TypeReady, Status: corev1.ConditionTrue, Reason: v1alpha1.ReasonCompiled,
		LastTransitionTime: metav1.Now(),
	}
	if invalid != nil {
		out.Status, out.Reason = corev1.ConditionFalse, v1alpha1.ReasonInvalidCondition
		out.Message = effect + ", since it cannot be used. Correct it: " + invalid.Error()
	}
	return out
}
