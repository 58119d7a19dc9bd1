package scheduler_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Where the work is divided, nothing is created for a resource that is not one of this shard any
// more, and nothing of it stays stored. By then, the other shard finds a record, so it waits.
func TestCreateElsewhere(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		asked, reserved := 0, false
		here := errors.New("the resource is being deleted")
		h.r.Here = func(context.Context) error {
			asked++
			_, reserved = h.record()
			return here
		}
		h.observe()
		h.apply()
		synctest.Wait()
		if _, stored := h.record(); h.cloud.applies != 0 || stored || !reserved {
			t.Errorf("%d applies, a record is left: %t, there was one: %t", h.cloud.applies, stored, reserved)
		}
		here, asked = nil, 0
		h.restart() // without the delay after a failure
		h.settle()
		h.want("a", 2)
		h.settle()
		if h.cloud.applies != 2 || asked != 1 {
			t.Errorf("%d applies, asked %d times", h.cloud.applies, asked)
		}
	})
}

// A resource of which nothing is remembered is not released if another shard has stored a record
// since.
func TestReleaseElsewhere(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.r.Here = func(context.Context) error { return nil }
		h.observe()
		if err := h.sched.Retire(t.Context(), h.r); err != nil {
			t.Fatal(err)
		}
		if _, err := h.store.Save(t.Context(), h.r.Key, h.r.Type.Schema, store.Record{Owner: h.r.UID}); err != nil {
			t.Fatal(err)
		}
		h.refuses(h.sched.Retire(t.Context(), h.r), decision.ReasonStore)
	})
}
