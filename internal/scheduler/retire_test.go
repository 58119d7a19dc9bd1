package scheduler_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// A write of an earlier process that is on its way when a resource is released would leave a record
// behind.
func TestRetireKeepsEarlierProcessesFromWriting(t *testing.T) {
	for name, mine := range map[string]bool{"the record of the resource": true, "what an earlier resource of its name has left": false} {
		var owner types.UID
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				if mine {
					owner = h.r.UID
				}
				late, err := h.store.Save(t.Context(), h.r.Key, h.r.Type.Schema, store.Record{Owner: owner})
				if err != nil {
					t.Fatal(err)
				}
				h.restart()
				h.r.Deleted, h.r.Config = true, nil
				h.observe()
				if err := h.sched.Retire(t.Context(), h.r); err != nil {
					t.Fatal(err)
				}
				late.Owner = h.r.UID
				if _, err := h.store.Save(t.Context(), h.r.Key, h.r.Type.Schema, late); !errors.Is(err, store.ErrConflict) {
					t.Errorf("the earlier process writes: %v", err)
				}
				retired := h.stored()
				if err := h.sched.Retire(t.Context(), h.r); err != nil || h.stored().Version != retired.Version {
					t.Errorf("it is stored again: %v", err)
				}
				if err := h.sched.Forget(t.Context(), h.r); err != nil {
					t.Fatal(err)
				}
				if rec, ok := h.record(); ok {
					t.Errorf("%+v is left behind", rec)
				}
			})
		})
	}
}

// A record that this process has written needs no other write.
func TestRetireWritesOnce(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.settle()
		h.restart()
		h.r.Deleted, h.r.Config = true, nil
		h.observe()
		if err := h.sched.Delete(t.Context(), h.r); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		version := h.stored().Version
		if err := h.sched.Retire(t.Context(), h.r); err != nil || h.stored().Version != version {
			t.Errorf("it is stored again: %v", err)
		}
	})
}

// The API server tells that a resource is gone as soon as its finalizers are removed, before its
// record is.
func TestForgetAfterDeleted(t *testing.T) {
	for name, writes := range map[string]bool{"this process has written the record": true, "an earlier process has written it": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				h.settle()
				h.r.Deleted, h.r.Config = true, nil
				h.observe()
				if err := h.sched.Delete(t.Context(), h.r); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if !writes {
					h.restart()
					h.observe()
				}
				if err := h.sched.Retire(t.Context(), h.r); err != nil {
					t.Fatal(err)
				}
				h.sched.Deleted(h.r.UID)
				if err := h.sched.Forget(t.Context(), h.r); err != nil {
					t.Fatal(err)
				}
				if rec, ok := h.record(); ok {
					t.Errorf("%+v is left behind", rec)
				}
			})
		})
	}
}
