package managed_test

import (
	"strings"
	"testing"
	"time"

	xpevent "github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
)

// A failed create is shown even if the next attempt begins at once: the delay may have passed while
// the object was planned.
func TestFailureIsToldBeforeTheNextAttempt(t *testing.T) {
	t.Parallel()
	k := kind(t)
	k.Scheduler, k.ProviderConfigs = &observing{answer: &scheduler.Observation{
		Plan: &terraform.Plan{Action: terraform.Create},
		Last: &scheduler.Outcome{Kind: instance.Create, At: time.Now(), Diagnostics: diagnostic.Errorf("Refused", "The cloud answers 403.")},
	}}, unconfigured{}
	k.Neighbours = alone{graph: &references.Graph{}}
	k.Options = managed.Options{
		Poll: time.Minute, Workers: 1, Timeout: 5 * time.Second, Recorder: xpevent.NewNopRecorder(), Logger: logr.Discard(),
	}
	gvk := k.Model.GroupVersionKind()
	u := &unstructured.Unstructured{
		Object: m{
			"apiVersion": gvk.GroupVersion().String(), "kind": gvk.Kind, "spec": m{"managementPolicies": []any{"*"}},
		},
	}
	u.SetName("x")
	u.SetNamespace("team")
	u.SetUID("1")
	u.SetFinalizers([]string{xpmanaged.FinalizerName})
	u.SetCreationTimestamp(metav1.Now())
	c := fake.NewClientBuilder().WithStatusSubresource(u).WithObjects(u).Build()
	r := managed.NewReconciler(k, c, c)
	r.Use(noQueue{})
	managed.Claim(k)
	for _, held := range []bool{false, true} {
		before := u.GetResourceVersion()
		if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: "x"}}); err != nil {
			t.Fatal(err)
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
			t.Fatal(err)
		}
		if status, reason, message := objecttest.Condition(u, "LastAsyncOperation"); status != "False" ||
			reason != "AsyncCreateFailure" || !strings.Contains(message, "403") {
			t.Errorf("the condition is %s, %s, %s: %v", status, reason, message, u.Object["status"])
		}
		if held && u.GetResourceVersion() != before {
			t.Error("the same failure is written again")
		}
	}
}
