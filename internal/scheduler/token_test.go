package scheduler_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
)

func tokens() *desired.CreateToken {
	return &desired.CreateToken{Attribute: "token", ValidFor: time.Hour}
}

// tokenOf is the create token of an object that exists.
func tokenOf(t *testing.T, c *cloud, id string) string {
	t.Helper()
	for token, of := range c.tokens {
		if of == id {
			return token
		}
	}
	t.Fatalf("%s was made without a token", id)
	return ""
}

func TestCreateToken(t *testing.T) {
	for name, tc := range map[string]struct {
		manner manner
		// after is what happens between the interruption and the recovery.
		after  func(h *harness)
		reason scheduler.Reason
		// applies are the changes until the resource has its object.
		applies int
	}{
		"answered":                {manner: inOrder, applies: 1},
		"refused":                 {manner: refused, applies: 2},
		"made":                    {manner: silentDone, applies: 2},
		"not made":                {manner: silentUndone, applies: 2},
		"made, after a restart":   {manner: silentDone, after: func(h *harness) { h.restart() }, applies: 2},
		"made, interrupted twice": {manner: silentDone, after: func(h *harness) { h.repeats(silentUndone); h.restart() }, applies: 3},
		"made, then refused":      {manner: silentDone, after: func(h *harness) { h.repeats(refused) }, applies: 3},
		"made, configuration changed": {manner: silentDone, after: func(h *harness) {
			h.want("a", 2)
		}, applies: 3},
		"made, too long ago": {manner: silentDone, after: func(*harness) {
			time.Sleep(2 * time.Hour)
		}, reason: decision.ReasonCreateOutcomeUnknown},
		"made, too long ago despite a retry": {manner: silentDone, after: func(h *harness) {
			time.Sleep(59 * time.Minute)
			h.repeats(silentUndone)
			time.Sleep(2 * time.Minute)
		}, reason: decision.ReasonCreateOutcomeUnknown},
		"made, the user sets the token": {manner: silentDone, after: func(h *harness) {
			h.r.Config.Value, h.r.ConfigHash = withToken(h.r.Config.Value, cty.StringVal("mine")), "mine"
		}, reason: decision.ReasonCreateOutcomeUnknown},
		"made, the configuration names no token": {manner: silentDone, after: func(h *harness) {
			h.r.CreateToken = nil
		}, reason: decision.ReasonCreateOutcomeUnknown},
		"made, deleted": {manner: silentDone, after: (*harness).deleting, reason: decision.ReasonCreateOutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.r.CreateToken = tokens()
				h.interrupts(tc.manner)
				if tc.after != nil {
					tc.after(h)
				}
				if tc.reason != "" {
					for range 2 {
						h.observeRefused(tc.reason)
					}
					h.restart()
					h.observeRefused(tc.reason)
					return
				}
				time.Sleep(10 * time.Minute)
				h.settle()
				h.restart()
				o := h.settle() // the remote side may answer with what an earlier configuration asked for
				if ids := h.cloud.ids(); strings.Join(ids, " ") != "i-1" || idOf(o.Instance) != ids[0] || o.Instance.Status != instance.Full {
					t.Errorf("objects %v; the resource has %q, %s", ids, idOf(o.Instance), o.Instance.Status)
				}
				if h.cloud.applies != tc.applies || h.stored().Instance.Operation != nil {
					t.Errorf("%d applies; operation %v", h.cloud.applies, h.stored().Instance.Operation)
				}
				for range 2 { // the token stays
					h.restart()
					if o := h.observe(); !o.UpToDate() {
						t.Errorf("the plan is %s", o.Plan.Action)
					}
				}
			})
		})
	}
}

// repeats tries again later, with the given outcome.
func (h *harness) repeats(as manner) {
	h.t.Helper()
	if as == silentUndone || as == refused {
		time.Sleep(10 * time.Second)
	}
	h.interrupts(as)
}

// The token is stored before the create, and the look at an unchanged resource shows the same one.
func TestCreateTokenIsStored(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.r.CreateToken = tokens()
		first := h.observe().Plan.Config.GetAttr("token")
		h.want("a", 2)
		if again := h.observe().Plan.Config.GetAttr("token"); !again.RawEquals(first) {
			t.Errorf("the token changes from %#v to %#v", first, again)
		}
		block := make(chan struct{})
		h.cloud.block = block
		h.apply()
		synctest.Wait()
		if op := h.stored().Instance.Operation; op == nil || op.CreateToken != first.AsString() || op.CreateTokenAt.IsZero() {
			t.Errorf("the intent is %+v", op)
		}
		close(block)
		synctest.Wait()
	})
}

// A token that the user sets is used, and not taken for one that was made for this create.
func TestCreateTokenOfUser(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.r.CreateToken = tokens()
		h.r.Config.Value = withToken(h.r.Config.Value, cty.StringVal("mine"))
		h.interrupts(silentDone)
		if got := tokenOf(t, h.cloud, "i-1"); got != "mine" {
			t.Errorf("the token is %s", got)
		}
		if op := h.stored().Instance.Operation; op == nil || op.CreateToken != "" {
			t.Errorf("the intent is %+v", op)
		}
		h.observeRefused(decision.ReasonCreateOutcomeUnknown)
	})
}

// The objects of a replacement have tokens of their own.
func TestCreateTokenOfReplacement(t *testing.T) {
	for name, createBeforeDestroy := range map[string]bool{"destroyed first": false, "created first": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.r.CreateToken = tokens()
				h.settle()
				before := tokenOf(t, h.cloud, "i-1")
				h.want("b", 1)
				h.r.Config.CreateBeforeDestroy = createBeforeDestroy
				h.settle()
				after := tokenOf(t, h.cloud, "i-2")
				if before == after || strings.Join(h.cloud.ids(), " ") != "i-2" {
					t.Errorf("objects %v; tokens %s and %s", h.cloud.ids(), before, after)
				}
			})
		})
	}
}
