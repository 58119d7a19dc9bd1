package managed

import (
	"cmp"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/instance"
)

// stalling are the reasons of Synced with which nothing goes on until something is changed.
// All others are tried again.
var stalling = map[xpv2.ConditionReason]bool{
	v1alpha1.ReasonAccountChanged: true, v1alpha1.ReasonAlreadyExists: true,
	v1alpha1.ReasonCreateAttemptsExhausted: true, v1alpha1.ReasonCreateOutcomeUnknown: true,
	v1alpha1.ReasonDriftReported: true, v1alpha1.ReasonDeletionProtected: true,
	v1alpha1.ReasonIdentityConflict: true, v1alpha1.ReasonIdentityUpgradeFailed: true, v1alpha1.ReasonInterrupted: true,
	v1alpha1.ReasonInvalidConfiguration: true, v1alpha1.ReasonNamespaceNotAllowed: true, v1alpha1.ReasonReplaceRefused: true,
	v1alpha1.ReasonMoved: true, v1alpha1.ReasonProviderCrashes: true, v1alpha1.ReasonNeverSettles: true,
	v1alpha1.ReasonInconsistentResult: true, v1alpha1.ReasonStateTooLarge: true,
	v1alpha1.ReasonUnexpectedIdentityChange: true,
}

// setProgress sets the conditions that kstatus asks for, which Flux and others compute a health
// from: Reconciling is True while the resource is not as declared and work goes on or is tried
// again, and Stalled is True while nothing goes on until something is changed. A resource
// that is as declared has no condition Reconciling. They follow from the other conditions, so they
// are written with these.
func (r *CustomResource) setProgress() {
	synced, stalled := r.GetCondition(xpv2.TypeSynced), r.GetCondition(v1alpha1.TypeStalled)
	if synced.Reason == xpv2.ReasonReconcilePaused {
		return // the status is that of the generation before
	}
	o := r.observation
	refused := synced.Status == corev1.ConditionFalse && (stalling[synced.Reason] || r.mistaken) && r.certain(synced)
	stuck := refused || o != nil && (o.Held || o.Stalled) // of which setConditions tells
	generation := r.GetGeneration()
	switch {
	case refused && (stalled.Status != corev1.ConditionTrue || stalled.Reason != synced.Reason):
		r.SetConditions(condition(v1alpha1.TypeStalled, corev1.ConditionTrue, synced.Reason, synced.Message, generation))
	case !stuck && stalled.Status == corev1.ConditionTrue:
		r.SetConditions(condition(v1alpha1.TypeStalled, corev1.ConditionFalse, v1alpha1.ReasonProgressing, "", generation))
	}
	if reason, message := r.progress(synced); reason != "" && !stuck {
		r.SetConditions(condition(v1alpha1.TypeReconciling, corev1.ConditionTrue, reason, message, generation))
	} else {
		r.RemoveCondition(v1alpha1.TypeReconciling)
	}
}

// certain reports whether a failure is not one that may have passed by the next attempt. Plans of
// some providers need their cloud, so an invalid configuration is certain when the same generation
// was refused before. A Secret that does not exist may still be created.
func (r *CustomResource) certain(synced xpv2.Condition) bool {
	if synced.Reason != v1alpha1.ReasonInvalidConfiguration {
		return true
	}
	return !r.secretMissing && r.read != nil && sameFailure((&CustomResource{Unstructured: *r.read}).GetCondition(xpv2.TypeSynced), synced)
}

func sameFailure(a, b xpv2.Condition) bool {
	return a.Status == b.Status && a.Reason == b.Reason && a.ObservedGeneration == b.ObservedGeneration
}

// progress returns why the resource is not as declared yet; "" if it is.
func (r *CustomResource) progress(synced xpv2.Condition) (xpv2.ConditionReason, string) {
	ready := r.GetCondition(xpv2.TypeReady)
	var running *instance.Operation
	if r.observation != nil {
		running = r.observation.Operation
	}
	switch {
	case meta.WasDeleted(r):
		return "", "" // the time of its deletion is enough
	case synced.Status == corev1.ConditionFalse && synced.Reason == xpv2.ReasonReconcileError:
		return v1alpha1.ReasonRetrying, synced.Message + r.nextAttempt()
	case synced.Status == corev1.ConditionFalse:
		return synced.Reason, synced.Message
	case running != nil:
		return v1alpha1.ReasonProgressing, string(running.Kind) + " of the remote object is running."
	case r.requested:
		return v1alpha1.ReasonProgressing, "The plan in status.plan is being carried out."
	case ready.Status != corev1.ConditionTrue:
		return v1alpha1.ReasonProgressing, cmp.Or(ready.Message, "The remote object is not ready yet.")
	}
	return "", ""
}

// nextAttempt returns when a failed operation is tried again, as a sentence to add to a message; ""
// if that is soon.
func (r *CustomResource) nextAttempt() string {
	if time.Until(r.retryAt) < soon {
		return ""
	}
	return "\n" + crd.NextAttempt(r.retryAt)
}

func condition(
	t xpv2.ConditionType, s corev1.ConditionStatus, reason xpv2.ConditionReason, message string, generation int64,
) xpv2.Condition {
	return xpv2.Condition{
		Type: t, Status: s, Reason: reason, Message: message, LastTransitionTime: metav1.Now(),
		ObservedGeneration: generation,
	}
}
