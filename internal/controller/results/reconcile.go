package results

import (
	"context"
	"fmt"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/managed/turns"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/slots"
	"github.com/landbridge-io/landbridge/internal/tracing"
)

const (
	// writing is how long writes may take after the calls of the provider have used up the timeout.
	writing = 30 * time.Second
	// soon is the interval of checks whether what passes by itself has passed.
	soon = time.Second
)

const reasonPaused event.Reason = "ReconciliationPaused"

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (_ reconcile.Result, err error) {
	k := r.kind
	u, err := k.get(ctx, req.NamespacedName)
	switch {
	case kerrors.IsNotFound(err):
		k.gone(req.NamespacedName)
		return reconcile.Result{}, nil
	case err != nil:
		return reconcile.Result{}, err
	case u.GetDeletionTimestamp() != nil && k.Model.Mode == model.Data:
		return reconcile.Result{}, nil // others hold it; nothing is to be destroyed
	}
	admitted, again := k.turns.Admit(req, func() providerconfig.Reference { return managed.ConfigurationOf(u) })
	if !admitted {
		return reconcile.Result{RequeueAfter: again}, nil
	}
	var outcome turns.Outcome
	defer func() {
		outcome.Failed = err != nil
		k.turns.Done(req, outcome)
	}()
	visit := &providerconfig.Visit{}
	ctx, cancel := context.WithTimeout(providerconfig.WithVisit(slots.WithOwner(ctx, req.Namespace), visit), k.Options.Timeout+writing)
	defer cancel()
	if here, again, err := k.belongs(ctx, u); err != nil || !here {
		return reconcile.Result{RequeueAfter: again}, err
	}
	ctx, span := tracing.Root(ctx, "reconcile", k.Model.GroupVersionKind().GroupKind().String(), req.Namespace, req.Name)
	defer func() { span.End(err != nil) }()
	result, err := r.refresh(ctx, newObject(u, visit))
	if kerrors.IsConflict(err) {
		return reconcile.Result{RequeueAfter: soon}, nil // the cache is behind
	}
	outcome.Unchanged = err == nil && !result.Requeue //nolint:staticcheck // RequeueAfter has no delay that grows
	return result, err
}

// belongs reports whether this controller works on an object now. If not, it is reconciled again
// after the duration, or when it is woken.
func (k *Kind) belongs(ctx context.Context, u *unstructured.Unstructured) (_ bool, again time.Duration, _ error) {
	shards := k.Options.Shards
	if shards == nil {
		return true, 0, nil
	}
	use := k.use(u)
	switch shards.Belong(use) {
	case managed.Here:
		return true, 0, nil
	case managed.Unplaced:
		handle := k.ProviderConfigs.Resolve(ctx, configReference(u), u.GetNamespace())
		if handle.Denied || handle.Missing {
			return true, 0, nil // it has no place, and this shard tells it why
		}
		var with []ownership.Access
		for _, name := range use.Configurations {
			a := ownership.Access{Configuration: name}
			if name == handle.Name {
				a.Account = handle.Account
			}
			with = append(with, a)
		}
		return false, soon, shards.Place(ctx, with, use.Types)
	}
	return false, k.Options.Poll, nil
}

// refresh reads a data source, or opens, renews or closes an ephemeral resource, if it is due, and
// writes what came of it.
func (r *Reconciler) refresh(ctx context.Context, o *object) (reconcile.Result, error) {
	k := r.kind
	if o.paused() {
		return r.pause(ctx, o)
	}
	if k.Model.Mode == model.Ephemeral {
		return r.hold(ctx, o)
	}
	if err := k.resolve(ctx, o); err != nil {
		return r.fail(ctx, o, unresolved(err))
	}
	handle := k.handle(ctx, o)
	o.secrets = append(o.secrets, handle.Secrets...)
	if handle.Diagnostics.HasErrors() {
		return r.fail(ctx, o, notUsable(handle))
	}
	arguments, failure := k.arguments(ctx, o, handle)
	if failure != nil {
		return r.fail(ctx, o, *failure)
	}
	known := k.recall(o)
	now, after := occasion{
		ready: o.ready() && o.observedGeneration() == o.GetGeneration(), hash: o.text("status", "configurationHash"), now: arguments.hash,
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
	k.remember(o, known)
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
		r.kind.Options.Recorder.Event(o, event.Normal(reasonPaused, fmt.Sprintf("It is not %s while the annotation crossplane.io/paused is true", r.kind.work())))
	}
	o.SetConditions(xpv2.ReconcilePaused().WithObservedGeneration(o.GetGeneration()))
	return reconcile.Result{}, r.write(ctx, o)
}

// work is what pauses.
func (k *Kind) work() string {
	if k.Model.Mode == model.Ephemeral {
		return "opened, renewed or closed"
	}
	return "read"
}
