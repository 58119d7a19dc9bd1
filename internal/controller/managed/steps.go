package managed

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// backOff queues a resource again after a delay that grows with each time in a row.
var backOff = reconcile.Result{Requeue: true} //nolint:staticcheck // RequeueAfter has no such delay

// writing is how long writes may take after the calls of the provider have used up the timeout.
const writing = 30 * time.Second

// bounded returns the context of a reconcile, and that of its calls of the provider.
func (r *Reconciler) bounded(ctx context.Context) (_, remote context.Context, cancel func()) {
	ctx, cancelAll := context.WithTimeout(ctx, r.kind.Options.Timeout+writing)
	remote, cancelRemote := context.WithTimeout(ctx, r.kind.Options.Timeout)
	return ctx, remote, func() { cancelRemote(); cancelAll() }
}

// fail tells that a step has failed. A conflict is not told: the resource has changed since it was
// read.
func (r *Reconciler) fail(ctx context.Context, mg *CustomResource, s step, err error) (reconcile.Result, error) {
	r.debug.Info("Reconcile failed", "namespace", mg.GetNamespace(), "name", mg.GetName(), "step", s.message, "error", err.Error())
	if kerrors.IsConflict(err) {
		return backOff, nil
	}
	if s.reason != "" {
		r.tell(mg, event.Warning(s.reason, err))
	}
	mg.setFailed(s.message + err.Error())
	return backOff, r.writeStatus(ctx, mg)
}

// succeed tells that nothing has failed.
func (r *Reconciler) succeed(ctx context.Context, mg *CustomResource, next reconcile.Result) (reconcile.Result, error) {
	mg.setSynced()
	return next, r.writeStatus(ctx, mg)
}

// pause tells that a resource is paused. A running operation on its object can still be
// interrupted.
func (r *Reconciler) pause(ctx context.Context, mg *CustomResource) (reconcile.Result, error) {
	r.tell(mg, event.Normal(reasonPaused, "Reconciliation is paused either through the `spec.managementPolicies` or the pause annotation",
		"annotation", meta.AnnotationKeyReconciliationPaused))
	mg.SetConditions(xpv2.ReconcilePaused().WithObservedGeneration(mg.GetGeneration()))
	err := r.writeStatus(ctx, mg)
	key := r.kind.key(&mg.Unstructured)
	if token := mg.annotation(v1alpha1.AnnotationInterrupt); token != "" {
		r.kind.Scheduler.Interrupt(key, token)
	}
	r.kind.Scheduler.Reload(key)
	return reconcile.Result{}, err
}

// finish releases a resource whose object is gone, or stays. Then the resource is gone, too, unless
// others hold it.
func (r *Reconciler) finish(ctx context.Context, mg *CustomResource) (reconcile.Result, error) {
	if err := r.finalizer.remove(ctx, mg); err != nil {
		mg.SetConditions(xpv2.Deleting().WithObservedGeneration(mg.GetGeneration()))
		return r.fail(ctx, mg, releasing, err)
	}
	r.kind.finished(mg)
	return reconcile.Result{}, nil
}

// finishAfter is finish, once the actions that follow the destruction of the object have ended.
func (r *Reconciler) finishAfter(ctx context.Context, mg *CustomResource, e *external, o *scheduler.Observation) (reconcile.Result, error) {
	if err := e.after(ctx, mg, o); err != nil {
		return r.fail(ctx, mg, deleting, e.explain(ctx, mg, err))
	}
	return r.finish(ctx, mg)
}

// poll is the result after which an unchanged resource is looked at again.
func (r *Reconciler) poll(mg *CustomResource) reconcile.Result {
	return reconcile.Result{RequeueAfter: r.kind.poll(mg)}
}

// noteRequest records an event, once, for a request by Crossplane's annotation.
func (r *Reconciler) noteRequest(mg *CustomResource) {
	if token, ok := meta.GetReconcileRequest(mg); ok && token != mg.string("status", "lastHandledReconcileAt") {
		r.tell(mg, event.Normal(reasonRequestHandled, "Handling reconcile request", "token", token))
	}
}

func (r *Reconciler) writeStatus(ctx context.Context, mg *CustomResource) error {
	if err := r.client.updateStatus(ctx, mg); err != nil {
		return fmt.Errorf("cannot update managed resource status: %w", err)
	}
	return nil
}

// tell records an event of the loop. Left out is what was told before or passes soon: an
// observation that fails briefly, such as while a provider restarts, and that the same references
// still cannot be resolved. Waiting for them is normal.
func (r *Reconciler) tell(mg *CustomResource, e event.Event) {
	switch {
	case e.Reason == reasonUnresolved && unresolvedBefore(mg, e.Message):
		return
	case e.Reason == reasonUnresolved && strings.HasPrefix(e.Message, waitsForOthers):
		e.Type = event.TypeNormal
	case mg.told, Repeats(string(e.Reason)) && r.kind.tracked.young(subjectOf(mg)):
		return
	}
	r.kind.Options.Recorder.WithAnnotations("external-name", meta.GetExternalName(mg)).Event(mg, e)
}

// unresolvedBefore reports whether the same references could not be resolved before.
func unresolvedBefore(r *CustomResource, message string) bool {
	now := r.GetCondition(xpv2.TypeSynced)
	return now.Reason == v1alpha1.ReasonReferenceNotResolved && now.Message == message
}
