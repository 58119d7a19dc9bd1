package managed

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
)

func awaitsApproval(r scheduler.Reason) bool {
	return r == decision.ReasonAwaitingApproval || r == decision.ReasonPlanChanged
}

// standingEvent returns the event of a reason that does not go away by trying again.
func standingEvent(why scheduler.Reason, reason event.Reason, message string) event.Event {
	if why == decision.ReasonAwaitingApproval || why == decision.ReasonDeferred || why == decision.ReasonAwaitingDependents ||
		why == decision.ReasonOperationsPaused {
		return event.Normal(reason, message)
	}
	return warning(reason, message)
}

// setUnapproved sets the condition Approved of a resource whose plan waits for approval, and
// returns its message.
func (c *connector) setUnapproved(r *CustomResource, why scheduler.Reason) string {
	o := r.observation
	how := fmt.Sprintf("landbridge approve %s.%s %s -n %s --hash %s, or the annotation %s: %q",
		c.kind.Model.Singular, c.kind.Model.Group, r.GetName(), r.GetNamespace(), o.PlanHash, v1alpha1.AnnotationApprove, o.PlanHash)
	message := fmt.Sprintf("%s%s waits for approval: %s.", o.PlanAction, withDependents(replacementOf(&r.Unstructured)), how)
	if why == decision.ReasonPlanChanged {
		message = fmt.Sprintf("The approved plan is not the current one. Look at status.plan, and approve %s%s: %s.",
			o.PlanAction, strings.TrimSuffix(withDependents(replacementOf(&r.Unstructured)), ","), how)
	}
	r.SetConditions(xpv2.Condition{
		Type: v1alpha1.TypeApproved, Status: corev1.ConditionFalse, Reason: reasons[why], Message: Shorten(message),
		LastTransitionTime: metav1.Now(),
	}.WithObservedGeneration(r.GetGeneration()))
	return message
}

// setApproved sets the condition Approved of a resource that has waited for approval and does not
// any more.
func (e *external) setApproved(r *CustomResource) {
	if r.GetCondition(v1alpha1.TypeApproved).Status == corev1.ConditionUnknown {
		return
	}
	c := xpv2.Condition{
		Type: v1alpha1.TypeApproved, Status: corev1.ConditionTrue, Reason: v1alpha1.ReasonNothingToApprove,
		LastTransitionTime: metav1.Now(),
	}
	if known, ok := e.kind.Scheduler.Remembered(e.request); ok && known.Handled.Approve != "" {
		c.Reason, c.Message = v1alpha1.ReasonApproved,
			approvedMessage(known.Handled.ApprovedAction, known.Handled.Approve, known.Handled.ApprovedBy)
	}
	r.SetConditions(c.WithObservedGeneration(r.GetGeneration()))
}

// approvedMessage returns that a plan was approved, and by whom.
func approvedMessage(action, hash, by string) string {
	return fmt.Sprintf("%s was approved by %s (plan %s).", action, cmp.Or(by, "a user whom the API server does not name"), hash)
}
