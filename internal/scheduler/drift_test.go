package scheduler_test

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// drifting has an object of size 1, whose resource has a drift policy.
func drifting(t *testing.T, policy desired.Drift, f func(h *harness, id string)) {
	t.Helper()
	bubble(t, assigned, func(h *harness) {
		h.r.Policies.Drift = policy
		h.settle()
		h.observe()
		h.told.take()
		f(h, h.cloud.ids()[0])
	})
}

// driftText is what of an object drifts, in short.
func driftText(d *instance.Drift) string {
	if d == nil {
		return ""
	}
	if d.Gone {
		return "gone"
	}
	out := ""
	for _, c := range d.Changes {
		show := func(v cty.Value) string {
			if v == cty.NilVal {
				return "null"
			}
			n, _ := v.AsBigFloat().Int64()
			return fmt.Sprint(n)
		}
		out += diagnostic.FormatPath(cty.Path(c.Path)) + " " + show(instance.Value(c.Before)) + " " + show(instance.Value(c.After))
	}
	return out
}

// drifts checks what drifts, and what has drifted before.
func (h *harness) drifts(want string, history ...string) *scheduler.Observation {
	h.t.Helper()
	o := h.observe()
	if got := driftText(o.Drift); got != want {
		h.t.Fatalf("the drift is %q, want %q", got, want)
	}
	var got []string
	for _, d := range h.stored().Instance.DriftHistory {
		got = append(got, string(d.Outcome)+" "+driftText(&d.Drift))
	}
	if diff := cmp.Diff(history, got); diff != "" {
		h.t.Fatalf("former drift (-want +got):\n%s", diff)
	}
	return o
}

func TestDriftIsRepaired(t *testing.T) {
	drifting(t, desired.RepairDrift, func(h *harness, id string) {
		h.cloud.change(id, object{"a", 7})
		if o := h.drifts("size 1 7"); o.Plan.Action != terraform.Update {
			t.Errorf("the plan is to %s", o.Plan.Action)
		}
		if diff := cmp.Diff([]string{"Drifted"}, h.told.take()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		h.apply()
		synctest.Wait()
		h.drifts("", "Repaired size 1 7")
		h.drifts("", "Repaired size 1 7")
		if h.cloud.objects[id].size != 1 {
			t.Error("it was not repaired")
		}
	})
}

// A change of the configuration is not drift, nor is what both have changed.
func TestChangedConfigurationIsNoDrift(t *testing.T) {
	drifting(t, desired.ReportDrift, func(h *harness, id string) {
		h.want("a", 2)
		if o := h.drifts(""); o.Plan.Action != terraform.Update {
			t.Errorf("the plan is to %s", o.Plan.Action)
		}
		h.settle()
		h.observe()
		h.cloud.change(id, object{"a", 7})
		h.want("a", 3)
		h.drifts("")
		h.settle()
		if h.cloud.objects[id].size != 3 {
			t.Error("the configuration was not applied")
		}
	})
}

// Reported drift stays, also over changes of the configuration and restarts, until the
// configuration asks for something else.
func TestDriftIsReported(t *testing.T) {
	drifting(t, desired.ReportDrift, func(h *harness, id string) {
		h.cloud.change(id, object{"a", 7})
		applies := h.cloud.applies
		for range 3 {
			if o := h.drifts("size 1 7"); !o.UpToDate() {
				t.Fatalf("the plan is to %s", o.Plan.Action)
			}
		}
		h.r.ConfigHash = "the same with another label"
		h.drifts("size 1 7")
		h.restart()
		if o := h.drifts("size 1 7"); !o.UpToDate() {
			t.Fatal("it would be repaired after a restart")
		}
		h.cloud.change(id, object{"a", 8})
		h.drifts("size 1 8")
		if h.cloud.applies != applies {
			t.Fatal("something was applied")
		}
		writes := h.store.writes
		for range 3 {
			h.observe()
		}
		if h.store.writes != writes {
			t.Error("the same drift is stored again")
		}
		if diff := cmp.Diff([]string{"Drifted", "Drifted"}, h.told.take()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		h.want("a", 8)
		h.drifts("", "Adopted size 1 8")
		h.want("a", 9)
		h.settle()
		if h.cloud.objects[id].size != 9 {
			t.Error("the configuration was not applied")
		}
	})
}

// An update of something else leaves reported drift as it is.
func TestReportedDriftStaysInUpdates(t *testing.T) {
	drifting(t, desired.ReportDrift, func(h *harness, id string) {
		h.cloud.change(id, object{"a", 7})
		h.drifts("size 1 7")
		h.cloud.restless, h.r.ConfigHash = true, "the same, and something else"
		h.observe()
		h.apply()
		synctest.Wait()
		h.cloud.restless = false
		h.drifts("size 1 7")
		h.drifts("size 1 7")
		h.restart()
		h.drifts("size 1 7")
		if h.cloud.objects[id].size != 7 {
			t.Error("it was repaired")
		}
	})
}

func TestDriftIsReverted(t *testing.T) {
	drifting(t, desired.ReportDrift, func(h *harness, id string) {
		h.cloud.change(id, object{"a", 7})
		h.drifts("size 1 7")
		h.cloud.change(id, object{"a", 1})
		h.drifts("", "Reverted size 1 7")
	})
}

// The policy may change while there is drift.
func TestReportedDriftIsRepairedLater(t *testing.T) {
	drifting(t, desired.ReportDrift, func(h *harness, id string) {
		h.cloud.change(id, object{"a", 7})
		h.drifts("size 1 7")
		h.r.Policies.Drift, h.r.ConfigHash = desired.RepairDrift, "the same, repaired"
		h.drifts("size 1 7")
		h.settle()
		h.drifts("", "Repaired size 1 7")
	})
}

func TestDriftAwaitsApproval(t *testing.T) {
	drifting(t, desired.ApproveDrift, func(h *harness, id string) {
		h.want("a", 2)
		h.settle() // the configuration needs no approval
		h.observe()
		h.cloud.change(id, object{"a", 7})
		hash := h.awaited(terraform.Update)
		h.approve(hash)
		h.drifts("", "Repaired size 2 7")
		if h.cloud.objects[id].size != 2 {
			t.Error("it was not repaired")
		}
		h.cloud.change(id, object{"a", 7})
		if h.awaited(terraform.Update) == hash {
			t.Error("the approval can be used twice")
		}
	})
}

// An object that was destroyed outside is drift.
func TestDestroyedObjectIsDrift(t *testing.T) {
	for name, policy := range map[string]desired.Drift{
		"repaired": desired.RepairDrift, "reported": desired.ReportDrift, "approved": desired.ApproveDrift,
	} {
		t.Run(name, func(t *testing.T) {
			drifting(t, policy, func(h *harness, id string) {
				h.cloud.remove(id)
				h.drifts("gone")
				h.restart()
				o := h.drifts("gone")
				switch policy {
				case desired.ReportDrift:
					h.refuses(h.tryAct(), decision.ReasonDrifted)
					h.r.Policies.Drift, h.r.ConfigHash = desired.RepairDrift, "the same, repaired"
				case desired.ApproveDrift:
					h.awaited(terraform.Create)
					h.approve(o.PlanHash)
				}
				h.settle()
				h.drifts("", "Repaired gone")
			})
		})
	}
}

// What a resource without a configuration observes is only kept in the history.
func TestObservedDrift(t *testing.T) {
	drifting(t, desired.RepairDrift, func(h *harness, id string) {
		h.r.Config, h.r.ConfigHash, h.r.Policies = nil, "", desired.Policies{}
		h.observe()
		h.cloud.change(id, object{"a", 7})
		h.drifts("", "Observed size 1 7")
		h.drifts("", "Observed size 1 7")
		if diff := cmp.Diff([]string{"Drifted"}, h.told.take()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// Drift stays known while its repair fails, and over a crash.
func TestDriftOfFailedRepair(t *testing.T) {
	drifting(t, desired.RepairDrift, func(h *harness, id string) {
		h.cloud.change(id, object{"a", 7})
		h.drifts("size 1 7")
		h.cloud.manner = refused
		h.apply()
		synctest.Wait()
		h.drifts("size 1 7")
		h.restart()
		h.drifts("size 1 7")
	})
}

// Former drift is bounded.
func TestDriftHistoryIsBounded(t *testing.T) {
	drifting(t, desired.RepairDrift, func(h *harness, id string) {
		for i := range instance.MaxDriftHistory + 3 {
			h.cloud.change(id, object{"a", int64(i + 10)})
			h.settle()
			h.observe()
		}
		history := h.stored().Instance.DriftHistory
		if n := len(history); n != instance.MaxDriftHistory {
			t.Fatalf("%d are kept", n)
		}
		if got := driftText(&history[len(history)-1].Drift); got != "size 1 22" {
			t.Errorf("the last is %q", got)
		}
	})
}

// A request to set arguments again is carried out once, also if it fails.
func TestReapply(t *testing.T) {
	for name, manner := range map[string]manner{"succeeds": inOrder, "fails": refused} {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				h.r.Asked.Reapply = "from before"
				h.settle()
				h.observe()
				if o := h.observe(); !o.UpToDate() {
					t.Fatal("what was asked before the create is carried out")
				}
				h.r.Asked.Reapply = "now"
				applies := h.cloud.applies
				if o := h.observe(); o.Plan.Action != terraform.Update || o.Reapply != "now" {
					t.Fatalf("the plan is to %s", o.Plan.Action)
				}
				h.restart()
				h.observe()
				h.cloud.manner = manner
				h.apply()
				synctest.Wait()
				for range 2 {
					h.observe()
				}
				h.restart()
				if o := h.observe(); !o.UpToDate() || h.cloud.applies != applies+1 || h.stored().Handled.Reapply != "now" {
					t.Errorf("the plan is to %s, applied %d times, handled %+v", o.Plan.Action, h.cloud.applies-applies, h.stored().Handled)
				}
			})
		})
	}
}

// What cannot be set again is told once.
func TestNothingToReapply(t *testing.T) {
	drifting(t, desired.RepairDrift, func(h *harness, _ string) {
		h.cloud.rigid = true
		h.r.Asked.Reapply = "now"
		for range 3 {
			if !h.observe().UpToDate() {
				t.Fatal("something would be done")
			}
		}
		if diff := cmp.Diff([]string{"NotReapplied"}, h.told.take()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		if h.stored().Handled.Reapply != "now" {
			t.Error("it is not stored as handled")
		}
	})
}

// A request to set arguments again repairs reported drift.
func TestReapplyRepairsReportedDrift(t *testing.T) {
	for _, gone := range []bool{false, true} {
		drifting(t, desired.ReportDrift, func(h *harness, id string) {
			h.cloud.change(id, object{"a", 7})
			if gone {
				h.cloud.remove(id)
			}
			h.observe()
			h.r.Asked.Reapply = "now"
			h.settle()
			if o := h.observe(); o.Drift != nil || sizeOf(o.Instance.State) != 1 {
				t.Errorf("the drift is %q", driftText(o.Drift))
			}
		})
	}
}
