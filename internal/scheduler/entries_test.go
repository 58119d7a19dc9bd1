package scheduler_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

func (h *harness) sizes(entries, limits int) {
	h.t.Helper()
	if e, l := h.sched.Sizes(); e != entries || l != limits {
		h.t.Errorf("%d entries and %d limits are held, want %d and %d", e, l, entries, limits)
	}
}

// A resource whose finalizer was removed by hand is never forgotten by a reconcile.
func TestEntryGoesWithResource(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.settle()
		h.sizes(1, 0)
		h.sched.Gone(h.r.Key)
		h.sizes(0, 0)
		if _, ok := h.sched.Remembered(h.r); ok {
			t.Error("a resource that is gone is remembered")
		}
		h.sizes(0, 0)
	})
}

func TestEntryGoesWhenForgotten(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.settle()
		if !h.deletes() {
			t.Error("the object is not destroyed")
		}
		h.sizes(0, 0)
		// A late reconcile, which has not heard of it.
		h.observe()
		h.sizes(1, 0)
		h.sched.Gone(h.r.Key)
		h.sizes(0, 0)
	})
}

func TestEntryStaysWhileOperationRuns(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.observe()
		h.cloud.block = make(chan struct{})
		h.apply()
		synctest.Wait()
		h.sched.Gone(h.r.Key)
		h.sizes(1, 1)
		close(h.cloud.block)
		synctest.Wait()
		h.sizes(0, 0)
	})
}

func TestEntryStaysIfResourceReturns(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.observe()
		h.cloud.block = make(chan struct{})
		h.apply()
		synctest.Wait()
		h.sched.Gone(h.r.Key)
		if o := h.observe(); o.Operation == nil {
			t.Error("the running operation is not shown")
		}
		close(h.cloud.block)
		synctest.Wait()
		h.sizes(1, 0)
		h.settle()
		if h.cloud.applies != 1 {
			t.Errorf("%d applies", h.cloud.applies)
		}
	})
}

// What was observed before a resource was taken for gone does not permit an operation.
func TestGoneBetweenObserveAndApply(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.observe()
		h.sched.Gone(h.r.Key)
		h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonStore)
		h.settle()
		h.sizes(1, 0)
	})
}

// An import that takes until its resource is gone stores nothing: nothing would remove it.
func TestDeletedDuringImport(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.r.Import.Target = byID(h.cloud.add(object{"x", 1}))
		h.cloud.during = func(name string) {
			if name == "import" {
				h.sched.Deleted(h.r.UID)
			}
		}
		_, err := h.sched.Observe(t.Context(), h.r)
		h.refuses(err, decision.ReasonStore)
		if _, err := h.store.Load(t.Context(), h.r.Key, nil); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a record is stored of a resource that is gone: %v", err)
		}
		h.cloud.during = nil
		h.settle() // it was taken for gone, and is not
		h.sizes(1, 0)
	})
}

// A create whose resource is deleted between the decision and its begin is not begun.
func TestDeletedDuringApply(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.observe()
		h.sched.Deleted(h.r.UID)
		h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonStore)
		if h.cloud.applies != 0 {
			t.Errorf("%d applies", h.cloud.applies)
		}
	})
}

// Only the entries of the key go.
func TestGoneLeavesOthers(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.settle()
		gone := h.r.Key
		h.r.UID, h.r.Key.Name = "uid-2", "two"
		h.settle()
		h.sizes(2, 0)
		h.sched.Gone(gone)
		h.sizes(1, 0)
		if _, ok := h.sched.Remembered(h.r); !ok {
			t.Error("the other resource is not remembered")
		}
	})
}

// Resources that had the same key one after the other.
func TestEntriesOfOneKey(t *testing.T) {
	for name, tc := range map[string]struct {
		deleted []types.UID
		left    int
	}{
		"none":             {nil, 3},
		"the first":        {[]types.UID{"uid-0"}, 2},
		"the middle one":   {[]types.UID{"uid-1"}, 2},
		"the last":         {[]types.UID{"uid-2"}, 2},
		"all but the last": {[]types.UID{"uid-0", "uid-1"}, 1},
		"one twice":        {[]types.UID{"uid-1", "uid-1"}, 2},
		"all":              {[]types.UID{"uid-2", "uid-0", "uid-1"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				for _, uid := range []types.UID{"uid-0", "uid-1", "uid-2"} {
					h.r.UID = uid
					h.observe()
				}
				for _, uid := range tc.deleted {
					h.sched.Deleted(uid)
				}
				h.sizes(tc.left, 0)
				if got := h.sched.EntriesOf(h.r.Key); got != tc.left {
					t.Errorf("%d entries of the key, want %d", got, tc.left)
				}
				h.sched.Gone(h.r.Key)
				h.sizes(0, 0)
				if got := h.sched.EntriesOf(h.r.Key); got != 0 {
					t.Errorf("%d entries of the key are left", got)
				}
			})
		})
	}
}

func TestLimitsGoWithConfigurations(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.cloud.block = make(chan struct{})
		for _, name := range []string{"a", "b", "c"} {
			r := h.r
			r.UID, r.Key.Name, r.ProviderConfiguration = types.UID(name), name, "configuration-"+name
			if name == "c" {
				r.ProviderConfiguration = "configuration-a"
			}
			if _, err := h.sched.Observe(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			if err := h.sched.Apply(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		h.sizes(3, 2)
		close(h.cloud.block)
		synctest.Wait()
		h.sizes(3, 0)
	})
}

// Nothing would destroy an object that is created for a resource that is gone.
func TestNothingIsCreatedForGoneResource(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		acquire := h.r.Acquire
		h.observe()
		h.r.Acquire = func(ctx context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
			h.sched.Gone(h.r.Key)
			return acquire(ctx)
		}
		h.apply()
		synctest.Wait()
		if ids := h.cloud.ids(); len(ids) > 0 {
			t.Errorf("%v are created", ids)
		}
		if rec, ok := h.record(); ok {
			t.Errorf("%+v is stored", rec)
		}
		h.sizes(0, 0)
	})
}
