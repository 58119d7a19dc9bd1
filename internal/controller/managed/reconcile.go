package managed

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed/turns"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/slots"
	"github.com/landbridge-io/landbridge/internal/tracing"
)

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (_ reconcile.Result, err error) {
	a := &attempt{}
	of, status, atRest := r.kind.tracked.atRest(req.NamespacedName)
	var cached *unstructured.Unstructured
	admitted, again := r.kind.turns.Admit(req, func() (ref providerconfig.Reference) {
		if atRest {
			return providerconfig.ReferenceOf(status.rested.Value().reference(), req.Namespace)
		}
		if cached = r.cached(ctx, req, a); cached != nil {
			ref = ConfigurationOf(cached)
		}
		return ref
	})
	if !admitted {
		return reconcile.Result{RequeueAfter: again}, nil
	}
	var outcome turns.Outcome
	defer func() {
		outcome.Failed = err != nil
		r.kind.turns.Done(req, outcome)
	}()
	ctx = providerconfig.WithVisit(context.WithValue(slots.WithOwner(ctx, req.Namespace), attemptKey{}, a), &a.visit)
	if atRest {
		if r.kind.stillAtRest(ctx, of, status, a) {
			outcome.Unchanged = true
			return reconcile.Result{RequeueAfter: r.kind.pollAt(status.rested.Value().interval)}, nil
		}
		cached = r.cached(ctx, req, a)
	}
	if here, again, err := r.kind.belongs(ctx, cached); err != nil || !here {
		return reconcile.Result{RequeueAfter: again}, err
	}
	if a.look == nil && r.unchanged(ctx, cached, a) {
		outcome.Unchanged = true
		return reconcile.Result{RequeueAfter: r.kind.poll(a.resource)}, nil
	}
	ctx, span := tracing.Root(ctx, "reconcile", r.kind.Model.GroupVersionKind().GroupKind().String(), req.Namespace, req.Name)
	defer func() { span.End(err != nil) }()
	result, err := r.inner.Reconcile(ctx, req)
	if a.resource != nil && paused(a.resource) {
		key := r.kind.key(&a.resource.Unstructured)
		if token := a.resource.annotation(v1alpha1.AnnotationInterrupt); token != "" {
			r.kind.Scheduler.Interrupt(key, token)
		}
		r.kind.Scheduler.Reload(key)
	}
	switch {
	case err != nil:
		return reconcile.Result{}, err // managed.Reconciler returns both; the error wins
	case !a.retryAt.IsZero():
		// The scheduler or the pool, which count failures, will not retry earlier.
		return reconcile.Result{RequeueAfter: max(time.Until(a.retryAt), 10*time.Millisecond)}, nil
	case a.resource != nil && a.resource.holdStatus:
		// The scheduler wakes the resource when the operation ends or takes long.
		return reconcile.Result{RequeueAfter: r.kind.poll(a.resource)}, nil
	case a.comeBack && result.RequeueAfter > turns.ComeBackAfter:
		outcome.NotUrgent = r.kind.restReconciled(a)
		return reconcile.Result{RequeueAfter: turns.ComeBackAfter}, nil
	}
	outcome.Unchanged = r.kind.restReconciled(a)
	return result, err
}

// cached returns a resource as the cache has it, which must not be changed; nil if there is no such
// resource. The attempt gets the number of events before.
func (r *Reconciler) cached(ctx context.Context, req reconcile.Request, a *attempt) *unstructured.Unstructured {
	a.events = r.kind.tracked.events.Load()
	u, err := r.kind.get(ctx, r.kind.reader, req.NamespacedName)
	if err != nil {
		return nil
	}
	return u
}
