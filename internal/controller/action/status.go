package action

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/invocation"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/text"
)

// Reasons of events.
const (
	reasonInvoking       event.Reason = "InvokingAction"
	reasonProgress       event.Reason = "ActionProgress"
	reasonSucceeded      event.Reason = "InvokedAction"
	reasonFailed         event.Reason = "ActionFailed"
	reasonUnknown        event.Reason = "ActionOutcomeUnknown"
	reasonCannot         event.Reason = "CannotInvokeAction"
	reasonAwaitsApproval event.Reason = "AwaitingApproval"
	reasonPaused         event.Reason = "ReconciliationPaused"
	reasonWarned         event.Reason = "Warned"
)

// failure is why an action is not invoked.
type failure struct {
	reason   xpv2.ConditionReason
	message  string
	deferral terraform.Deferral
	// retryAt is when the provider is available again; zero if the delay grows with each failure.
	retryAt time.Time
	// passing is set for what ends within seconds and is not told.
	passing bool
	// waits is set for what is normal, or for what does not go away by trying again at once.
	waits bool
	// stalls is set for what stays until something is changed.
	stalls bool
}

// hold writes why an action is not invoked, and returns when it is tried again.
func (r *Reconciler) hold(ctx context.Context, o *object, record invocation.Record, f failure) (reconcile.Result, error) {
	next := unmanaged.BackOff
	switch {
	case !f.retryAt.IsZero():
		next = reconcile.Result{RequeueAfter: max(f.retryAt.Sub(r.kind.Clock.Now()), 10*time.Millisecond)}
	case f.waits:
		next = reconcile.Result{RequeueAfter: max(r.kind.Options.Poll, unmanaged.Soon)}
	}
	if f.passing {
		return next, nil
	}
	message := managed.Shorten(o.Redacted(f.message))
	before := o.GetCondition(xpv2.TypeSynced)
	o.setRecord(record)
	o.describe(situation{phase: record.Phase, suspended: o.suspended(), retries: true, reason: f.reason, message: message, stalls: f.stalls})
	o.SetDeferred(f.deferral, message)
	o.observed()
	if err := o.Write(ctx, r.client); err != nil {
		return reconcile.Result{}, err
	}
	if before.Reason != f.reason || before.Message != message || before.ObservedGeneration != o.GetGeneration() {
		e := event.Event{Type: event.TypeWarning, Reason: reasonCannot, Message: message}
		if f.waits && !f.stalls {
			e.Type = event.TypeNormal
		}
		r.kind.Options.Recorder.Event(o, e)
	}
	return next, nil
}

// situation is what conditions tell.
type situation struct {
	phase     invocation.Phase
	suspended bool
	// retries is set if a failed action is invoked again.
	retries bool
	// reason and message are why the action is not invoked, or how it ended.
	reason  xpv2.ConditionReason
	message string
	// stalls is set for what stays until something is changed.
	stalls bool
}

// describe sets the conditions.
func (o *object) describe(s situation) {
	for _, t := range []xpv2.ConditionType{
		v1alpha1.TypeReconciling, v1alpha1.TypeStalled, v1alpha1.TypeComplete, v1alpha1.TypeFailed,
		v1alpha1.TypeSuspended,
	} {
		if o.GetCondition(t).Status != s.wants(t) {
			o.RemoveCondition(t)
		}
	}
	ready, synced := corev1.ConditionFalse, corev1.ConditionTrue
	reason, syncedReason := s.reason, xpv2.ReasonReconcileSuccess
	message, syncedMessage := s.message, ""
	switch {
	case s.phase == invocation.Running:
		reason, message = v1alpha1.ReasonInvoking, "The action is running."
	case s.phase == invocation.Succeeded:
		ready, reason, message = corev1.ConditionTrue, xpv2.ReasonAvailable, ""
	case s.suspended:
		reason, message = v1alpha1.ReasonSuspended, "The action is not invoked, since spec.suspend is true."
	default:
		synced, syncedReason, syncedMessage = corev1.ConditionFalse, s.reason, s.message
	}
	for _, t := range []xpv2.ConditionType{
		v1alpha1.TypeReconciling, v1alpha1.TypeStalled, v1alpha1.TypeComplete, v1alpha1.TypeFailed,
		v1alpha1.TypeSuspended,
	} {
		if s.wants(t) == corev1.ConditionTrue {
			o.Condition(t, corev1.ConditionTrue, reason, message)
		}
	}
	o.Condition(xpv2.TypeReady, ready, reason, message)
	o.Condition(xpv2.TypeSynced, synced, syncedReason, syncedMessage)
}

// wants returns the status of a condition that an object has only if it is True.
func (s situation) wants(t xpv2.ConditionType) corev1.ConditionStatus {
	over := s.phase == invocation.Unknown || s.phase == invocation.Failed && !s.retries
	begun := over || s.phase == invocation.Succeeded || s.phase == invocation.Running
	is := map[xpv2.ConditionType]bool{
		v1alpha1.TypeReconciling: s.phase == invocation.Running || !begun && !s.suspended && !s.stalls,
		v1alpha1.TypeStalled:     over || !begun && !s.suspended && s.stalls,
		v1alpha1.TypeComplete:    s.phase == invocation.Succeeded,
		v1alpha1.TypeFailed:      over,
		v1alpha1.TypeSuspended:   !begun && s.suspended,
	}
	if is[t] {
		return corev1.ConditionTrue
	}
	return corev1.ConditionUnknown
}

// observed sets that the status describes the object as it is.
func (o *object) observed() {
	o.SetHandledReconcile()
	o.Set(o.GetGeneration(), "status", "observedGeneration")
}

// setPlan shows a plan.
func (o *object) setPlan(p *planned) {
	shown := map[string]any{"action": string(terraform.Invoke), "hash": p.hash}
	var changes []any
	if raw, err := json.Marshal(p.changes); err == nil && json.Unmarshal(raw, &changes) == nil && len(changes) > 0 {
		shown["changes"] = changes
	}
	o.Set(shown, "status", "plan")
}

// setProgress sets the messages of the provider.
func (o *object) setProgress(all []message) {
	shown := make([]any, 0, len(all))
	for _, m := range all {
		shown = append(shown, map[string]any{"time": m.at.UTC().Format(time.RFC3339), "message": m.text})
	}
	if len(shown) == 0 {
		o.Remove("status", "progress")
		return
	}
	o.Set(shown, "status", "progress")
}

// setUnapproved sets that a plan waits for approval, and returns the situation.
func (k *Kind) setUnapproved(o *object, p *planned) situation {
	how := fmt.Sprintf("landbridge approve %s.%s %s -n %s --hash %s, or the annotation %s: %q",
		k.Model.Singular, k.Model.Group, o.GetName(), o.GetNamespace(), p.hash, v1alpha1.AnnotationApprove, p.hash)
	s := situation{
		phase: invocation.AwaitingApproval, reason: v1alpha1.ReasonAwaitingApproval,
		message: fmt.Sprintf("The action waits for approval: %s.", how),
	}
	if p.other {
		s.reason, s.message = v1alpha1.ReasonPlanChanged,
			fmt.Sprintf("The approved plan is not the current one. Look at status.plan, and approve it: %s.", how)
	}
	o.Condition(v1alpha1.TypeApproved, corev1.ConditionFalse, s.reason, s.message)
	return s
}

// setApproved records that an approval is used.
func (o *object) setApproved(p *planned, now time.Time) {
	if !p.approval {
		return
	}
	used := map[string]any{"hash": p.hash, "action": string(terraform.Invoke), "at": now.Format(time.RFC3339)}
	by := o.GetAnnotations()[v1alpha1.AnnotationApprovedBy]
	if by != "" {
		used["by"] = by
	} else {
		by = "a user whom the API server does not name"
	}
	o.Set(used, "status", "lastApproval")
	o.Condition(v1alpha1.TypeApproved, corev1.ConditionTrue, v1alpha1.ReasonApproved,
		fmt.Sprintf("%s was approved by %s (plan %s).", terraform.Invoke, by, p.hash))
}

// oneLine is the message of a provider for a status.
func (o *object) oneLine(message string) string {
	return text.Shorten(strings.Join(strings.Fields(o.Redacted(message)), " "), maxMessage)
}

// maxMessage bounds a message of the provider about its progress, in characters.
const maxMessage = 512
