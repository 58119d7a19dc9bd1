package action

import (
	"context"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/invocation"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	return r.kind.Reconcile(ctx, req, r)
}

// Ignores implements unmanaged.Looker. Others hold an action that is being deleted and was never
// invoked.
func (r *Reconciler) Ignores(u *unstructured.Unstructured) bool {
	return u.GetDeletionTimestamp() != nil && !meta.FinalizerExists(u, xpmanaged.FinalizerName)
}

// Look implements unmanaged.Looker.
func (r *Reconciler) Look(ctx context.Context, o unmanaged.Resource) (reconcile.Result, error) {
	x := &object{o}
	before := recordOf(&x.Unstructured).Phase
	result, err := r.step(ctx, x)
	if of, ok := managed.TriggeredBy(&x.Unstructured); ok &&
		(before != invocation.Running || recordOf(&x.Unstructured).Phase != invocation.Running) {
		r.kind.Neighbours.Wake(of)
	}
	return result, err
}

// step does what package invocation decides.
func (r *Reconciler) step(ctx context.Context, o *object) (reconcile.Result, error) {
	k := r.kind
	running := k.Runs.of(o.GetUID())
	in := o.input(k.now(), running != nil)
	known := k.looks.Recall(o)
	if in.Record == known.unsure && running == nil && in.Record.Phase == invocation.Running {
		in.Record = in.Record.End(terraform.ActionNotInvoked, k.now()) // it was stored, and not requested
	}
	if running != nil && in.Record.Phase != invocation.Running {
		return reconcile.Result{RequeueAfter: unmanaged.Soon}, nil // the cache is behind
	}
	if o.Paused() && running == nil {
		return r.pause(ctx, o)
	}
	d := invocation.Decide(in)
	var p *planned
	if d.Step == invocation.MakePlan {
		if wait := known.wait(k.Clock.Now()); wait > 0 {
			return reconcile.Result{RequeueAfter: wait}, nil
		}
		var f *failure
		p, f = k.plan(ctx, o)
		if f != nil {
			in.Plan = invocation.Held
			return r.hold(ctx, o, invocation.Decide(in).Record, *f)
		}
		in.Plan = p.state()
		d = invocation.Decide(in)
	}
	switch d.Step {
	case invocation.Invoke:
		return r.begin(ctx, o, p, d.Record)
	case invocation.Interrupt:
		running.interrupt()
		return r.show(ctx, o, running)
	case invocation.Remove:
		return reconcile.Result{}, r.remove(ctx, o, d.Record)
	case invocation.Expire:
		return reconcile.Result{},
			client.IgnoreNotFound(r.client.Delete(ctx, &o.Unstructured, client.Preconditions{
				UID: ptr.To(o.GetUID()), ResourceVersion: ptr.To(o.GetResourceVersion()),
			}, client.PropagationPolicy(metav1.DeletePropagationBackground)))
	}
	switch {
	case running != nil:
		return r.show(ctx, o, running)
	case d.Record.Phase == invocation.AwaitingApproval:
		return r.await(ctx, o, p, d.Record)
	}
	return r.rest(ctx, o, in, d)
}

// wait returns how long the next attempt waits after the provider was not asked for the last one.
func (l look) wait(now time.Time) time.Duration {
	if l.uninvoked == 0 {
		return 0
	}
	return l.at.Add(min(unmanaged.Soon<<min(l.uninvoked, 8), 2*time.Minute)).Sub(now)
}

func (r *Reconciler) pause(ctx context.Context, o *object) (reconcile.Result, error) {
	if o.GetCondition(xpv2.TypeSynced).Reason != xpv2.ReasonReconcilePaused {
		r.kind.Options.Recorder.Event(o, event.Normal(reasonPaused, "It is not invoked while the annotation crossplane.io/paused is true"))
	}
	o.SetConditions(xpv2.ReconcilePaused().WithObservedGeneration(o.GetGeneration()))
	return reconcile.Result{}, o.Write(ctx, r.client)
}

// begin records that an attempt is running, and begins it once that is stored.
func (r *Reconciler) begin(ctx context.Context, o *object, p *planned, record invocation.Record) (reconcile.Result, error) {
	k := r.kind
	release, ok := k.Runs.slot(p.handle.Name, o.GetNamespace())
	if !ok {
		return reconcile.Result{RequeueAfter: unmanaged.Soon}, nil
	}
	if !meta.FinalizerExists(o, xpmanaged.FinalizerName) || o.GetAnnotations()[v1alpha1.AnnotationInvoked] == "" {
		err := o.Change(ctx, r.client, func(u client.Object) {
			meta.AddFinalizer(u, xpmanaged.FinalizerName)
			meta.AddAnnotations(u, map[string]string{v1alpha1.AnnotationInvoked: string(u.GetUID())})
		})
		if err != nil {
			release()
			return reconcile.Result{}, err
		}
	}
	o.setRecord(record)
	o.setPlan(p)
	o.setApproved(p, record.Started)
	o.Remove("status", "progress")
	added := o.SetWarnings(p.warnings)
	o.SetDeferred(terraform.NotDeferred, "")
	o.describe(situation{phase: invocation.Running})
	o.observed()
	// What was read may be an earlier attempt of the same second, and the cache behind.
	if err := o.Confirm(ctx, r.client); err != nil {
		release()
		if !kerrors.IsConflict(err) { // else it is not stored
			known := k.looks.Recall(o)
			known.unsure = record
			k.looks.Remember(o, known)
		}
		return reconcile.Result{}, err
	}
	k.Options.Recorder.Event(o, event.Normal(reasonInvoking, "The action is invoked"))
	r.warn(o, added)
	if !k.Runs.start(o.GetUID(), o.GetNamespace(), release, func(ctx context.Context, of *run) { r.invoke(ctx, of, o, p, record) }) {
		r.conclude(o, record, end{outcome: terraform.ActionNotInvoked}, nil)
	}
	return reconcile.Result{}, nil
}

// show writes the messages of the provider about an attempt, at most once a second.
func (r *Reconciler) show(ctx context.Context, o *object, running *run) (reconcile.Result, error) {
	fresh, after := running.news(r.kind.Clock.Now(), unmanaged.Soon)
	if len(fresh) == 0 {
		return reconcile.Result{RequeueAfter: after}, nil
	}
	o.setProgress(running.told())
	if err := o.Write(ctx, r.client); err != nil {
		return reconcile.Result{}, err
	}
	for _, m := range fresh {
		r.kind.Options.Recorder.Event(o, event.Normal(reasonProgress, m.text))
	}
	return reconcile.Result{}, nil
}

// await writes that a plan waits for approval.
func (r *Reconciler) await(ctx context.Context, o *object, p *planned, record invocation.Record) (reconcile.Result, error) {
	before := o.GetCondition(v1alpha1.TypeApproved)
	o.setRecord(record)
	o.setPlan(p)
	added := o.SetWarnings(p.warnings)
	s := r.kind.setUnapproved(o, p)
	o.SetDeferred(terraform.NotDeferred, "")
	o.describe(s)
	o.observed()
	if err := o.Write(ctx, r.client); err != nil {
		return reconcile.Result{}, err
	}
	r.warn(o, added)
	if before.Message != s.message {
		r.kind.Options.Recorder.Event(o, event.Normal(reasonAwaitsApproval, s.message))
	}
	return reconcile.Result{RequeueAfter: max(r.kind.Options.Poll, unmanaged.Soon)}, nil
}

// rest writes what there is to say of an object for which nothing is done now.
func (r *Reconciler) rest(ctx context.Context, o *object, in invocation.Input, d invocation.Decision) (reconcile.Result, error) {
	interrupted := in.Record.Phase == invocation.Running && d.Record.Phase == invocation.Unknown
	o.setRecord(d.Record)
	switch {
	case interrupted:
		o.describe(lost)
	case d.Record.Phase == invocation.Pending:
		o.describe(situation{phase: invocation.Pending, suspended: o.suspended(), reason: v1alpha1.ReasonProgressing})
	case d.Record.Phase == invocation.Failed && !in.Retries() && o.GetCondition(v1alpha1.TypeFailed).Reason == "":
		s := o.GetCondition(xpv2.TypeSynced) // the retry policy has changed
		o.describe(situation{phase: invocation.Failed, reason: v1alpha1.ReasonInvocationFailed, message: s.Message})
	}
	o.observed()
	if err := o.Write(ctx, r.client); err != nil {
		return reconcile.Result{}, err
	}
	if interrupted {
		r.kind.tell(o)
		r.kind.Options.Recorder.Event(o, event.Event{Type: event.TypeWarning, Reason: reasonUnknown, Message: lost.message})
	}
	if d.Until.IsZero() {
		return reconcile.Result{}, nil
	}
	return reconcile.Result{RequeueAfter: max(d.Until.Sub(r.kind.Clock.Now()), time.Millisecond)}, nil
}

// lost is the situation after an attempt that another process has not recorded.
var lost = situation{
	phase: invocation.Unknown, reason: v1alpha1.ReasonOutcomeUnknown,
	message: "The controller ended while the action was running: it may have done all of it, a part or nothing. " +
		"Look at what it acts on, and create another object to invoke it again.",
}

// remove lets a deleted object go, once it is recorded how its invocation has ended.
func (r *Reconciler) remove(ctx context.Context, o *object, record invocation.Record) error {
	interrupted := recordOf(&o.Unstructured).Phase == invocation.Running && record.Phase == invocation.Unknown
	o.setRecord(record)
	if interrupted {
		o.describe(lost)
		o.observed()
	}
	if err := o.Write(ctx, r.client); err != nil {
		return err
	}
	if interrupted {
		r.kind.tell(o)
		r.kind.Options.Recorder.Event(o, event.Event{Type: event.TypeWarning, Reason: reasonUnknown, Message: lost.message})
	}
	return client.IgnoreNotFound(o.Change(ctx, r.client, func(u client.Object) { meta.RemoveFinalizer(u, xpmanaged.FinalizerName) }))
}

func (r *Reconciler) warn(o *object, all []string) {
	for _, w := range all {
		r.kind.Options.Recorder.Event(o, event.Event{Type: event.TypeWarning, Reason: reasonWarned, Message: w})
	}
}
