package managed

import (
	"errors"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/instance"
)

// step is one of the loop, by which a failure of it is told.
type step struct {
	// message precedes the error in the condition Synced; empty if nothing does.
	message string
	// reason is that of the event; empty if there is none.
	reason event.Reason
}

// The steps, with Crossplane's texts.
var (
	validating   = step{reason: reasonPolicyInvalid}
	resolving    = step{reason: reasonUnresolved}
	connecting   = step{message: "connect failed: ", reason: reasonCannotConnect}
	observing    = step{message: "observe failed: ", reason: reasonCannotObserve}
	publishing   = step{reason: reasonCannotPublish}
	finalizing   = step{}
	initializing = step{message: "cannot update managed resource: ", reason: reasonCannotUpdateManaged}
	creating     = step{message: "create failed: ", reason: reasonCannotCreate}
	updating     = step{message: "update failed: ", reason: reasonCannotUpdate}
	deleting     = step{message: "delete failed: ", reason: reasonCannotDelete}
	releasing    = step{}
)

// setSynced sets the condition Synced after a reconcile in which nothing has failed.
func (r *CustomResource) setSynced() {
	synced, ok := r.retries()
	if !ok {
		synced = xpv2.ReconcileSuccess().WithObservedGeneration(r.GetGeneration())
	}
	r.SetConditions(synced)
}

// setFailed sets the condition Synced after a failure.
func (r *CustomResource) setFailed(message string) {
	c := xpv2.ReconcileError(errors.New(r.phased(message))).WithObservedGeneration(r.GetGeneration())
	if r.reason != "" {
		c.Reason, c.Message = r.reason, plainly(r.reason, c.Message)
	}
	r.SetConditions(c)
}

// retries returns the condition Synced of the failed operation that is being tried again: until it
// succeeds, the resource is not as declared. It is false if no operation was begun, or if the last
// one did not fail or was of another generation.
func (r *CustomResource) retries() (synced xpv2.Condition, ok bool) {
	began := r.requested || r.observation != nil && r.observation.Operation != nil
	last := r.GetCondition(v1alpha1.TypeLastAsyncOperation)
	if !began || r.read == nil || last.Status != corev1.ConditionFalse {
		return synced, false
	}
	synced = (&CustomResource{Unstructured: *r.read}).GetCondition(xpv2.TypeSynced)
	if synced.Status == corev1.ConditionFalse && synced.ObservedGeneration == r.GetGeneration() && ofOperation(synced.Message) {
		return synced, true
	}
	// The delay may have passed before anything told of the failure.
	if o := r.observation; o != nil && o.Last.Failed() && o.Last.Generation == r.GetGeneration() {
		return xpv2.ReconcileError(errors.New(failedPhase(o.Last.Kind) + last.Message)).WithObservedGeneration(r.GetGeneration()), true
	}
	return synced, false
}

// retried returns the token of the last request of a retry that the status, as read, has as
// handled.
func (r *CustomResource) retried() string {
	if r.read == nil {
		return ""
	}
	token, _, _ := unstructured.NestedString(r.read.Object, "status", "lastHandled", "retry")
	return token
}

// phased returns the message of a failure with the operation that has failed. The loop only knows
// the one that it asks for next: after a create that left a part of the object, that is an update.
func (r *CustomResource) phased(message string) string {
	if r.failed == "" {
		return message
	}
	for _, p := range phases {
		if rest, ok := strings.CutPrefix(message, p); ok {
			return failedPhase(r.failed) + rest
		}
	}
	return message
}

// failedPhase is how the message of a failed operation begins.
func failedPhase(kind instance.OperationKind) string {
	return strings.ToLower(string(kind)) + " failed: "
}

// ofOperation reports whether a message of Synced is about a failed operation.
func ofOperation(message string) bool {
	for _, p := range phases[2:] {
		if strings.HasPrefix(message, p) {
			return true
		}
	}
	return false
}

// failedUntold reports whether the last operation has failed, and the status that was read does not
// tell. The next attempt may begin at once, when the delay has passed meanwhile.
func (r *CustomResource) failedUntold() bool {
	c := r.GetCondition(v1alpha1.TypeLastAsyncOperation)
	if c.Status != corev1.ConditionFalse {
		return false
	}
	before := &CustomResource{}
	if r.read != nil {
		before.Object = r.read.Object
	}
	return !before.GetCondition(v1alpha1.TypeLastAsyncOperation).Equal(c)
}

// phases are the steps that precede messages.
var phases = []string{connecting.message, observing.message, creating.message, updating.message, deleting.message}

// unasked are the reasons with which nothing was asked of the provider, so that nothing has failed.
var unasked = map[xpv2.ConditionReason]bool{
	v1alpha1.ReasonAwaitingApproval: true, v1alpha1.ReasonPlanChanged: true, v1alpha1.ReasonDriftReported: true,
	v1alpha1.ReasonInterrupted: true, v1alpha1.ReasonCreateAttemptsExhausted: true, v1alpha1.ReasonNeverSettles: true,
	v1alpha1.ReasonInconsistentResult: true,
	v1alpha1.ReasonAwaitingAction:     true, v1alpha1.ReasonActionFailed: true,
}

// plainly returns a message without the step that it is from, where that misleads: a spec is read
// while connecting, and nothing fails while a plan waits.
func plainly(reason xpv2.ConditionReason, message string) string {
	prefixes := phases[:1]
	if unasked[reason] {
		prefixes = phases
	}
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(message, p); ok {
			return rest
		}
	}
	return message
}
