package scheduler_test

import (
	"testing"
	"testing/synctest"

	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
)

// A process that was suspended for longer than its lease holds what was true before. Since then its
// successor may have made the object, and destroyed it again: nothing that is stored tells.
func TestWithoutLease(t *testing.T) {
	cases := map[string]struct {
		// before is what is done with the lease, after without it.
		before, after func(*harness)
		applies       int
		stored        bool
	}{
		"create": {
			before: func(h *harness) { h.observe() },
			after:  (*harness).apply,
		},
		"update": {
			before:  func(h *harness) { h.settle(); h.want("a", 2); h.observe() },
			after:   (*harness).apply,
			applies: 1, stored: true,
		},
		"delete": {
			before: func(h *harness) { h.settle() },
			after: func(h *harness) {
				if err := h.sched.Delete(h.t.Context(), h.r); err != nil {
					h.t.Fatal(err)
				}
			},
			applies: 1, stored: true,
		},
		"what was read": {
			before:  func(h *harness) { h.settle(); h.cloud.remove("i-1") },
			after:   func(h *harness) { h.observeRefused(decision.ReasonStore) },
			applies: 1, stored: true,
		},
		"forget": {
			before: func(h *harness) { h.settle() },
			after: func(h *harness) {
				h.refuses(h.sched.Forget(h.t.Context(), h.r), decision.ReasonStore)
			},
			applies: 1, stored: true,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				leads := true
				h.o.Leads = func() bool { return leads }
				h.restart()
				tc.before(h)
				synctest.Wait()
				writes := h.store.writes
				leads = false
				tc.after(h)
				synctest.Wait()
				if h.cloud.applies != tc.applies {
					t.Errorf("%d applies, want %d", h.cloud.applies, tc.applies)
				}
				if _, stored := h.record(); stored != tc.stored || h.store.writes != writes {
					t.Errorf("stored is %t, want %t, after %d writes", stored, tc.stored, h.store.writes-writes)
				}
			})
		})
	}
}
