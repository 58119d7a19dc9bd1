package scheduler_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// count returns how often something happened, and forgets what happened.
func (h *harness) count(what string) int {
	n := 0
	for _, s := range h.log.take() {
		if s == what {
			n++
		}
	}
	return n
}

// refuseOutcomes makes the store refuse all instances with an object.
func (h *harness) refuseOutcomes() {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	h.store.tooLarge = instance.Instance.Exists
}

func (h *harness) acceptAll() {
	h.store.mu.Lock()
	defer h.store.mu.Unlock()
	h.store.tooLarge = nil
}

// losesOutcome makes the process die with an outcome that it could not store. Its successor can
// store it.
func (h *harness) losesOutcome() {
	h.observe()
	h.refuseOutcomes()
	h.apply()
	synctest.Wait()
	<-h.stop(time.Second)
	h.acceptAll()
	h.restart()
}

// An outcome that cannot be stored stays in memory. It is reported, and tried again seldom.
func TestOutcomeTooLarge(t *testing.T) {
	for _, kind := range []identityKind{assigned, derivable, noIdentity} {
		t.Run(string(kind), func(t *testing.T) {
			bubble(t, kind, func(h *harness) {
				h.observe()
				h.refuseOutcomes()
				h.log.take()
				h.apply()
				synctest.Wait()
				if h.count("wake") != 1 {
					t.Error("the resource is not reconciled")
				}
				o := h.observe()
				if o.Operation == nil || o.Unrecorded == nil || o.Unrecorded.Reason != decision.ReasonStateTooLarge ||
					!strings.Contains(o.Unrecorded.Error(), "70.0 MiB") {
					t.Errorf("operation %v, unrecorded %v", o.Operation, o.Unrecorded)
				}
				if again := h.observe(); again != o {
					t.Error("another observation, though nothing has changed")
				}
				time.Sleep(time.Hour)
				if n := h.count("save refused"); n < 2 || n > 15 {
					t.Errorf("%d attempts in an hour", n)
				}
				h.acceptAll()
				time.Sleep(10 * time.Minute)
				synctest.Wait()
				if o := h.observe(); !o.UpToDate() || o.Unrecorded != nil || o.Instance.Status != instance.Full || h.cloud.applies != 1 {
					t.Errorf("in the end: %+v, %d applies", o, h.cloud.applies)
				}
				if rec := h.stored(); idOf(rec.Instance) != "i-1" || rec.Instance.Operation != nil {
					t.Errorf("stored: %+v", rec.Instance)
				}
			})
		})
	}
}

// A resource can be released although the outcome of its operation cannot be stored.
func TestOutcomeTooLargeReleased(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.observe()
		h.refuseOutcomes()
		h.apply()
		synctest.Wait()
		h.refuses(h.sched.Forget(t.Context(), h.r), decision.ReasonStore)
		synctest.Wait()
		if err := h.sched.Forget(t.Context(), h.r); err != nil {
			t.Fatal(err)
		}
		if _, ok := h.record(); ok || len(h.cloud.ids()) != 1 {
			t.Errorf("stored: %t, objects %v", ok, h.cloud.ids())
		}
		h.sizes(0, 0)
		h.log.take()
		time.Sleep(time.Hour)
		if n := h.count("save refused"); n != 0 {
			t.Errorf("%d further attempts", n)
		}
	})
}

// A successor knows that the object was made: it is neither destroyed nor made again.
func TestOutcomeTooLargeRestart(t *testing.T) {
	cases := map[string]struct {
		kind     identityKind
		manner   manner
		accepted bool
		status   instance.Status
		reason   scheduler.Reason
	}{
		"identity":                        {kind: assigned, accepted: true, status: instance.Full},
		"identity known beforehand":       {kind: derivable, accepted: true, status: instance.Full},
		"halfway":                         {kind: assigned, manner: halfway, accepted: true, status: instance.Tainted},
		"still too large":                 {kind: assigned, reason: decision.ReasonStateTooLarge},
		"still too large, known":          {kind: derivable, reason: decision.ReasonStateTooLarge},
		"no identity":                     {kind: noIdentity, accepted: true, reason: decision.ReasonCreateOutcomeUnknown},
		"ids that are not unique":         {kind: constant, accepted: true, reason: decision.ReasonCreateOutcomeUnknown},
		"no identity and still too large": {kind: noIdentity, reason: decision.ReasonCreateOutcomeUnknown},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, tc.kind, func(h *harness) {
				if tc.manner != "" {
					h.cloud.manner = tc.manner
				}
				h.observe()
				h.refuseOutcomes()
				h.apply()
				synctest.Wait()
				if <-h.stop(time.Second) == nil {
					t.Error("stopped without the outcome, and no error")
				}
				if tc.accepted {
					h.acceptAll()
				}
				h.restart()
				if tc.reason != "" {
					se := h.observeRefused(tc.reason)
					if tc.reason == decision.ReasonCreateOutcomeUnknown && !strings.Contains(se.Error(), idOf(h.cloud.instance("i-1"))) {
						t.Errorf("the id is not in the message: %v", se)
					}
				} else if o := h.observe(); o.Instance.Status != tc.status {
					t.Errorf("status %s, want %s", o.Instance.Status, tc.status)
				}
				if h.cloud.applies != 1 || len(h.cloud.ids()) != 1 {
					t.Errorf("%d applies, objects %v", h.cloud.applies, h.cloud.ids())
				}
			})
		})
	}
}

// Without an identity, a person names the object, or confirms that there is none.
func TestOutcomeTooLargeResolved(t *testing.T) {
	for name, exists := range map[string]bool{"adopted": true, "gone": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.losesOutcome()
				h.observeRefused(decision.ReasonCreateOutcomeUnknown)
				if exists {
					h.r.Import.Target = &terraform.ImportTarget{ID: "i-1"}
				} else {
					h.cloud.remove("i-1")
					h.r.ConfirmCreate = h.stored().Instance.Operation.ID
				}
				o := h.settle()
				if want := map[bool]string{true: "i-1", false: "i-2"}[exists]; idOf(o.Instance) != want || len(h.cloud.ids()) != 1 {
					t.Errorf("the object is %s of %v", idOf(o.Instance), h.cloud.ids())
				}
			})
		})
	}
}

// An object that was destroyed meanwhile is created again.
func TestOutcomeTooLargeObjectGone(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.losesOutcome()
		h.cloud.remove("i-1")
		if o := h.settle(); idOf(o.Instance) != "i-2" {
			t.Errorf("the object is %s", idOf(o.Instance))
		}
	})
}

// Nothing is begun that is known to be too large.
func TestIntentTooLarge(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.observe()
		h.store.tooLarge = func(in instance.Instance) bool { return in.Operation != nil }
		h.log.take()
		h.apply()
		synctest.Wait()
		if diff := cmp.Diff([]string{"save refused", "wake"}, h.log.take()); diff != "" {
			t.Errorf("order of events (-want +got):\n%s", diff)
		}
		h.observe()
		se := h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonStateTooLarge)
		if !strings.Contains(se.Error(), "70.0 MiB") || se.RetryAt.IsZero() {
			t.Errorf("got %v, next attempt %v", se, se.RetryAt)
		}
		h.acceptAll()
		time.Sleep(time.Minute)
		if o := h.settle(); h.cloud.applies != 1 || !o.UpToDate() {
			t.Errorf("%d applies", h.cloud.applies)
		}
	})
}

// An object that has grown too large is left alone.
func TestReadTooLarge(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.settle()
		h.cloud.objects["i-1"] = object{"a", 7}
		h.refuseOutcomes()
		for range 3 {
			h.observeRefused(decision.ReasonStateTooLarge)
		}
		if h.cloud.applies != 1 {
			t.Errorf("%d applies", h.cloud.applies)
		}
		h.acceptAll()
		h.settle()
	})
}

// The store's memory of a resource is released with the resource, or when its last operation has
// ended.
func TestStoreForgets(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.observe()
		h.cloud.block = make(chan struct{})
		h.apply()
		synctest.Wait()
		h.sched.Gone(h.r.Key)
		before := len(h.store.forgotten)
		if before == 0 {
			t.Error("nothing is released")
		}
		close(h.cloud.block)
		synctest.Wait()
		if len(h.store.forgotten) == before {
			t.Error("nothing is released after the operation, which has stored its outcome")
		}
	})
}
