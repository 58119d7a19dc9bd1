package e2e_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/halt"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
)

// A mass deletion stops at the limit. What is taken back stays, and the rest is destroyed when the
// brake is released.
func TestDestroyBrake(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "brake")
	p := d.provider()
	const limit, all = 3, 6
	set(t, p, m{"destroysPerMinute": int64(limit)}, "spec", "destroyBrake")
	c.install(t, p)
	ns := c.Namespace(t)
	var things []*unstructured.Unstructured
	for i := range all {
		r := d.thing(ns, fmt.Sprint("held-", i), nil)
		c.MustCreate(t, r)
		things = append(things, r)
	}
	for _, r := range things {
		c.WaitReady(t, r)
	}
	of := &unstructured.Unstructured{Object: m{"apiVersion": d.APIVersion(), "kind": "Thing"}}
	if err := c.DeleteAllOf(t.Context(), of, client.InNamespace(ns)); err != nil {
		t.Fatal(err)
	}
	var held []*unstructured.Unstructured
	eventually(t, "the rest is held", func(context.Context) bool {
		held = nil
		for _, r := range things {
			now := r.DeepCopy()
			if c.Get(t.Context(), key(r), now) == nil && reasonOf(now, "Synced") == "DestroyBrake" {
				held = append(held, now)
			}
		}
		return len(held) == all-limit
	})
	never(t, time.Second, "more is destroyed", func() bool { return d.Calls("delete thing") > limit })
	c.WaitFalse(t, held[0], "Synced", "DestroyBrake",
		"3 objects were destroyed within a minute in the account ClusterProviderConfig/default of "+d.Name,
		"landbridge release-brake --provider "+d.Name+" --account ClusterProviderConfig/default")

	c.MustPatch(t, held[0], `{"spec":{"managementPolicies":["Observe"]}}`)
	c.WaitGone(t, held[0])
	if _, ok := d.Object("thing", held[0].GetName()); !ok || d.Calls("delete thing") > limit {
		t.Error("the object that was to stay was destroyed")
	}

	config := &corev1.ConfigMap{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: clustertest.System, Name: halt.BrakeConfigMap}, config); err != nil {
		t.Fatal(err)
	}
	if err := halt.AddRelease(config, halt.Release{Provider: d.Name, At: metav1.Now()}); err != nil {
		t.Fatal(err)
	}
	if err := c.Update(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	for _, r := range held[1:] {
		c.WaitGone(t, r)
	}
	if n := d.Calls("delete thing"); n != all-1 {
		t.Errorf("%d deletions", n)
	}
}

// reasonOf returns the reason of a condition.
func reasonOf(u *unstructured.Unstructured, condition string) string {
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, x := range list {
		if c, _ := x.(map[string]any); c["type"] == condition {
			reason, _ := c["reason"].(string)
			return reason
		}
	}
	return ""
}
