package scheduler_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// reconciles observes and applies for an hour, and returns the error of the last Apply.
func (h *harness) reconciles() error {
	h.t.Helper()
	var err error
	for range 120 {
		time.Sleep(30 * time.Second)
		if h.observe().UpToDate() {
			return nil
		}
		err = h.sched.Apply(h.t.Context(), h.r)
		synctest.Wait()
	}
	return err
}

// creating is a cloud that creates in one manner, and does everything else in order.
type creating struct {
	*cloud
	manner manner
}

func (c creating) Apply(ctx context.Context, p terraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	c.mu.Lock()
	c.cloud.manner = inOrder
	if p.Action == terraform.Create {
		c.cloud.manner = c.manner
	}
	c.mu.Unlock()
	return c.cloud.Apply(ctx, p)
}

// A create that makes an object and fails is not repeated for ever.
func TestCreateAttempts(t *testing.T) {
	for name, tc := range map[string]struct {
		kind  identityKind
		ex    func(c *cloud) terraform.Executor
		first bool // createBeforeDestroy
		left  int  // objects of a stalled resource
	}{
		"halfway": {kind: noIdentity, ex: func(c *cloud) terraform.Executor { return creating{c, halfway} }, left: 1},
		"halfway, create first": {
			kind: noIdentity, ex: func(c *cloud) terraform.Executor { return creating{c, halfway} },
			first: true, left: 2,
		},
		"no answer, found as tainted": {kind: derivable, ex: func(c *cloud) terraform.Executor { return creating{c, silentDone} }, left: 1},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, tc.kind, func(h *harness) {
				h.r.CreateAttempts = 3
				h.r.Config.CreateBeforeDestroy = tc.first
				h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
					return tc.ex(h.cloud), func() {}, nil
				}
				exhausted := 0
				h.r.Tell = func(e scheduler.Event) {
					if e.Kind == scheduler.Tainted && e.Exhausted {
						exhausted++
					}
				}
				creates := func() (n int) {
					for _, call := range h.log.take() {
						if call == "apply Create" {
							n++
						}
					}
					return n
				}
				stalls := func(want int) {
					t.Helper()
					se := h.refuses(h.reconciles(), decision.ReasonCreateAttemptsExhausted)
					if !strings.Contains(se.Error(), "landbridge.io/retry") {
						t.Errorf("the way out is not told of: %s", se)
					}
					if n := creates(); n != want {
						t.Errorf("%d creates, want %d", n, want)
					}
					if o := h.observe(); !o.Stalled || o.Instance.Status != instance.Tainted || len(h.cloud.ids()) != tc.left {
						t.Errorf("stalled is %t, %s, objects %v", o.Stalled, o.Instance.Status, h.cloud.ids())
					}
				}
				stalls(3)
				if exhausted != 1 && tc.kind == noIdentity { // otherwise recovery finds the object
					t.Errorf("%d events say that the object is kept", exhausted)
				}
				h.r.Asked.Retry = "1" // once more
				stalls(3)
				h.r.ConfigHash = "edited" // of the same arguments
				stalls(0)
				h.r.Timeouts.Create = time.Hour // which may be why it has failed
				stalls(3)
				h.want("a", 2) // another configuration
				h.r.Config.CreateBeforeDestroy = tc.first
				stalls(3)
				h.r.Account.Content = "new" // of the provider configuration
				stalls(3)
				h.r.CreateAttempts = 4
				stalls(1)
				h.r.Asked.Retry = "2"
				h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
					return creating{h.cloud, inOrder}, func() {}, nil
				}
				if err := h.reconciles(); err != nil {
					t.Fatal(err)
				}
				if o := h.observe(); o.Stalled || !o.UpToDate() || len(h.cloud.ids()) != 1 {
					t.Errorf("stalled is %t, up to date %t, objects %v", o.Stalled, o.UpToDate(), h.cloud.ids())
				}
			})
		})
	}
}

// Creates that are refused while the object of an interrupted one may appear have made nothing.
func TestCreateAttemptsUnresolved(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.r.CreateAttempts = 3
		goesOn(h)
		for range 5 {
			h.observe()
			_ = h.sched.Apply(t.Context(), h.r)
			synctest.Wait()
			time.Sleep(5 * time.Minute)
		}
		h.cloud.appear()
		h.settle()
		if ids := h.cloud.ids(); len(ids) != 1 {
			t.Errorf("objects are %v", ids)
		}
	})
}

// Creates that fail without an object are tried again and again.
func TestCreateAttemptsWithoutObject(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.r.CreateAttempts = 3
		h.cloud.manner = refused
		h.refuses(h.reconciles(), decision.ReasonOperationFailed)
		if n := len(slices.DeleteFunc(h.log.take(), func(call string) bool { return call != "apply Create" })); n < 5 {
			t.Errorf("%d creates", n)
		}
		h.cloud.manner = inOrder
		if err := h.reconciles(); err != nil {
			t.Fatal(err)
		}
	})
}

// While a create that has left a tainted object is not tried again yet, only what may help ends the
// delay: another attempt destroys the object.
func TestDelayAfterATaintedObject(t *testing.T) {
	for name, test := range map[string]struct {
		then func(h *harness)
		want bool
	}{
		"an edit of the same arguments": {then: func(h *harness) { h.r.ConfigHash = "edited" }},
		"other arguments":               {then: func(h *harness) { h.want("a", 2) }, want: true},
		"a timeout":                     {then: func(h *harness) { h.r.ConfigHash, h.r.Timeouts.Create = "edited", time.Hour }, want: true},
		"a policy":                      {then: func(h *harness) { h.r.Policies.CreateUnchecked = true }, want: true},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
					return creating{h.cloud, halfway}, func() {}, nil
				}
				h.observe()
				if err := h.sched.Apply(t.Context(), h.r); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				h.log.take()
				test.then(h)
				h.observe()
				_ = h.sched.Apply(t.Context(), h.r)
				synctest.Wait()
				if got := slices.Contains(h.log.take(), "apply Delete"); got != test.want {
					t.Errorf("it is replaced: %t", got)
				}
			})
		})
	}
}
