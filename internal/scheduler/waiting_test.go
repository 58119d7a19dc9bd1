package scheduler_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A provider that generates values when it plans gets back what it has planned, so that the plan
// that waits stays the one that is approved.
func TestWaitingPlanStays(t *testing.T) {
	approving(t, assigned, desired.ApproveEverything, func(h *harness) {
		h.cloud.unstable, h.cloud.keepsPlans = true, true
		create := h.awaited(terraform.Create)
		h.restart()
		if again := h.awaited(terraform.Create); again != create {
			t.Fatal("the create is another one after a restart")
		}
		h.approve(create)
		if in := h.stored().Instance; in.Waiting != nil || !in.Exists() {
			t.Errorf("after the create is stored: %+v", in)
		}
		h.observe()
		h.want("a", 2)
		update := h.awaited(terraform.Update)
		h.restart()
		if again := h.awaited(terraform.Update); again != update {
			t.Error("the update is another one after a restart")
		}
		// Another change has values of its own.
		h.want("a", 3)
		other := h.awaited(terraform.Update)
		h.want("a", 2)
		if again := h.awaited(terraform.Update); again == update || again == other {
			t.Error("a change has the values of another one")
		}
		h.approve(h.awaited(terraform.Update))
		h.observe()
		if in := h.stored().Instance; in.Waiting != nil || sizeOf(in.State) != 2 {
			t.Errorf("after the update is stored: %+v", in)
		}
	})
}

// What is kept of a plan goes when nothing waits any more.
func TestWaitingPlanIsForgotten(t *testing.T) {
	t.Run("withdrawn", func(t *testing.T) {
		approving(t, assigned, desired.ApproveEverything, func(h *harness) {
			h.approve(h.awaited(terraform.Create))
			h.observe()
			h.cloud.unstable, h.cloud.keepsPlans = true, true
			h.want("a", 2)
			h.awaited(terraform.Update)
			if h.stored().Instance.Waiting == nil {
				t.Fatal("nothing is kept")
			}
			h.want("a", 1)
			if o := h.observe(); !o.UpToDate() {
				t.Fatalf("there is a plan: %+v", o)
			}
			if w := h.stored().Instance.Waiting; w != nil {
				t.Errorf("it is still kept: %+v", w)
			}
		})
	})
	t.Run("deleted", func(t *testing.T) {
		approving(t, assigned, desired.ApproveEverything, func(h *harness) {
			h.cloud.unstable, h.cloud.keepsPlans = true, true
			h.awaited(terraform.Create)
			if h.stored().Instance.Waiting == nil {
				t.Fatal("nothing is kept")
			}
			h.delete()
			if o := h.observe(); o.Exists() {
				t.Fatalf("there is an object: %+v", o)
			}
			if err := h.sched.Forget(t.Context(), h.r); err != nil {
				t.Fatal(err)
			}
			if rec, ok := h.record(); ok {
				t.Errorf("a record is left: %+v", rec.Instance)
			}
			if ids := h.cloud.ids(); len(ids) != 0 {
				t.Errorf("there are objects %v", ids)
			}
		})
	})
}
