package scheduler_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
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
		h.observeRefused(decision.ReasonReadFailed)
		delete(h.cloud.fail, "refresh")
	}
	full := func(h *harness) { h.settle() }
	// polled creates an object that the provider could not read after its task had ended.
	polled := create(unread)
	// late is as polled, with an API that may show an object late.
	late := func(h *harness) {
		h.o.CreationGracePeriod = scheduler.DefaultCreationGracePeriod
		h.restart()
		polled(h)
	}
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
		// GET is the provider's. If it fails, the object is read again by Landbridge.
		"POLL ok, GET failed → Partial": {
			arrow: func(h *harness) {
				h.cloud.fail["refresh"] = broken
				polled(h)
				h.observeRefused(decision.ReasonReadFailed)
				h.refuses(h.sched.Apply(h.t.Context(), h.r), decision.ReasonStore)
			},
			to: instance.Partial, reason: decision.ReasonReadFailed, told: []string{"Succeeded Create"}, ids: []string{"i-1"},
		},
		"POLL ok, GET failed, GET ok → Full": {
			arrow: func(h *harness) {
				polled(h)
				h.observe()
			},
			to: instance.Full, told: []string{"Succeeded Create", "Read"}, ids: []string{"i-1"},
		},
		// It may only not be visible yet, so nothing else is created.
		"POLL ok, GET 404, soon → Partial": {
			arrow: func(h *harness) {
				late(h)
				h.cloud.remove("i-1")
				h.observeRefused(decision.ReasonNotVisibleYet)
				h.refuses(h.sched.Apply(h.t.Context(), h.r), decision.ReasonStore)
			},
			to: instance.Partial, reason: decision.ReasonNotVisibleYet, told: []string{"Succeeded Create"},
		},
		"POLL ok, GET 404 → Empty": {
			arrow: func(h *harness) {
				late(h)
				h.cloud.remove("i-1")
				h.observeRefused(decision.ReasonNotVisibleYet)
				later(h)
				h.observe()
			},
			told: []string{"Succeeded Create", "Gone"},
		},
		"POLL ok, GET 404, apply: create → Full": {
			arrow: func(h *harness) {
				late(h)
				h.cloud.remove("i-1")
				h.observeRefused(decision.ReasonNotVisibleYet)
				later(h)
				h.settle()
			},
			to: instance.Full, told: []string{"Succeeded Create", "Gone", "Succeeded Create"}, ids: []string{"i-2"},
		},
		// What is read shows it, so nothing is destroyed.
		"POLL ok, GET failed, apply → Full, nothing done": {
			arrow: func(h *harness) {
				polled(h)
				h.settle()
			},
			to: instance.Full, told: []string{"Succeeded Create", "Read"}, ids: []string{"i-1"},
		},
		"Partial, DELETE → Empty": {
			from: polled, arrow: func(h *harness) {
				h.r.Config, h.r.ConfigHash = nil, ""
				h.observe()
				if err := h.sched.Delete(context.Background(), h.r); err != nil {
					h.t.Fatal(err)
				}
				synctest.Wait()
			},
			told: []string{"Read", "Succeeded Delete"},
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
				h.refuses(h.sched.Apply(h.t.Context(), h.r), decision.ReasonReplaceRefused)
			},
			to: instance.Tainted, ids: []string{"i-1"},
		},
		"Tainted, untaint → Partial": {
			from: tainted, arrow: func(h *harness) {
				h.cloud.fail["refresh"] = broken
				h.r.Asked.Untaint = "1"
				h.observeRefused(decision.ReasonReadFailed)
			},
			to: instance.Partial, reason: decision.ReasonReadFailed, told: []string{"Untainted as asked"}, ids: []string{"i-1"},
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
				h.observeRefused(decision.ReasonReadFailed)
			},
			to: instance.Partial, reason: decision.ReasonReadFailed, ids: []string{"i-1"},
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
				h.observeRefused(decision.ReasonReadFailed)
			},
			to: instance.Full, reason: decision.ReasonReadFailed, ids: []string{"i-1"},
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

// A create costs no read if its answer is complete, and one if it is not.
func TestHealthyCreateIsNotRead(t *testing.T) {
	for how, want := range map[manner]int{inOrder: 0, unread: 1} {
		t.Run(string(how), func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				h.cloud.manner = how
				h.observe()
				h.apply()
				synctest.Wait()
				if o := h.observe(); o.Instance.Status != instance.Full || !o.UpToDate() {
					t.Errorf("it is %s, with the plan %s", o.Instance.Status, o.Plan.Action)
				}
				reads := slices.DeleteFunc(h.log.take(), func(call string) bool { return call != "refresh" })
				if len(reads) != want {
					t.Errorf("it was read %d times, want %d", len(reads), want)
				}
			})
		})
	}
}
