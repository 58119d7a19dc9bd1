package scheduler_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// An identity that may change does, and what it was is remembered.
func TestMutableIdentity(t *testing.T) {
	newEstate(t, plannedIdentity, func(x *estate) {
		a, b := x.resource("a", 0, "x"), x.resource("b", 1, "y")
		a.settle()
		b.settle()
		a.told.take()
		history := func() []string {
			var out []string
			for _, f := range a.stored().Instance.IdentityHistory {
				out = append(out, string(f.Identity))
			}
			return out
		}
		// It is moved from outside.
		x.cloud.moved["i-1"] = "/moved"
		a.settle()
		if diff := cmp.Diff([]string{"IdentityChanged /things/x /moved"}, a.told.take()); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{`{"path":"/things/x"}`}, history()); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		// So does an update of ours.
		x.cloud.after = func() { delete(x.cloud.moved, "i-1") }
		x.cloud.before = x.cloud.after
		a.want("x", 2)
		a.settle()
		if diff := cmp.Diff([]string{"Succeeded Update", "IdentityChanged /moved /things/x"}, a.told.take()); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{`{"path":"/things/x"}`, `{"path":"/moved"}`}, history()); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		x.again(a, b)
		a.settle()
		if got := a.told.take(); len(got) != 0 {
			t.Errorf("told again: %v", got)
		}
		// It cannot be moved where another one is.
		x.cloud.moved["i-2"] = "/things/x"
		b.conflicted("a")
		if got := b.stored().Instance.Identity.GetAttr("path").AsString(); got != "/things/x" {
			t.Errorf("what the provider says is not stored, but %s", got)
		}
		x.cloud.before, x.cloud.after = nil, nil
		x.cloud.moved["i-1"] = "/elsewhere"
		a.settle()
		if woken := x.takeWoken(); !slices.Contains(woken, "b") {
			t.Errorf("woken: %v", woken)
		}
		b.settle()
		// A replacement begins anew.
		a.want("z", 1)
		a.settle()
		if diff := cmp.Diff([]string(nil), history()); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
	})
}

// An identity that cannot be upgraded is kept, and says so, until the provider can.
func TestIdentityUpgradeFails(t *testing.T) {
	bubble(t, plannedIdentity, func(h *harness) {
		h.settle()
		before := h.stored()
		h.cloud.fail["refresh"], h.cloud.upgradeFails = diagnostic.Errorf("Unable to Upgrade Resource Identity", "…"), true
		h.restart()
		for range 2 {
			if se := h.observeRefused(decision.ReasonIdentityUpgradeFailed); !strings.Contains(se.Error(), "provider version") {
				t.Errorf("the way out is not told of: %s", se)
			}
		}
		if h.stored().Version != before.Version {
			t.Error("something was written")
		}
		delete(h.cloud.fail, "refresh")
		h.settle()
	})
}

// An identity that lacks attributes of the provider's schema is not taken for one that was
// changed.
func TestIncompleteIdentity(t *testing.T) {
	change := append(diagnostic.Errorf("Unexpected Identity Change", "…"),
		terraform.IdentityIncompleteError("test_thing", []string{"region"}, 2)...)
	bubble(t, plannedIdentity, func(h *harness) {
		h.settle()
		h.want("a", 2)
		h.cloud.fail["refresh"] = change
		se := h.observeRefused(decision.ReasonUnexpectedIdentityChange)
		for text, want := range map[string]bool{"region": true, "provider version that wrote it": true, "Undo what changed it": false} {
			if strings.Contains(se.Error(), text) != want {
				t.Errorf("%q: %t, in %s", text, !want, se)
			}
		}
	})
}

// An identity that may not change does not, whoever says so.
func TestUnexpectedIdentityChange(t *testing.T) {
	change := diagnostic.Errorf("Unexpected Identity Change: During the read operation, …", "")
	bubble(t, plannedIdentity, func(h *harness) {
		h.settle()
		before := h.stored()
		for _, call := range []string{"refresh", "plan"} {
			h.want("a", 2)
			h.cloud.fail[call] = change
			if se := h.observeRefused(decision.ReasonUnexpectedIdentityChange); !strings.Contains(se.Error(), "managementPolicies") {
				t.Errorf("the way out is not told of: %s", se)
			}
			delete(h.cloud.fail, call)
			if after := h.stored(); after.Version != before.Version {
				t.Errorf("%s: something was written", call)
			}
		}
		h.observe()
		h.cloud.manner = refused
		h.cloud.refusal = change
		h.apply()
		synctest.Wait()
		h.observe()
		se := h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonUnexpectedIdentityChange)
		if !se.RetryAt.After(time.Now()) {
			t.Error("it is tried again at once")
		}
		if got := h.stored().Instance; !got.Identity.RawEquals(before.Instance.Identity) || len(got.IdentityHistory) != 0 {
			t.Errorf("the identity is %#v", got.Identity)
		}
	})
}
