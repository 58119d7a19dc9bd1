package estatepolicy

import (
	"context"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
		WithOptions(controller.Options{SkipNameValidation: ptr.To(true), NewQueue: queue.New[reconcile.Request]}). // Run may be called more than once in a process
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
	p.Status.SetConditions(condition(p))
	if equality.Semantic.DeepEqual(before.Status, p.Status) {
		return reconcile.Result{}, nil
	}
	return reconcile.Result{}, r.Client.Status().Update(ctx, p)
}

// condition returns the condition Ready.
func condition(p *v1alpha1.EstatePolicy) xpv2.Condition {
	out := xpv2.Condition{
		Type: xpv2.TypeReady, Status: corev1.ConditionTrue, Reason: v1alpha1.ReasonCompiled, LastTransitionTime: metav1.Now(),
	}
	if err := policy.CompileEstate(p).Invalid(); err != nil {
		out.Status, out.Reason = corev1.ConditionFalse, v1alpha1.ReasonInvalidCondition
		out.Message = "Every object that the policy matches violates what cannot be used. Correct it: " + err.Error()
	}
	return out.WithObservedGeneration(p.Generation)
}
