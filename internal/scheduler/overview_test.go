package scheduler_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// TestOverview has a case for every arrow of the Resource State Overview. POST and the polling
// of the task are the provider's Apply; GET is its Refresh.
func TestOverview(t *testing.T) {
	broken := diagnostic.Errorf("Broken", "It is.")
	create := func(how manner) func(*harness) {
		return func(h *harness) {
			h.cloud.manner = how
			h.observe()
			h.apply()
			synctest.Wait()
			h.cloud.manner = inOrder
		}
	}
	tainted := create(halfway)
	partial := func(h *harness) {
		tainted(h)
		h.cloud.fail["refresh"] = broken
		h.r.Asked.Untaint = "1"
		h.observeRefused(scheduler.ReasonReadFailed)
		delete(h.cloud.fail, "refresh")
	}
	full := func(h *harness) { h.settle() }
	// later is when failures do not count any more.
	later := func(*harness) {
		time.Sleep(time.Hour)
		synctest.Wait()
	}

	cases := map[string]struct {
		from  func(h *harness) // nil: from the start
		arrow func(h *harness)
		// The state that the arrow leads to, as stored and as remembered.
		to instance.Status
		// reason is set where the resource cannot be observed after the arrow.
		reason scheduler.Reason
		told   []string // on the way
		ids    []string // the objects in the end
	}{
		"Start → Empty": {
			arrow: func(h *harness) { h.observe() },
		},
		"POST failed → Empty": {
			arrow: create(refused), told: []string{"Failed Create (Quota exceeded)"},
		},
		"POST ok, POLL ok, GET ok → Full": {
			arrow: create(inOrder), to: instance.Full, told: []string{"Succeeded Create"}, ids: []string{"i-1"},
		},
		"POLL failed → Tainted": {
			arrow: create(halfway), to: instance.Tainted, told: []string{"Failed Create (Halfway)", "Tainted"}, ids: []string{"i-1"},
		},
		// The provider is told to stop, and answers with what there is.
		"POLL interrupted → Tainted": {
			arrow: func(h *harness) {
				h.cloud.block, h.cloud.manner = make(chan struct{}), halfway
				h.observe()
				h.apply()
				synctest.Wait()
				stopped := h.stop(time.Minute)
				close(h.cloud.block)
				if err := <-stopped; err != nil {
					h.t.Error(err)
				}
				h.cloud.manner, h.cloud.block = inOrder, nil
				h.restart()
			},
			to: instance.Tainted, told: []string{"Failed Create (Halfway)", "Tainted"}, ids: []string{"i-1"},
		},
		// The process dies, and its successor finds what there is.
		"POLL interrupted by a crash → Tainted": {
			arrow: func(h *harness) {
				h.cloud.add(object{"a", 1})
				h.interrupted(instance.Create, instance.Instance{})
				h.restart()
				h.observe()
			},
			to: instance.Tainted, told: []string{"Recovered Create found", "Tainted"}, ids: []string{"i-1"},
		},
		"Full, taint → Tainted": {
			from: full, arrow: func(h *harness) {
				h.r.Asked.Taint = "1"
				h.observe()
			},
			to: instance.Tainted, told: []string{"Tainted as asked"}, ids: []string{"i-1"},
		},
		"Tainted, apply: delete → Empty": {
			from: tainted, arrow: func(h *harness) {
				later(h)
				h.observe()
				h.apply()
				synctest.Wait()
			},
			told: []string{"Succeeded Delete of replacement"},
		},
		"Tainted, apply: delete, create → Full": {
			from: tainted, arrow: func(h *harness) {
				later(h)
				h.settle()
			},
			to: instance.Full, told: []string{"Succeeded Delete of replacement", "Succeeded Create of replacement"}, ids: []string{"i-2"},
		},
		// That it is not there does not prove that it does not appear later.
		"Tainted, gone, apply: delete, create → Full": {
			from: tainted, arrow: func(h *harness) {
				later(h)
				h.cloud.remove("i-1")
				h.settle()
			},
			to: instance.Full, told: []string{"Succeeded Delete of replacement", "Succeeded Create of replacement"}, ids: []string{"i-2"},
		},
		"Tainted, gone, kept → Tainted": {
			from: tainted, arrow: func(h *harness) {
				h.r.Policies.ReplaceTainted = false
				h.cloud.remove("i-1")
				h.observe()
			},
			to: instance.Tainted,
		},
		"Tainted, gone, kept, after the timeout → Empty": {
			from: tainted, arrow: func(h *harness) {
				h.r.Policies.ReplaceTainted = false
				h.cloud.remove("i-1")
				h.observe()
				time.Sleep(time.Hour)
				h.observe()
			},
			told: []string{"Gone"},
		},
		"Tainted, kept → Tainted": {
			from: tainted, arrow: func(h *harness) {
				later(h)
				h.r.Policies.ReplaceTainted = false
				h.observe()
				h.refuses(h.sched.Apply(h.t.Context(), h.r), scheduler.ReasonReplaceRefused)
			},
			to: instance.Tainted, ids: []string{"i-1"},
		},
		"Tainted, untaint → Partial": {
			from: tainted, arrow: func(h *harness) {
				h.cloud.fail["refresh"] = broken
				h.r.Asked.Untaint = "1"
				h.observeRefused(scheduler.ReasonReadFailed)
			},
			to: instance.Partial, reason: scheduler.ReasonReadFailed, told: []string{"Untainted as asked"}, ids: []string{"i-1"},
		},
		"Partial, GET ok → Full": {
			from: partial, arrow: func(h *harness) { h.observe() },
			to: instance.Full, told: []string{"Read"}, ids: []string{"i-1"},
		},
		"Partial, GET 404 → Empty": {
			from: partial, arrow: func(h *harness) {
				h.cloud.remove("i-1")
				h.observe()
			},
			told: []string{"Gone"},
		},
		"Partial, GET failed → Partial": {
			from: partial, arrow: func(h *harness) {
				h.cloud.fail["refresh"] = broken
				h.observeRefused(scheduler.ReasonReadFailed)
			},
			to: instance.Partial, reason: scheduler.ReasonReadFailed, ids: []string{"i-1"},
		},
		"Partial, GET ok, apply → Full, nothing done": {
			from: partial, arrow: func(h *harness) { h.settle() },
			to: instance.Full, told: []string{"Read"}, ids: []string{"i-1"},
		},
		"Full, GET 404 → Empty": {
			from: full, arrow: func(h *harness) {
				h.cloud.remove("i-1")
				h.observe()
			},
			told: []string{"Gone"},
		},
		"Full, GET failed → Full": {
			from: full, arrow: func(h *harness) {
				h.cloud.fail["refresh"] = broken
				h.observeRefused(scheduler.ReasonReadFailed)
			},
			to: instance.Full, reason: scheduler.ReasonReadFailed, ids: []string{"i-1"},
		},
		"Full, PATCH failed → Full": {
			from: full, arrow: func(h *harness) {
				h.want("a", 2)
				create(halfway)(h)
			},
			to: instance.Full, told: []string{"Failed Update (Halfway)"}, ids: []string{"i-1"},
		},
		"Full, DELETE → Empty": {
			from: full, arrow: func(h *harness) {
				h.r.Config, h.r.ConfigHash = nil, ""
				h.observe()
				if err := h.sched.Delete(context.Background(), h.r); err != nil {
					h.t.Fatal(err)
				}
				synctest.Wait()
			},
			told: []string{"Succeeded Delete"},
		},
		"Full, DELETE failed → Full": {
			from: full, arrow: func(h *harness) {
				h.r.Config, h.r.ConfigHash, h.cloud.manner = nil, "", refused
				h.observe()
				if err := h.sched.Delete(context.Background(), h.r); err != nil {
					h.t.Fatal(err)
				}
				synctest.Wait()
			},
			to: instance.Full, told: []string{"Failed Delete (Quota exceeded)"}, ids: []string{"i-1"},
		},
		"import → Full": {
			arrow: func(h *harness) {
				h.cloud.add(object{"a", 1})
				h.r.Import.Target = &terraform.ImportTarget{ID: "i-1"}
				h.observe()
			},
			to: instance.Full, told: []string{"Imported"}, ids: []string{"i-1"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				if tc.from != nil {
					tc.from(h)
					h.told.take()
				}
				tc.arrow(h)
				if diff := cmp.Diff(tc.told, h.told.take()); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
				if rec, ok := h.record(); ok && rec.Instance.Status != tc.to {
					t.Errorf("stored is %q, want %q", rec.Instance.Status, tc.to)
				}
				if tc.reason == "" {
					if o := h.observe(); o.Instance.Status != tc.to {
						t.Errorf("observed is %q, want %q", o.Instance.Status, tc.to)
					}
				}
				if got := h.remembered().Status; got != tc.to {
					t.Errorf("remembered is %q, want %q", got, tc.to)
				}
				if diff := cmp.Diff(tc.ids, h.cloud.ids()); diff != "" {
					t.Errorf("objects (-want +got):\n%s", diff)
				}
				if told := h.told.take(); len(told) > 0 {
					t.Errorf("told without anything new: %v", told)
				}
			})
		})
	}
}
