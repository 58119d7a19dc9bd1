package e2e_test

import (
	"context"
	"slices"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/retry"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/halt"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
)

// pause pauses operations, beside those that other tests have paused.
func (c *cluster) pause(t *testing.T, p halt.Pause) (resume func()) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	change := func(with ...halt.Pause) {
		t.Helper()
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			m := &corev1.ConfigMap{}
			if err := c.Get(ctx, client.ObjectKey{Namespace: clustertest.System, Name: halt.PauseConfigMap}, m); err != nil {
				return err
			}
			all, err := halt.Pauses(m)
			if err != nil {
				return err
			}
			all = append(slices.DeleteFunc(all, p.Same), with...)
			if err := halt.SetPauses(m, all); err != nil {
				return err
			}
			return c.Update(ctx, m)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	change(p)
	resume = sync.OnceFunc(func() { change() })
	t.Cleanup(resume)
	return resume
}

// While operations of a provider are paused, what runs is finished, and nothing else begins. Then
// it goes on.
func TestPause(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "pause")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	changed, deleted, created := d.thing(ns, "changed", m{"value": "a"}), d.thing(ns, "deleted", nil), d.thing(ns, "created", nil)
	c.MustCreate(t, changed)
	c.MustCreate(t, deleted)
	c.WaitReady(t, changed)
	c.WaitReady(t, deleted)

	before := d.Changes()
	resume := c.pause(t, halt.Pause{Provider: d.Name, Reason: "a test", Since: metav1.Now()})
	c.MustPatch(t, changed, `{"spec":{"forProvider":{"value":"b"}}}`)
	c.WaitFalse(t, changed, "Synced", "OperationsPaused", "Operations of "+d.Name+" have been paused since",
		"(a test)", "landbridge resume --provider "+d.Name)
	c.MustCreate(t, created)
	c.WaitFalse(t, created, "Synced", "OperationsPaused")
	if err := c.Delete(t.Context(), deleted.DeepCopy()); err != nil {
		t.Fatal(err)
	}
	c.WaitFalse(t, deleted, "Synced", "OperationsPaused")
	if n := d.Changes(); n != before {
		t.Errorf("%d changes while operations are paused", n-before)
	}
	if text(changed, "status", "plan", "action") != "Update" {
		t.Error("the plan is not shown")
	}

	resume()
	c.WaitReady(t, changed)
	c.WaitReady(t, created)
	c.WaitGone(t, deleted)
	c.has(t, d, "thing", "changed", "value", "b")
}
