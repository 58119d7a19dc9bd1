package planpolicy

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/queue"
	"github.com/landbridge-io/landbridge/internal/policy"
)

// Reconciler reconciles PlanPolicies.
type Reconciler struct {
	Client client.Client
	// Changed is called when a policy has changed or is gone.
	Changed func()
}

// SetupWithManager runs the reconciler with a manager.
func (r *Reconciler) SetupWithManager(m ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(m).Named("planpolicy").For(&v1alpha1.PlanPolicy{}).
		// Run may be called more than once in a process.
		WithOptions(controller.Options{SkipNameValidation: ptr.To(true), NewQueue: queue.New[reconcile.Request]}).
		Complete(r)
}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	p := &v1alpha1.PlanPolicy{}
	if err := r.Client.Get(ctx, req.NamespacedName, p); err != nil {
		if client.IgnoreNotFound(err) == nil {
			r.Changed()
			return reconcile.Result{}, nil
		}
		return reconcile.Result{}, err
	}
	before := p.DeepCopy()
	p.Status.ObservedGeneration = p.Generation
	p.Status.SetConditions(policy.Ready(policy.Compile(p).Invalid(), "The policy acts on every plan that it matches").
		WithObservedGeneration(p.Generation))
	if equality.Semantic.DeepEqual(before.Status, p.Status) {
		return reconcile.Result{}, nil
	}
	if before.Status.ObservedGeneration != p.Generation {
		r.Changed()
	}
	return reconcile.Result{}, r.Client.Status().Update(ctx, p)
}
