package scheduler_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// What the provider defers is not changed. It is asked again each time.
func TestDeferred(t *testing.T) {
	for name, test := range map[string]struct {
		call    string
		prepare func(h *harness)
	}{
		"the plan of a create":  {call: "plan"},
		"the plan of an update": {call: "plan", prepare: func(h *harness) { h.settle(); h.want("a", 2) }},
		"a read":                {call: "refresh", prepare: func(h *harness) { h.settle(); h.want("a", 2) }},
		"an import": {call: "import", prepare: func(h *harness) {
			id := h.cloud.add(object{name: "a", size: 1})
			h.r.Import.Target = &terraform.ImportTarget{ID: id}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				if test.prepare != nil {
					test.prepare(h)
				}
				before := h.cloud.applies
				h.cloud.fail[test.call] = terraform.DeferredError("test_thing", terraform.DeferredAbsentPrereq)
				for range 3 {
					err := h.observeRefused(decision.ReasonDeferred)
					if got := terraform.DeferralOf(err.Diagnostics); got != terraform.DeferredAbsentPrereq {
						t.Errorf("the reason is %q", got)
					}
					_ = h.sched.Apply(t.Context(), h.r)
				}
				if h.cloud.applies != before {
					t.Error("something was applied")
				}
				h.cloud.fail[test.call] = diagnostic.Diagnostics(nil)
				h.settle()
				if n := len(h.cloud.ids()); n != 1 {
					t.Errorf("%d objects", n)
				}
			})
		})
	}
}
