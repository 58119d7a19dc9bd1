package query

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/go-logr/logr"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/slots"
)

// atOnce is the maximum of queries that run at once, divided among namespaces.
const atOnce = 4

// Reconciler reconciles ResourceQueries. All fields but Shards and Follows are required.
type Reconciler struct {
	// Client is cached.
	Client client.Client
	// ConfigMaps returns those of a namespace; they are not cached.
	ConfigMaps func(namespace string) typedcorev1.ConfigMapInterface
	// Providers returns the providers that are served and have a resource type.
	Providers func(resourceType string) []Provider
	// Owners returns the resources that own objects.
	Owners Owners
	// Policies returns the EstatePolicies.
	Policies func(context.Context) ([]*policy.EstatePolicy, error)
	// Active reports whether the owners of the objects of a kind are known that a provider
	// configuration gives access to. Otherwise that begins.
	Active func(kind kschema.GroupKind, configuration string) bool
	// Shards decides which queries this controller works on. It may be nil: on all.
	Shards managed.Shards
	// Follows is set if another replica reports queries that belong nowhere.
	Follows  bool
	Recorder event.Recorder
	Logger   logr.Logger
	// Timeout bounds one run of a query.
	Timeout time.Duration

	memory  memory
	slots   *slots.Slots
	metrics gauges
}

// SetupWithManager runs the reconciler with a manager.
func (r *Reconciler) SetupWithManager(m ctrl.Manager) error {
	r.slots = slots.New(atOnce)
	all := handler.EnqueueRequestsFromMapFunc(func(ctx context.Context, _ client.Object) []reconcile.Request {
		list := &v1alpha1.ResourceQueryList{}
		if err := r.Client.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
			return nil // they notice it at their interval
		}
		out := make([]reconcile.Request, 0, len(list.Items))
		for i := range list.Items {
			out = append(out, reconcile.Request{NamespacedName: client.ObjectKeyFromObject(&list.Items[i])})
		}
		return out
	})
	return ctrl.NewControllerManagedBy(m).Named("query").
		For(&v1alpha1.ResourceQuery{},
			builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{},
				predicate.AnnotationChangedPredicate{}))).
		Watches(&v1alpha1.EstatePolicy{}, all, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Watches(&v1alpha1.TerraformProvider{}, all).
		WithOptions(kinds.ControllerOptions(2 * atOnce)).
		Complete(r)
}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	q := &v1alpha1.ResourceQuery{}
	err := r.Client.Get(ctx, req.NamespacedName, q)
	if client.IgnoreNotFound(err) != nil {
		return reconcile.Result{}, err
	}
	if err != nil || q.DeletionTimestamp != nil {
		r.forget(req.NamespacedName) // its pages have it as their owner
		return reconcile.Result{}, nil
	}
	before := q.DeepCopy()
	again, here, err := r.reconcile(ctx, q)
	switch {
	case err != nil || !here:
		return reconcile.Result{RequeueAfter: again}, err
	case sameStatus(before.Status, q.Status):
		return reconcile.Result{RequeueAfter: again}, nil
	}
	if err := r.Client.Status().Update(ctx, q); err != nil {
		r.memory.forget(req.NamespacedName)
		if kerrors.IsConflict(err) {
			return reconcile.Result{RequeueAfter: time.Second}, nil
		}
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	for _, e := range events(before.Status, q.Status) {
		r.Recorder.Event(q, e)
	}
	return reconcile.Result{RequeueAfter: again}, nil
}

// reconcile sets the status of a query, and runs it if it is due. It returns when to reconcile it
// again. here is false if the status is not this controller's to write, or not yet.
func (r *Reconciler) reconcile(ctx context.Context, q *v1alpha1.ResourceQuery) (again time.Duration, here bool, _ error) {
	if q.Spec.Suspend {
		if r.Follows {
			return 0, false, nil
		}
		r.memory.forget(client.ObjectKeyFromObject(q))
		setSuspended(q)
		return 0, true, nil
	}
	t, problem := r.target(q)
	if problem != nil {
		if r.Follows {
			return 0, false, nil
		}
		r.memory.forget(client.ObjectKeyFromObject(q)) // it runs as soon as it can
		problem.set(q)
		return problem.again(q), true, nil
	}
	here, again, err := r.belongs(ctx, t)
	if err != nil || !here {
		if again == elsewhere {
			r.forget(client.ObjectKeyFromObject(q))
		}
		return again, false, err
	}
	policies, err := r.Policies(ctx)
	if err != nil {
		return 0, false, err
	}
	t.policies = matching(policies, t.resource.Type, q.Namespace)
	key, revision := client.ObjectKeyFromObject(q), revisionOf(q, t.policies)
	now := time.Now()
	if left := r.memory.due(key, revision, now); left > 0 {
		return left, false, nil
	}
	release, ok := r.slots.TryAcquire(q.Namespace)
	if !ok { // a worker does not wait for one
		return slotAgain, false, nil
	}
	defer release()
	o := r.run(ctx, q, t)
	if o.problem != nil && o.problem.passing {
		return o.problem.again(q), false, nil
	}
	o.set(q)
	if o.problem == nil {
		r.metrics.set(key, q.Status)
		return r.memory.succeeded(key, revision, now, wait.Jitter(intervalOf(q)*9/10, 0.2)), true, nil
	}
	return r.memory.failed(key, revision, time.Now(), o.problem.retryAt, intervalOf(q)), true, nil
}

// slotAgain is when a query is tried again whose namespace has no free slot.
const slotAgain = 2 * time.Second

func (r *Reconciler) forget(key types.NamespacedName) {
	r.memory.forget(key)
	r.metrics.forget(key)
}
