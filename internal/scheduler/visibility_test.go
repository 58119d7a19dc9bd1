package scheduler_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// visibly runs a test whose objects may be visible late.
func visibly(t *testing.T, kind identityKind, f func(h *harness)) {
	t.Helper()
	bubble(t, kind, func(h *harness) {
		h.o.CreationGracePeriod = scheduler.DefaultCreationGracePeriod
		h.restart()
		f(h)
	})
}

// created makes the object, which is hidden from then on.
func (h *harness) created() {
	h.t.Helper()
	h.settle()
	h.cloud.hidden["i-1"] = true
	h.told.take()
}

// changeAfter changes what the cloud shows, some time from now.
func (c *cloud) changeAfter(d time.Duration, change func()) {
	time.AfterFunc(d, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		change()
	})
}

// reconcile observes, and applies or deletes, as often as the scheduler wants within a time.
func (h *harness) reconcile(within time.Duration) (reasons []scheduler.Reason) {
	h.t.Helper()
	for until := time.Now().Add(within); time.Now().Before(until); time.Sleep(time.Second) {
		o, err := h.sched.Observe(h.t.Context(), h.r)
		if err == nil && h.r.Deleted && o.Exists() {
			err = h.sched.Delete(h.t.Context(), h.r)
		} else if err == nil && !h.r.Deleted && !o.UpToDate() {
			err = h.sched.Apply(h.t.Context(), h.r)
		}
		synctest.Wait()
		if err != nil {
			if reason := h.refuses(err, err.(*scheduler.Error).Reason).Reason; len(reasons) == 0 ||
				reasons[len(reasons)-1] != reason { //nolint:errorlint // it is one
				reasons = append(reasons, reason)
			}
		}
	}
	return reasons
}

func TestObjectNotVisibleYet(t *testing.T) {
	notYet := []scheduler.Reason{decision.ReasonNotVisibleYet}
	tests := map[string]struct {
		kind identityKind
		// then happens after the create; the object is hidden.
		then func(h *harness)
		// appears is when it becomes visible; never if it is 0.
		appears time.Duration
		reasons []scheduler.Reason
		ids     []string
		told    []string
	}{
		"it is looked at": {
			appears: 10 * time.Second, reasons: notYet, ids: []string{"i-1"},
		},
		"the process ends": {
			then:    func(h *harness) { h.restart() },
			appears: 10 * time.Second, reasons: notYet, ids: []string{"i-1"},
		},
		"an update": {
			then:    func(h *harness) { h.want("a", 2) },
			appears: 10 * time.Second, reasons: notYet, ids: []string{"i-1"}, told: []string{"Succeeded Update"},
		},
		"a replacement": {
			then:    func(h *harness) { h.want("b", 1) },
			appears: 10 * time.Second, reasons: notYet, ids: []string{"i-2"},
			told: []string{"Succeeded Delete of replacement", "Succeeded Create of replacement"},
		},
		"a deletion": {
			then:    func(h *harness) { h.deleting() },
			appears: 10 * time.Second, reasons: notYet, told: []string{"Succeeded Delete", "Succeeded Delete"},
		},
		"a deletion, and the process ends": {
			then:    func(h *harness) { h.deleting(); h.restart() },
			appears: 10 * time.Second, reasons: notYet, told: []string{"Succeeded Delete", "Succeeded Delete"},
		},
		"a deletion after it was seen": {
			then: func(h *harness) {
				h.cloud.hidden["i-1"] = false
				h.observe()
				h.deleting()
			},
			told: []string{"Succeeded Delete"},
		},
		"a deletion without a read": {
			then: func(h *harness) {
				h.cloud.fail["refresh"] = diagnostic.Errorf("Forbidden", "It cannot be read.")
				h.deleting()
				h.r.WithoutRefresh = true
			},
			appears: 10 * time.Second, reasons: notYet, told: slices.Repeat([]string{"Succeeded Delete"}, 7),
		},
		"a deletion without a read after it was seen": {
			then: func(h *harness) {
				h.cloud.hidden["i-1"] = false
				h.observe()
				h.deleting()
				h.r.WithoutRefresh = true
			},
			told: []string{"Succeeded Delete"},
		},
		"a deletion after its replacement, made at the same time": {
			then: func(h *harness) {
				h.cloud.hidden["i-1"] = false
				h.observe()
				h.want("b", 1)
				h.settle()
				h.cloud.hidden["i-2"] = true
				h.cloud.changeAfter(10*time.Second, func() { h.cloud.hidden["i-2"] = false })
				h.deleting()
			},
			reasons: notYet,
			told:    []string{"Succeeded Delete of replacement", "Succeeded Create of replacement", "Succeeded Delete", "Succeeded Delete"},
		},
		"it is destroyed by hand": {
			then:    func(h *harness) { h.cloud.remove("i-1") },
			reasons: notYet, ids: []string{"i-2"}, told: []string{"Gone", "Succeeded Create"},
		},
		"it is old": {
			then: func(h *harness) { time.Sleep(scheduler.DefaultCreationGracePeriod); h.cloud.remove("i-1") },
			ids:  []string{"i-2"}, told: []string{"Gone", "Succeeded Create"},
		},
		"it is tainted, and never appears": {
			kind: derivable,
			then: func(h *harness) {
				h.r.Asked.Taint = "now"
				h.cloud.remove("i-1")
			},
			reasons: notYet, ids: []string{"i-2"},
			told: []string{"Tainted as asked", "Succeeded Delete of replacement", "Succeeded Create of replacement"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			visibly(t, test.kind, func(h *harness) {
				h.created()
				if test.then != nil {
					test.then(h)
				}
				if test.appears > 0 {
					h.cloud.changeAfter(test.appears, func() { h.cloud.hidden["i-1"] = false })
				}
				if diff := cmp.Diff(test.reasons, h.reconcile(time.Minute)); diff != "" {
					t.Errorf("reasons (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(test.ids, h.cloud.ids()); diff != "" {
					t.Errorf("objects (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(test.told, h.told.take()); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// aged is a cloud with objects of an earlier schema version, which it upgrades before reads.
type aged struct{ upgrading }

func (a aged) Refresh(ctx context.Context, r terraform.ResourceType, in instance.Instance) (terraform.Refreshed, diagnostic.Diagnostics) {
	if len(in.RawState) > 0 {
		in, _ = a.Upgrade(ctx, r, in)
	}
	return a.upgrading.Refresh(ctx, r, in)
}

// An object that is not visible yet is not taken for gone because its schema has another version.
func TestObjectOfAnEarlierVersionNotVisibleYet(t *testing.T) {
	notYet := []scheduler.Reason{decision.ReasonNotVisibleYet}
	for name, test := range map[string]struct {
		deleted bool
		ids     []string
		told    []string
	}{
		"it is looked at": {ids: []string{"i-1"}},
		"a deletion":      {deleted: true, told: []string{"Succeeded Delete", "Succeeded Delete"}},
	} {
		t.Run(name, func(t *testing.T) {
			visibly(t, noIdentity, func(h *harness) {
				h.created()
				newer := *h.r.Type.Schema
				newer.Version = 2
				h.r.Type.Schema = &newer
				h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
					return aged{upgrading{h.cloud}}, func() {}, nil
				}
				h.restart()
				if test.deleted {
					h.deleting()
				}
				h.cloud.changeAfter(10*time.Second, func() { h.cloud.hidden["i-1"] = false })
				if diff := cmp.Diff(notYet, h.reconcile(time.Minute)); diff != "" {
					t.Errorf("reasons (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(test.ids, h.cloud.ids()); diff != "" {
					t.Errorf("objects (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(test.told, h.told.take()); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// An object whose record was written by hand, as an import from a state does, may not be visible
// yet.
func TestAdoptedObjectNotVisibleYet(t *testing.T) {
	visibly(t, assigned, func(h *harness) {
		h.cloud.add(object{"a", 1})
		h.cloud.hidden["i-1"] = true
		if _, err := h.store.Save(t.Context(), h.r.Key, h.r.Type.Schema, store.Record{Instance: h.cloud.instance("i-1")}); err != nil {
			t.Fatal(err)
		}
		h.cloud.changeAfter(10*time.Second, func() { h.cloud.hidden["i-1"] = false })
		if diff := cmp.Diff([]scheduler.Reason{decision.ReasonNotVisibleYet}, h.reconcile(time.Minute)); diff != "" {
			t.Errorf("reasons (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"i-1"}, h.cloud.ids()); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
	})
}

// The grace period of the objects of a module begins when its record was written by hand, as an
// import from a state does, and goes on when the module is read and changed.
func TestAdoptedModule(t *testing.T) {
	newEstate(t, noIdentity, func(e *estate) {
		m := &moduleCloud{cloud: newCloud(noIdentity)}
		h := e.module("a", 0, m)
		h.cloud = m.cloud
		m.add(object{"a", 1})
		adopted := time.Now()
		if _, err := h.store.Save(t.Context(), h.r.Key, h.r.Type.Schema, store.Record{Instance: m.instance("i-1")}); err != nil {
			t.Fatal(err)
		}
		h.settle()
		h.want("a", 2)
		h.settle()
		if got := h.stored().Instance.CreatedAt; got.Before(adopted) {
			t.Errorf("the period begins at %s, want %s", got, adopted)
		}
	})
}

// A clock that is set back does not lengthen the grace period without bounds.
func TestNotVisibleWithAnotherClock(t *testing.T) {
	visibly(t, assigned, func(h *harness) {
		h.settle()
		h.edit(func(in *instance.Instance) { in.CreatedAt = time.Now().Add(24 * time.Hour) })
		h.cloud.remove("i-1")
		h.restart()
		h.reconcile(time.Minute)
		if diff := cmp.Diff([]string{"i-2"}, h.cloud.ids()); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
	})
}

// A create finds the object that was destroyed for it.
func TestDestroyedObjectIsStillShown(t *testing.T) {
	visibly(t, derivable, func(h *harness) {
		h.settle()
		time.Sleep(time.Hour)
		h.told.take()
		h.r.Asked.Taint = "now"
		h.cloud.shown["i-1"] = object{"a", 1}
		h.cloud.changeAfter(10*time.Second, func() { clear(h.cloud.shown) })
		h.reconcile(time.Minute)
		told := h.told.take()
		if !slices.Contains(told, "Failed Create of replacement (Operation not started)") ||
			slices.ContainsFunc(told, func(event string) bool { return strings.Contains(event, "Already exists") }) {
			t.Errorf("told %q", told)
		}
		if diff := cmp.Diff([]string{"i-2"}, h.cloud.ids()); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
	})
}

// The object that annotations still name, and that was destroyed, is not imported while the one
// that replaces it is not visible yet.
func TestDestroyedObjectIsNotImported(t *testing.T) {
	visibly(t, assigned, func(h *harness) {
		h.settle()
		time.Sleep(time.Hour)
		h.r.Known = &desired.KnownObject{
			Target:    terraform.ImportTarget{Identity: h.cloud.identity("i-1", "a")},
			Recognize: func(in instance.Instance) bool { return idOf(in) == "i-1" },
		}
		h.want("b", 1)
		h.cloud.hidden["i-2"] = true
		h.reconcile(2 * time.Second)
		h.cloud.shown["i-1"] = object{"a", 1}
		h.told.take()
		h.reconcile(20 * time.Second)
		if told := h.told.take(); slices.Contains(told, "Imported") || idOf(h.stored().Instance) != "i-2" {
			t.Errorf("told %q, and stored is %s", told, idOf(h.stored().Instance))
		}
	})
}

// A read that answers with the object before its update is no drift, until the time for that is
// over.
func TestReadBeforeUpdate(t *testing.T) {
	visibly(t, assigned, func(h *harness) {
		h.settle()
		time.Sleep(time.Hour)
		h.want("a", 2)
		h.settle()
		h.told.take()
		h.cloud.shown["i-1"] = object{"a", 1}
		for range 10 {
			time.Sleep(time.Second)
			if o := h.observe(); !o.UpToDate() || o.Drift != nil {
				t.Fatalf("observed %+v, with drift %+v", o.Plan, o.Drift)
			}
		}
		time.Sleep(scheduler.DefaultCreationGracePeriod)
		if o := h.observe(); o.Plan.Action != terraform.Update || o.Drift == nil {
			t.Errorf("observed %+v, want drift", o.Plan)
		}
	})
}

// A resource may have a grace period of its own.
func TestGracePeriodOfAResource(t *testing.T) {
	for name, tc := range map[string]struct {
		period time.Duration
		after  time.Duration
		want   int
	}{
		"longer, within":  {5 * time.Minute, 4 * time.Minute, 1},
		"longer, ended":   {5 * time.Minute, 6 * time.Minute, 2},
		"shorter, within": {5 * time.Second, 3 * time.Second, 1},
		"shorter, ended":  {5 * time.Second, 20 * time.Second, 2},
		"none":            {0, 3 * time.Second, 2},
	} {
		t.Run(name, func(t *testing.T) {
			visibly(t, noIdentity, func(h *harness) {
				h.r.CreationGracePeriod = &tc.period
				h.created()
				h.reconcile(tc.after)
				if got := h.cloud.serial; got != tc.want {
					t.Errorf("the object was created %d times, want %d", got, tc.want)
				}
			})
		})
	}
}
