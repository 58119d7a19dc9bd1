package planpolicy_test

import (
	"strings"
	"testing"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/planpolicy"
)

func TestConditionOfPolicy(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		condition string
		status    corev1.ConditionStatus
		message   string
	}{
		"compiles":         {condition: "plan.destroys", status: corev1.ConditionTrue},
		"does not compile": {condition: "plan.destroyed", status: corev1.ConditionFalse, message: "undefined field 'destroyed'"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scheme := runtime.NewScheme()
			if err := v1alpha1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			p := &v1alpha1.PlanPolicy{
				ObjectMeta: metav1.ObjectMeta{Name: "p", Generation: 2},
				Spec:       v1alpha1.PlanPolicySpec{Action: v1alpha1.PlanPolicyDeny, Condition: x.condition},
			}
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(p).WithStatusSubresource(p).Build()
			changed := 0
			r := &planpolicy.Reconciler{Client: c, Changed: func() { changed++ }}
			req := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p)}
			for range 2 {
				if _, err := r.Reconcile(t.Context(), req); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.Get(t.Context(), req.NamespacedName, p); err != nil {
				t.Fatal(err)
			}
			got := p.Status.GetCondition(xpv2.TypeReady)
			if got.Status != x.status || !strings.Contains(got.Message, x.message) || p.Status.ObservedGeneration != 2 {
				t.Errorf("the status is %+v", p.Status)
			}
			if changed != 1 {
				t.Errorf("told of %d changes, want 1", changed)
			}
			if err := c.Delete(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Reconcile(t.Context(), req); err != nil || changed != 2 {
				t.Errorf("told of %d changes after it was deleted, want 2; %v", changed, err)
			}
		})
	}
}
