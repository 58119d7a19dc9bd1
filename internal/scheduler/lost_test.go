package scheduler_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// lose deletes the stored instance from outside.
func (h *harness) lose() {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	clear(h.store.records)
}

// A stored instance that is deleted is stored again from memory.
func TestLostRecordIsRestored(t *testing.T) {
	tests := map[string]struct {
		notice func(h *harness)
	}{
		"when the deletion is reported": {func(h *harness) { h.sched.Lost(h.r.Key); h.observe() }},
		"when a write conflicts": {func(h *harness) {
			h.cloud.remove(h.cloud.ids()[0])
			_, _ = h.sched.Observe(t.Context(), h.r)
			h.observe()
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				h.settle()
				h.lose()
				test.notice(h)
				if _, ok := h.record(); !ok {
					t.Error("nothing is stored")
				}
			})
		})
	}
}

// planning calls during while it plans.
type planning struct {
	terraform.Executor
	during func()
}

// Plan implements terraform.Executor.
func (p planning) Plan(
	ctx context.Context, r terraform.ResourceType, in instance.Instance, c terraform.Config,
) (terraform.Plan, diagnostic.Diagnostics) {
	p.during()
	return p.Executor.Plan(ctx, r, in, c)
}

// A stored instance that is deleted while a change of it is planned is stored again, and the
// change is planned again.
func TestRecordLostDuringPlanIsRestored(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.settle()
		acquire, plans := h.r.Acquire, 0
		h.r.Acquire = func(ctx context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
			ex, release, diags := acquire(ctx)
			return planning{ex, func() {
				if plans++; plans == 1 {
					h.lose()
					h.sched.Lost(h.r.Key)
				}
			}}, release, diags
		}
		h.want("a", 2)
		if o := h.observe(); o.Plan == nil || o.Plan.Action != terraform.Update {
			t.Errorf("the observation has the plan %v, want an update", o.Plan)
		}
		if _, ok := h.record(); !ok || plans != 2 {
			t.Errorf("stored: %t, after %d plans", ok, plans)
		}
	})
}

// After Reload, which is for programs that change what is stored, a deleted instance stays deleted.
func TestRemovedRecordIsNotRestoredAfterReload(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.settle()
		h.sched.Reload(h.r.Key)
		h.lose()
		h.r.Deleted, h.r.Config = true, nil
		_, _ = h.sched.Observe(t.Context(), h.r)
		if rec, ok := h.record(); ok && rec.Instance.Exists() {
			t.Error("the instance is stored again")
		}
	})
}

// A deleted record is stored again only by a process that leads, for a resource that exists.
func TestLostRecordIsNotRestored(t *testing.T) {
	for name, tc := range map[string]struct {
		leads, exists bool
		err           error
	}{
		"without the lease":                      {exists: true},
		"of a resource that is gone":             {leads: true},
		"of a resource that may be gone":         {leads: true, err: errors.New("the API server does not answer")},
		"of a resource that is gone, unasked":    {},
		"of one that exists, without the answer": {leads: true, exists: true, err: errors.New("the answer is lost")},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				leads, exists, err := true, true, error(nil)
				h.o.Leads = func() bool { return leads }
				h.o.Exists = func(context.Context, store.Key, types.UID) (bool, error) { return exists, err }
				h.restart()
				h.settle()
				h.lose()
				leads, exists, err = tc.leads, tc.exists, tc.err
				h.sched.Lost(h.r.Key)
				h.observeRefused(decision.ReasonStore)
				if _, ok := h.record(); ok {
					t.Error("the instance is stored again")
				}
			})
		})
	}
}

// The outcome of an operation whose resource was released meanwhile is not stored.
func TestOutcomeOfReleasedResourceIsNotStored(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		exists := true
		h.o.Exists = func(context.Context, store.Key, types.UID) (bool, error) { return exists, nil }
		h.restart()
		h.cloud.block = make(chan struct{})
		h.observe()
		h.apply()
		synctest.Wait()
		h.lose()
		exists = false
		close(h.cloud.block)
		synctest.Wait()
		if _, ok := h.record(); ok {
			t.Error("the outcome is stored")
		}
	})
}

// A retry is asked for once, even if the store fails.
func TestRetryIsAskedOnceThoughTheStoreFails(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.store.fault = func(call string) fault {
			if call == "save" {
				return unavailable
			}
			return ""
		}
		h.r.Asked.Retry = "now"
		h.observe()
		h.apply()
		synctest.Wait()
		h.observe()
		var se *scheduler.Error
		if err := h.sched.Apply(t.Context(), h.r); !errors.As(err, &se) || se.RetryAt.IsZero() {
			t.Errorf("the failed operation is tried again at once: %v", err)
		}
	})
}

// The intent of an earlier resource of the same name does not prove that its create made an object
// that is found: it is neither replaced nor destroyed unless the user asks for it.
func TestIntentOfEarlierResourceProvesNothing(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.observe()
		h.interrupted(instance.Create, instance.Instance{})
		rec := h.stored()
		rec.Owner = "an earlier resource"
		if _, err := h.store.Save(t.Context(), h.r.Key, h.r.Type.Schema, rec); err != nil {
			t.Fatal(err)
		}
		h.cloud.add(object{name: "a", size: 1})
		h.restart()
		h.r.New = false
		h.observeRefused(decision.ReasonCreateOutcomeUnknown)
	})
}

// A create that was interrupted may still make its object, also if it is unknown whether there was
// one before.
func TestDeletionWaitsForInterruptedCreate(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.observe()
		h.interrupted(instance.Create, instance.Instance{})
		h.edit(func(in *instance.Instance) { in.Operation.Absent = false })
		h.restart()
		h.r.New, h.r.Deleted, h.r.Config = false, true, nil
		h.observeRefused(decision.ReasonCreateOutcomeUnknown)
		time.Sleep(2 * time.Hour)
		if o := h.observe(); o.Operation != nil {
			t.Error("the outcome is unknown for ever")
		}
	})
}

// A resource that is released while another one claims for it leaves nothing behind: its stored
// instance is not restored.
func TestReleasedRecordIsNotRestored(t *testing.T) {
	tests := map[string]struct {
		// before happens before the resource is released.
		before func(h *harness)
	}{
		"as it was read":     {func(*harness) {}},
		"changed by another": {func(h *harness) { h.store.touch(h.r.Key) }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				h.settle()
				test.before(h)
				claimed := make(chan error, 1)
				h.store.fails(func(call string) fault {
					if call == "delete" && len(claimed) == 0 {
						go func() { claimed <- h.sched.Claim(context.WithoutCancel(h.t.Context()), h.r) }()
						synctest.Wait() // it waits for the release
					}
					return ""
				})
				if err := h.sched.Forget(h.t.Context(), h.r); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if err := <-claimed; err != nil {
					t.Error(err)
				}
				if _, ok := h.record(); ok {
					t.Error("the stored instance is left behind")
				}
			})
		})
	}
}
