package estatepolicy_test

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
	"github.com/landbridge-io/landbridge/internal/controller/estatepolicy"
)

func TestConditionOfPolicy(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		expression string
		status     corev1.ConditionStatus
		message    string
	}{
		"compiles":         {expression: "managed || object.size < 8", status: corev1.ConditionTrue},
		"does not compile": {expression: "owner.uid == ''", status: corev1.ConditionFalse, message: "spec.validations[0].expression"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scheme := runtime.NewScheme()
			if err := v1alpha1.AddToScheme(scheme); err != nil {
				t.Fatal(err)
			}
			p := &v1alpha1.EstatePolicy{
				ObjectMeta: metav1.ObjectMeta{Name: "p", Generation: 2},
				Spec:       v1alpha1.EstatePolicySpec{Validations: []v1alpha1.EstateValidation{{Expression: x.expression}}},
			}
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(p).WithStatusSubresource(p).Build()
			r := &estatepolicy.Reconciler{Client: c}
			req := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(p)}
			var versions []string
			for range 2 {
				if _, err := r.Reconcile(t.Context(), req); err != nil {
					t.Fatal(err)
				}
				if err := c.Get(t.Context(), req.NamespacedName, p); err != nil {
					t.Fatal(err)
				}
				versions = append(versions, p.ResourceVersion)
			}
			got := p.Status.GetCondition(xpv2.TypeReady)
			if got.Status != x.status || !strings.Contains(got.Message, x.message) || p.Status.ObservedGeneration != 2 {
				t.Errorf("the status is %+v", p.Status)
			}
			if versions[0] != versions[1] {
				t.Error("an unchanged status is written")
			}
		})
	}
}
