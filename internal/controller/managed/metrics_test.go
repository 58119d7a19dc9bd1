package managed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Each resource counts once in each metric, also one that has the name of another one.
func TestMetrics(t *testing.T) {
	t.Parallel()
	metrics := managed.NewMetrics()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(metrics)
	k := newAtRest(t, nil).k
	var asked []string
	k.Scheduler, k.Options.Metrics = cloud{asked: &asked}, metrics
	k.Neighbours = settled{alone{graph: &references.Graph{}}}
	observes := func(o scheduler.Observation) { k.Scheduler = cloud{s: situation{object: o}, asked: &asked} }
	one, other := resourceOf(k), resourceOf(k)
	other.SetNamespace("others")
	other.SetUID("2")
	c := fake.NewClientBuilder().WithStatusSubresource(one).WithObjects(one, other).Build()
	r := managed.NewReconciler(k, c, c)
	r.Use(noQueue{})
	managed.Claim(k)
	counted := func(step string, want map[string]uint64, of ...*unstructured.Unstructured) {
		t.Helper()
		for _, u := range of {
			if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(u)}); err != nil {
				t.Fatal(err)
			}
		}
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]uint64{}
		for _, f := range families {
			got[f.GetName()] = f.GetMetric()[0].GetHistogram().GetSampleCount()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step, diff)
		}
	}
	const detected, ready, deleted = "crossplane_managed_resource_first_time_to_reconcile_seconds",
		"crossplane_managed_resource_first_time_to_readiness_seconds", "crossplane_managed_resource_deletion_seconds"
	exists := instance.Instance{Status: instance.Full, State: object(map[string]string{"id": "x", "password": "", "key": ""})}
	observes(scheduler.Observation{Instance: exists, Plan: &terraform.Plan{Action: terraform.Update}})
	counted("an update is needed", map[string]uint64{detected: 2}, one, other)
	observes(scheduler.Observation{Instance: exists, Plan: &terraform.Plan{Action: terraform.NoOp}})
	counted("one is ready", map[string]uint64{detected: 2, ready: 1}, one, one)
	counted("both are", map[string]uint64{detected: 2, ready: 2}, other, one)
	now := &unstructured.Unstructured{}
	now.SetGroupVersionKind(one.GroupVersionKind())
	if err := c.Get(t.Context(), client.ObjectKeyFromObject(one), now); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	observes(scheduler.Observation{Plan: &terraform.Plan{Action: terraform.Create}})
	counted("one is gone", map[string]uint64{detected: 2, ready: 2, deleted: 1}, one)
}
