package managed

import (
	"context"
	"fmt"
	"time"

	xperrors "github.com/crossplane/crossplane-runtime/v2/pkg/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/turns"
	"github.com/landbridge-io/landbridge/internal/slots"
	"github.com/landbridge-io/landbridge/internal/tracing"
)

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	k := r.kind
	var cached *unstructured.Unstructured
	var events uint64
	of, status, atRest := k.tracked.atRest(req.NamespacedName)
	return k.turns.Take(req, func() (ref providerconfig.Reference) {
		if atRest {
			return providerconfig.ReferenceOf(status.rested.Value().reference(), req.Namespace)
		}
		if cached, events = r.cached(ctx, req); cached != nil {
			ref = ConfigurationOf(cached)
		}
		return ref
	}, func(outcome *turns.Outcome) (reconcile.Result, error) {
		visit := &providerconfig.Visit{}
		ctx := providerconfig.WithVisit(slots.WithOwner(ctx, req.Namespace), visit)
		var found look
		if atRest {
			if found, outcome.Unchanged = k.lookAtRest(ctx, of, status); outcome.Unchanged {
				return reconcile.Result{RequeueAfter: k.pollAt(status.rested.Value().interval)}, nil
			}
			cached, events = r.cached(ctx, req)
		}
		if here, again, err := k.belongs(ctx, cached); err != nil || !here {
			return reconcile.Result{RequeueAfter: again}, err
		}
		if cached != nil && !found.made() {
			var again time.Duration
			if found, again, outcome.Unchanged = r.lookSteady(ctx, cached, events); outcome.Unchanged {
				return reconcile.Result{RequeueAfter: again}, nil
			}
		}
		return r.reconcile(ctx, req, visit, found, outcome)
	})
}

// reconcile reconciles a resource for which anything may be left to do after a look.
func (r *Reconciler) reconcile(
	ctx context.Context, req reconcile.Request, visit *providerconfig.Visit, found look, outcome *turns.Outcome,
) (_ reconcile.Result, err error) {
	kind := r.kind.Model.GroupVersionKind().GroupKind()
	ctx, span := tracing.Root(ctx, "reconcile", kind.String(), req.Namespace, req.Name)
	defer func() { span.End(err != nil) }()
	mg, err := r.client.read(ctx, req.NamespacedName)
	if err != nil {
		if client.IgnoreNotFound(err) == nil {
			return reconcile.Result{}, nil
		}
		return reconcile.Result{}, fmt.Errorf("cannot get managed resource: %w", err)
	}
	mg.visit = visit
	defer r.forgetReplaced(ctx, req, mg.GetUID())
	result, err := xperrors.SilentlyRequeueOnConflict(r.loop(ctx, mg, found))
	if err != nil {
		return reconcile.Result{}, err
	}
	return r.next(mg, result, outcome), nil
}

// forgetReplaced forgets a resource that was looked at, if another one has its name by now. The
// cache may have told of its deletion during the look, which then remembers it again.
func (r *Reconciler) forgetReplaced(ctx context.Context, req reconcile.Request, uid types.UID) {
	if now, _ := r.cached(ctx, req); now != nil && now.GetUID() != uid {
		r.kind.Scheduler.Deleted(uid)
	}
}

// next returns when a resource is reconciled again, which the loop has left with a result, and
// what is left to do.
func (r *Reconciler) next(mg *CustomResource, result reconcile.Result, outcome *turns.Outcome) reconcile.Result {
	switch {
	case !mg.lookAt.IsZero():
		// The scheduler or the pool, which count failures, will not retry earlier.
		return reconcile.Result{RequeueAfter: max(time.Until(mg.lookAt), 10*time.Millisecond)}
	case mg.holdStatus:
		return r.poll(mg) // the scheduler wakes the resource when the operation ends or takes long
	case mg.annotationsLeft && result.RequeueAfter > turns.ComeBackAfter:
		outcome.NotUrgent = r.restReconciled(mg)
		return reconcile.Result{RequeueAfter: turns.ComeBackAfter}
	}
	outcome.Unchanged = r.restReconciled(mg)
	return result
}

// cached returns a resource as the cache has it, which must not be changed, and the number of
// events before; nil if there is no such resource.
func (r *Reconciler) cached(ctx context.Context, req reconcile.Request) (*unstructured.Unstructured, uint64) {
	events := r.kind.tracked.events.Load()
	u, err := r.kind.get(ctx, r.kind.reader, req.NamespacedName)
	if err != nil {
		return nil, events
	}
	return u, events
}
