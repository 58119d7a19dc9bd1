package estatepolicy

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

// Reconciler reconciles EstatePolicies.
type Reconciler struct{ Client client.Client }

// SetupWithManager runs the reconciler with a manager.
func (r *Reconciler) SetupWithManager(m ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(m).Named("estatepolicy").For(&v1alpha1.EstatePolicy{}).
		// Run may be called more than once in a process.
		WithOptions(controller.Options{SkipNameValidation: ptr.To(true), NewQueue: queue.New[reconcile.Request]}).
		Complete(r)
}

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	p := &v1alpha1.EstatePolicy{}
	if err := r.Client.Get(ctx, req.NamespacedName, p); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	before := p.DeepCopy()
	p.Status.ObservedGeneration = p.Generation
	p.Status.SetConditions(policy.Ready(policy.CompileEstate(p).Invalid(),
		"Every object that the policy matches violates it").WithObservedGeneration(p.Generation))
	if equality.Semantic.DeepEqual(before.Status, p.Status) {
		return reconcile.Result{}, nil
	}
	return reconcile.Result{}, r.Client.Status().Update(ctx, p)
}
