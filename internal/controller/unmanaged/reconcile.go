package unmanaged

import (
	"context"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/turns"
	"github.com/landbridge-io/landbridge/internal/slots"
	"github.com/landbridge-io/landbridge/internal/tracing"
)

const (
	// writing is how long writes may take after the calls of the provider have used up the timeout.
	writing = 30 * time.Second
	// Soon is the interval of checks whether what passes by itself has passed.
	Soon = time.Second
)

// BackOff queues an object again after a delay that grows with each time in a row.
var BackOff = reconcile.Result{Requeue: true} //nolint:staticcheck // RequeueAfter has no such delay

// Looker looks at objects of a kind.
type Looker interface {
	// Gone is called for an object that no longer exists.
	Gone(types.NamespacedName)
	// Ignores reports whether nothing is to be done for an object, before its turn.
	Ignores(*unstructured.Unstructured) bool
	// Look does what is due for an object.
	Look(context.Context, Resource) (reconcile.Result, error)
}

// Reconcile looks at an object when it is its turn, if it belongs to this controller.
func (k *Kind) Reconcile(ctx context.Context, req reconcile.Request, l Looker) (reconcile.Result, error) {
	u, err := k.Get(ctx, k.Cached, req.NamespacedName)
	switch {
	case kerrors.IsNotFound(err):
		l.Gone(req.NamespacedName)
		k.UsesSecrets(k.Key(req.NamespacedName), nil)
		return reconcile.Result{}, nil
	case err != nil:
		return reconcile.Result{}, err
	case l.Ignores(u):
		return reconcile.Result{}, nil
	}
	of := func() providerconfig.Reference { return managed.ConfigurationOf(u) }
	return k.turns.Take(req, of, func(outcome *turns.Outcome) (_ reconcile.Result, err error) {
		visit := &providerconfig.Visit{}
		ctx := Fenced(providerconfig.WithVisit(slots.WithOwner(ctx, req.Namespace), visit), k.Leads)
		ctx, cancel := context.WithTimeout(ctx, k.Options.Timeout+writing)
		defer cancel()
		if here, again, err := k.belongs(ctx, u); err != nil || !here {
			return reconcile.Result{RequeueAfter: again}, err
		}
		kind := k.Model.GroupVersionKind().GroupKind()
		ctx, span := tracing.Root(ctx, "reconcile", kind.String(), req.Namespace, req.Name)
		defer func() { span.End(err != nil) }()
		result, err := l.Look(ctx, NewResource(u, visit))
		if kerrors.IsConflict(err) {
			return reconcile.Result{RequeueAfter: Soon}, nil // the cache is behind
		}
		outcome.Unchanged = err == nil && !result.Requeue //nolint:staticcheck // RequeueAfter has no delay that grows
		return result, err
	})
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
		r := managed.CustomResource{Unstructured: *u}
		handle := k.ProviderConfigs.Resolve(ctx, r.GetProviderConfigReference(), u.GetNamespace())
		if handle.Denied || handle.Missing {
			return true, 0, nil // it has no place, and this shard tells it why
		}
		return false, Soon, shards.Place(ctx, managed.Accesses(use, handle), use.Types)
	}
	return false, k.Options.Poll, nil
}
