package scheduler_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// edit changes the stored instance, as another program does.
func (h *harness) edit(change func(*instance.Instance)) {
	h.t.Helper()
	rec := h.stored()
	change(&rec.Instance)
	if _, err := h.store.Save(h.t.Context(), h.r.Key, h.r.Type.Schema, rec); err != nil {
		h.t.Fatal(err)
	}
}

func lock(in *instance.Instance) {
	in.Operation = &instance.Operation{ID: "move-1", Kind: instance.Move, StartedAt: time.Now(), Journal: []byte("{}")}
}

// While a resource is moved, nothing is done to its object, whatever the controller remembers.
func TestMovingResourceIsLeftAlone(t *testing.T) {
	tests := map[string]struct {
		prepare func(h *harness)
	}{
		"observed before the lock": {func(h *harness) { h.want("a", 2); h.observe(); h.edit(lock) }},
		"remembered":               {func(h *harness) { h.edit(lock); h.want("a", 2) }},
		"after a restart":          {func(h *harness) { h.edit(lock); h.restart(); h.want("a", 2) }},
		"taken for a new one":      {func(h *harness) { h.edit(lock); h.restart(); h.r.New = true; h.want("b", 2) }},
		"to be replaced":           {func(h *harness) { h.want("b", 1); h.observe(); h.edit(lock) }},
		"being deleted": {func(h *harness) {
			h.edit(lock)
			h.restart()
			h.r.Deleted, h.r.Config = true, nil
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				h.settle()
				test.prepare(h)
				h.log.take()
				refused := false
				for range 5 {
					if h.r.Deleted {
						_ = h.sched.Delete(t.Context(), h.r)
					} else {
						_ = h.sched.Apply(t.Context(), h.r)
					}
					synctest.Wait()
					_, err := h.sched.Observe(t.Context(), h.r)
					refused = err != nil && strings.Contains(err.Error(), "is being moved to another cluster")
					time.Sleep(time.Hour)
				}
				if !refused {
					t.Error("the resource is observed in the end")
				}
				if slices.ContainsFunc(h.log.take(), func(call string) bool { return strings.HasPrefix(call, "apply") }) {
					t.Error("its object was changed")
				}
				if op := h.stored().Instance.Operation; op == nil || op.Kind != instance.Move {
					t.Errorf("the lock was removed: %+v", op)
				}
				if h.r.Deleted {
					return
				}
				h.edit(func(in *instance.Instance) { in.Operation = nil })
				h.settle()
				if n := len(h.cloud.ids()); n != 1 {
					t.Errorf("%d objects", n)
				}
			})
		})
	}
}

// After Reload, what others have stored is used.
func TestReload(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.settle()
		h.edit(func(in *instance.Instance) { in.Status = instance.Tainted })
		if o := h.observe(); o.Instance.Status != instance.Full {
			t.Fatal("the stored instance is loaded without Reload, so this test proves nothing")
		}
		h.sched.Reload(h.r.Key)
		if o := h.observe(); o.Instance.Status != instance.Tainted {
			t.Errorf("the status is %s", o.Instance.Status)
		}
	})
}

// An operation that runs during Reload ends and is recorded.
func TestReloadDuringOperation(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.settle()
		h.want("a", 2)
		h.observe()
		h.cloud.block = make(chan struct{})
		h.apply()
		synctest.Wait()
		h.sched.Reload(h.r.Key)
		if o := h.observe(); o.Operation == nil {
			t.Error("the operation is not reported any more")
		}
		close(h.cloud.block)
		synctest.Wait()
		if in := h.stored().Instance; in.Operation != nil || sizeOf(in.State) != 2 {
			t.Errorf("stored: %+v", in)
		}
		h.cloud.block = nil
		h.settle()
	})
}

// A first create that waits for its turn is not carried out if something was stored meanwhile, as
// when its resource was moved.
func TestWaitingCreateIsNotCarriedOut(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.r.New = true
		acquire, turn := h.r.Acquire, make(chan struct{})
		h.observe()
		h.r.Acquire = func(ctx context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
			<-turn
			return acquire(ctx)
		}
		h.apply()
		synctest.Wait()
		h.stores(instance.Instance{})
		close(turn)
		synctest.Wait()
		if ids := h.cloud.ids(); len(ids) != 0 {
			t.Errorf("objects %v were created", ids)
		}
	})
}
