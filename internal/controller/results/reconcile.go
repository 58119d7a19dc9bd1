package results

import (
	"context"
	"fmt"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/model"
)

const reasonPaused event.Reason = "ReconciliationPaused"

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	return r.kind.Reconcile(ctx, req, r)
}

// Ignores implements unmanaged.Looker. Others hold a data source that is being deleted: nothing is
// to be destroyed.
func (r *Reconciler) Ignores(u *unstructured.Unstructured) bool {
	return u.GetDeletionTimestamp() != nil && r.kind.Model.Mode == model.Data
}

// Look implements unmanaged.Looker.
func (r *Reconciler) Look(ctx context.Context, o unmanaged.Resource) (reconcile.Result, error) {
	return r.refresh(ctx, &object{o})
}

// refresh reads a data source, or opens, renews or closes an ephemeral resource, if it is due, and
// writes what came of it.
func (r *Reconciler) refresh(ctx context.Context, o *object) (reconcile.Result, error) {
	k := r.kind
	if o.Paused() {
		return r.pause(ctx, o)
	}
	if k.Model.Mode == model.Ephemeral {
		return r.hold(ctx, o)
	}
	if err := k.resolve(ctx, o); err != nil {
		return r.fail(ctx, o, unresolved(err))
	}
	handle := k.handle(ctx, o)
	o.Secrets = append(o.Secrets, handle.Secrets...)
	if handle.Diagnostics.HasErrors() {
		return r.fail(ctx, o, notUsable(handle))
	}
	arguments, failure := k.arguments(ctx, o, handle)
	if failure != nil {
		return r.fail(ctx, o, *failure)
	}
	known := k.looks.Recall(o)
	now, after := occasion{
		ready: o.ready() && o.observedGeneration() == o.GetGeneration(), hash: o.Text("status", "configurationHash"), now: arguments.hash,
		requested: o.unhandled(), interval: Interval(&o.Unstructured), last: known.last, at: time.Now(),
	}.due()
	if !now {
		return reconcile.Result{RequeueAfter: after}, nil
	}
	data, failure := k.readData(ctx, o, handle, arguments)
	if failure != nil {
		return r.fail(ctx, o, *failure)
	}
	changed, err := r.succeed(ctx, o, arguments, data)
	if err != nil {
		return reconcile.Result{}, err
	}
	known.last = read{hash: arguments.hash, at: time.Now()}
	if interval := Interval(&o.Unstructured); interval > 0 {
		known.last.next = k.Options.Next(known.last.at, interval)
	}
	k.looks.Remember(o, known)
	if changed != "" {
		k.Options.Recorder.Event(o, event.Normal(reasonRead, changed))
	}
	if known.last.next.IsZero() {
		return reconcile.Result{}, nil
	}
	return reconcile.Result{RequeueAfter: max(time.Until(known.last.next), time.Millisecond)}, nil
}

func (r *Reconciler) pause(ctx context.Context, o *object) (reconcile.Result, error) {
	if o.GetCondition(xpv2.TypeSynced).Reason != xpv2.ReasonReconcilePaused {
		r.kind.Options.Recorder.Event(o,
			event.Normal(reasonPaused, fmt.Sprintf("It is not %s while the annotation crossplane.io/paused is true",
				r.kind.work())))
	}
	o.SetConditions(xpv2.ReconcilePaused().WithObservedGeneration(o.GetGeneration()))
	return reconcile.Result{}, o.Write(ctx, r.client)
}

// work is what pauses.
func (k *Kind) work() string {
	if k.Model.Mode == model.Ephemeral {
		return "opened, renewed or closed"
	}
	return "read"
}
