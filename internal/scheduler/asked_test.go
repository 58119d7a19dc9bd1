package scheduler_test

import (
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

// tainted creates an object whose creation does not end well, and waits until it may be replaced.
func (h *harness) tainted() {
	h.t.Helper()
	h.cloud.manner = halfway
	h.observe()
	h.apply()
	synctest.Wait()
	h.cloud.manner = inOrder
	if o := h.observe(); o.Instance.Status != instance.Tainted {
		h.t.Fatalf("after half a create it is %s", o.Instance.Status)
	}
	time.Sleep(time.Hour)
	synctest.Wait()
	h.told.take()
}

func (h *harness) remembered() scheduler.Remembered {
	h.t.Helper()
	out, ok := h.sched.Remembered(h.r)
	if !ok {
		h.t.Fatal("nothing is remembered")
	}
	return out
}

// A record that is restored from a backup does not know that a token was handled. The status tells
// it: the object that has replaced the tainted one is not destroyed, too.
func TestTaintAfterRestoredRecord(t *testing.T) {
	for name, test := range map[string]struct {
		tells string
		want  terraform.Action
	}{
		"the status tells the token":     {"monday", terraform.NoOp},
		"the status tells another token": {"sunday", terraform.DeleteThenCreate},
		"the status was lost, too":       {"", terraform.DeleteThenCreate},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, assigned, func(h *harness) {
				h.settle()
				backup := h.stored()
				h.r.Asked.Taint, h.r.Told.Taint = "monday", test.tells
				backup.Version = h.stored().Version
				if _, err := h.store.Save(t.Context(), h.r.Key, h.r.Type.Schema, backup); err != nil {
					t.Fatal(err)
				}
				h.restart()
				if o := h.observe(); o.Plan == nil || o.Plan.Action != test.want {
					t.Errorf("planned: %+v", o.Plan)
				}
				if got := h.remembered().Handled.Taint; got != "monday" {
					t.Errorf("the token handled is %q", got)
				}
			})
		})
	}
}

// An annotation that stays where it is acts once, across restarts.
func TestTokensActOnce(t *testing.T) {
	for name, between := range map[string]func(h *harness){
		"same process": func(*harness) {},
		"restart":      func(h *harness) { h.restart() },
		"lost record": func(h *harness) {
			h.r.Known = &desired.KnownObject{Target: terraform.ImportTarget{ID: idOf(h.stored().Instance)}}
			_ = h.store.Delete(t.Context(), h.r.Key, h.stored().Version)
			h.restart()
		},
	} {
		t.Run("untaint, "+name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.tainted()
				h.r.Asked.Untaint = "monday"
				if o := h.observe(); o.Instance.Status != instance.Full || !o.UpToDate() {
					t.Fatalf("after untaint: %s", o.Instance.Status)
				}
				if got := h.remembered().Handled.Untaint; got != "monday" {
					t.Errorf("the token handled is %q", got)
				}
				between(h)
				// Later a replacement does not end well: no request was about that.
				h.settle()
				h.cloud.remove(idOf(h.stored().Instance))
				h.tainted()
				if o := h.observe(); o.Instance.Status != instance.Tainted || !o.Plan.Action.IsReplace() {
					t.Errorf("an old token untainted it: %s", o.Instance.Status)
				}
				h.r.Asked.Untaint = "tuesday"
				if o := h.observe(); o.Instance.Status != instance.Full {
					t.Errorf("a new token did not untaint it: %s", o.Instance.Status)
				}
			})
		})
		t.Run("taint, "+name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.settle()
				h.r.Asked.Taint = "monday"
				if o := h.observe(); o.Instance.Status != instance.Tainted || o.Plan.Reason != terraform.ReplaceBecauseTainted {
					t.Fatalf("after taint: %s", o.Instance.Status)
				}
				h.settle()
				if diff := cmp.Diff([]string{"i-2"}, h.cloud.ids()); diff != "" {
					t.Fatalf("objects (-want +got):\n%s", diff)
				}
				between(h)
				if o := h.settle(); o.Instance.Status != instance.Full || idOf(o.Instance) != "i-2" {
					t.Errorf("an old token tainted it: %s, %s", idOf(o.Instance), o.Instance.Status)
				}
				h.r.Asked.Taint = "tuesday"
				h.settle()
				if diff := cmp.Diff([]string{"i-3"}, h.cloud.ids()); diff != "" {
					t.Errorf("objects after a new token (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// Tokens that are there from the beginning ask nothing: of a manifest that is applied again, say.
func TestTokensFromTheBeginning(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.r.New = true
		h.r.Tokens = store.Tokens{Taint: "old", Untaint: "old", Retry: "old"}
		h.settle()
		if diff := cmp.Diff([]string{"save intent Create", "save"}, filter(h.log.take(), "save")); diff != "" {
			t.Errorf("writes (-want +got):\n%s", diff)
		}
		if got := h.stored().Handled; got != h.r.Tokens {
			t.Errorf("stored tokens are %+v", got)
		}
		h.r.New = false
		h.restart()
		h.settle()
		if ids := h.cloud.ids(); len(ids) != 1 || ids[0] != "i-1" {
			t.Errorf("objects are %v", ids)
		}
	})
}

func filter(list []string, begin string) []string {
	var out []string
	for _, s := range list {
		if len(s) >= len(begin) && s[:len(begin)] == begin {
			out = append(out, s)
		}
	}
	return out
}

// A token and what it asks for are written at once.
func TestTokenNotStored(t *testing.T) {
	for _, f := range []fault{unavailable, unanswered, touched} {
		t.Run(string(f), func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.settle()
				h.told.take()
				h.r.Asked.Taint = "monday"
				h.store.fault = func(call string) fault {
					if call == "save" {
						return f
					}
					return ""
				}
				h.observeRefused(decision.ReasonStore)
				h.store.fault = nil
				for range 2 {
					if o := h.observe(); o.Instance.Status != instance.Tainted {
						t.Errorf("it is %s", o.Instance.Status)
					}
				}
				h.settle()
				if diff := cmp.Diff([]string{"i-2"}, h.cloud.ids()); diff != "" {
					t.Errorf("objects (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestBothTokens(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.settle()
		h.r.Asked.Taint, h.r.Asked.Untaint = "1", "1"
		if o := h.settle(); o.Instance.Status != instance.Full || idOf(o.Instance) != "i-1" {
			t.Errorf("it is %s, %s", idOf(o.Instance), o.Instance.Status)
		}
	})
}

// A token that comes while an operation runs acts on what that leaves.
func TestTokenDuringOperation(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.cloud.manner, h.cloud.block = halfway, make(chan struct{})
		h.observe()
		h.apply()
		synctest.Wait()
		h.r.Asked.Untaint = "1"
		h.observe()
		if got := h.remembered().Handled.Untaint; got != "" {
			t.Errorf("handled already: %q", got)
		}
		close(h.cloud.block)
		synctest.Wait()
		if o := h.observe(); o.Instance.Status != instance.Full || o.Last == nil || !o.Last.Failed() {
			t.Errorf("it is %s", o.Instance.Status)
		}
	})
}

func TestRetry(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.o.MinBackoff = time.Hour
		h.restart()
		h.cloud.manner = refused
		h.observe()
		h.apply()
		synctest.Wait()
		h.observe()
		h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonOperationFailed)
		h.cloud.manner = inOrder
		h.r.Asked.Retry = "1"
		if o := h.observe(); o.Last != nil {
			t.Errorf("a new attempt begins, and the last outcome is %+v", o.Last)
		}
		h.apply()
		synctest.Wait()
		if o := h.observe(); !o.UpToDate() {
			t.Errorf("it was not tried again: %+v", o)
		}
		// The same token does not take the wait away from what fails later.
		h.want("a", 2)
		h.cloud.manner = refused
		h.observe()
		h.apply()
		synctest.Wait()
		h.observe()
		h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonOperationFailed)
	})
}

// Whatever is in the way, a retry was acted upon: it is what looks again.
func TestRetryIsHandledThoughObserveFails(t *testing.T) {
	cases := map[string]func(h *harness) scheduler.Reason{
		"unknown outcome": func(h *harness) scheduler.Reason {
			h.interrupted(instance.Create, instance.Instance{})
			return decision.ReasonCreateOutcomeUnknown
		},
		"cannot be read": func(h *harness) scheduler.Reason {
			h.settle()
			h.cloud.fail["refresh"] = diagnostic.Errorf("Broken", "It is.")
			return decision.ReasonReadFailed
		},
		"cannot be planned": func(h *harness) scheduler.Reason {
			h.cloud.fail["plan"] = diagnostic.Errorf("Broken", "It is.")
			return decision.ReasonInvalidConfiguration
		},
	}
	for name, broken := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				reason := broken(h)
				h.r.Asked.Retry = "1"
				h.observeRefused(reason)
				if got := h.remembered().Handled.Retry; got != "1" {
					t.Errorf("the token handled is %q", got)
				}
			})
		})
	}
}
