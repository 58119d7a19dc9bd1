package scheduler_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
)

// listed permits to recover interrupted creates by listing.
func (h *harness) listed() {
	h.r.ListArguments = func(cty.Value) (map[string]cty.Value, string) { return nil, "" }
}

func TestRecoverByList(t *testing.T) {
	const found = "One object is new since the create began"
	add := func(name string, size int64, n int) func(x *estate, _ *harness) {
		return func(x *estate, _ *harness) {
			for range n {
				x.cloud.add(object{name, size})
			}
		}
	}
	fails := func(x *estate, _ *harness) {
		x.cloud.fail["list"] = diagnostic.Errorf("Quota exceeded", "Too many lists.")
	}
	for name, tc := range map[string]struct {
		manner manner
		// before prepares the estate, after what happens between the interruption and the recovery.
		before, after func(x *estate, a *harness)
		// message is part of why the outcome stays unknown; empty if the object is found.
		message string
		// object is the one that is found.
		object string
	}{
		"made":                  {manner: silentDone, object: "i-1"},
		"made, after a restart": {manner: silentDone, after: func(_ *estate, a *harness) { a.restart() }, object: "i-1"},
		"made, others exist":    {manner: silentDone, before: add("x", 1, 3), object: "i-4"},
		"made, as many as can be known": {
			manner: silentDone, before: add("x", 1, 999),
			after: func(x *estate, _ *harness) { x.cloud.remove("i-7") }, object: "i-1000",
		},
		"made, others are listed only by their arguments": {manner: silentDone, before: func(x *estate, a *harness) {
			add("other", 1, 1000)(x, a)
			a.r.ListArguments = func(planned cty.Value) (map[string]cty.Value, string) {
				return map[string]cty.Value{"name": planned.GetAttr("name")}, ""
			}
		}, object: "i-1001"},
		"made, another resource has another one": {
			manner: silentDone, after: func(x *estate, _ *harness) { x.resource("b", 1, "x").settle() }, object: "i-1",
		},
		"made, deleted":          {manner: silentDone, after: func(_ *estate, a *harness) { a.deleting() }, object: "i-1"},
		"not made":               {manner: silentUndone, message: "none is new"},
		"not made, others exist": {manner: silentUndone, before: add("x", 1, 1), message: "none is new"},
		"not made, another resource has one": {
			manner: silentUndone, after: func(x *estate, _ *harness) { x.resource("b", 1, "x").settle() },
			message: "none is new",
		},
		"not made, another of the account has one": {manner: silentUndone, before: func(_ *estate, a *harness) {
			a.r.Account.Content = "x"
		}, after: func(x *estate, _ *harness) {
			b := x.resource("b", 1, "x")
			b.r.ProviderConfiguration, b.r.Account.Content = "other", "x"
			b.settle()
		}, message: "none is new"},
		"made, another resource of the account creates one": {manner: silentDone, before: func(_ *estate, a *harness) {
			a.r.Account.Content = "x"
		}, after: func(x *estate, _ *harness) {
			b := x.resource("b", 1, "x")
			b.r.ProviderConfiguration, b.r.Account.Content = "other", "x"
			b.listed()
			b.interrupts(silentUndone)
		}, message: "while another resource creates one"},
		"made, another is new": {
			manner: silentDone, after: add("x", 1, 1),
			message: "2 objects are new since the create began, and no resource manages them: id=i-",
		},
		"not made, another of another argument": {
			manner: silentUndone, after: add("y", 1, 1),
			message: found + ", but it does not have the planned arguments: id=i-1.",
		},
		"made, it was changed since": {
			manner: silentDone, after: func(x *estate, _ *harness) { x.cloud.change("i-1", object{"x", 5}) },
			message: "does not have the planned arguments",
		},
		"made, too many before": {
			manner: silentDone, before: add("x", 1, 1000),
			message: "The objects that existed before the create are not known: there are more than 1000.",
		},
		"made, cannot be listed before": {
			manner: silentDone, before: fails, after: func(x *estate, _ *harness) { delete(x.cloud.fail, "list") },
			message: "before the create are not known: they cannot be listed: Quota exceeded",
		},
		"made, cannot be listed": {
			manner: silentDone, after: fails, message: "exist now are not known: they cannot be listed: Quota exceeded",
		},
		"made, cannot be read": {
			manner:  silentDone,
			after:   func(x *estate, _ *harness) { x.cloud.fail["import"] = diagnostic.Errorf("No", "No.") },
			message: found + ", but it cannot be read: id=i-1.",
		},
		"made, an argument is not known": {manner: silentDone, before: func(_ *estate, a *harness) {
			a.r.ListArguments = func(cty.Value) (map[string]cty.Value, string) { return nil, "zone" }
		}, message: "the argument zone, which the list needs"},
		"made, not permitted any more": {
			manner: silentDone, after: func(_ *estate, a *harness) { a.r.ListArguments = nil },
			message: "Look for the object.",
		},
		"made, stored by an earlier resource": {manner: silentDone, after: func(_ *estate, a *harness) {
			a.r.UID = "another"
		}, message: "Look for the object."},
	} {
		t.Run(name, func(t *testing.T) {
			newEstate(t, assigned, func(x *estate) {
				a := x.resource("a", 0, "x")
				a.listed()
				if tc.before != nil {
					tc.before(x, a)
				}
				a.interrupts(tc.manner)
				if tc.after != nil {
					tc.after(x, a)
				}
				if tc.message != "" {
					for range 2 {
						se := a.observeRefused(decision.ReasonCreateOutcomeUnknown)
						if !strings.Contains(se.Error(), tc.message) || !strings.Contains(se.Error(), "landbridge.io/confirm-create") {
							t.Errorf("the message is %s", se)
						}
					}
					return
				}
				before := len(x.cloud.ids())
				a.observe()
				if in := a.stored().Instance; in.Operation != nil || in.Status != instance.Tainted ||
					idOf(in) != tc.object || len(x.cloud.ids()) != before {
					t.Errorf("%q is stored, %s, with operation %v", idOf(in), in.Status, in.Operation)
				}
			})
		})
	}
}

// While another resource creates an object of the type, a new one may be that resource's.
func TestRecoverByListWaits(t *testing.T) {
	for name, others := range map[string]manner{"running": inOrder, "interrupted": silentDone, "not made": silentUndone} {
		t.Run(name, func(t *testing.T) {
			newEstate(t, assigned, func(x *estate) {
				a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
				a.listed()
				b.listed()
				a.interrupts(silentDone)
				block := make(chan struct{})
				x.cloud.block = block
				b.cloud.manner = others
				b.observe()
				if se := a.observeRefused(decision.ReasonCreateOutcomeUnknown); !strings.Contains(se.Error(), "while another resource creates one") {
					t.Errorf("another is planned: %s", se)
				}
				b.apply()
				synctest.Wait()
				a.observeRefused(decision.ReasonCreateOutcomeUnknown)
				close(block)
				synctest.Wait()
				x.cloud.manner, x.cloud.block = inOrder, nil
				if others != inOrder {
					for range 2 {
						a.observeRefused(decision.ReasonCreateOutcomeUnknown)
						b.observeRefused(decision.ReasonCreateOutcomeUnknown)
					}
					// A person decides about one of them, which decides about the other.
					b.r.ConfirmCreate = b.stored().Instance.Operation.ID
					if others == silentDone {
						b.r.ConfirmCreate, b.r.Import = "", desired.Import{Target: byID("i-2")}
					}
				}
				time.Sleep(time.Hour) // longer than failures delay anything
				b.settle()
				a.settle()
				if ids := x.cloud.ids(); len(ids) != 2 {
					t.Errorf("the objects are %v", ids)
				}
			})
		})
	}
}

// The objects are only listed where nothing else tells which one a create makes.
func TestSnapshot(t *testing.T) {
	for kind, want := range map[identityKind]bool{assigned: true, plannedIdentity: false, derivable: false, noIdentity: false} {
		t.Run(fmt.Sprint(kind), func(t *testing.T) {
			bubble(t, kind, func(h *harness) {
				h.listed()
				h.interrupts(silentUndone)
				op := h.stored().Instance.Operation
				if (op.Listed != nil) != want {
					t.Errorf("listed %+v", op.Listed)
				}
			})
			bubble(t, kind, func(h *harness) {
				h.listed()
				h.r.CreateToken = tokens()
				h.interrupts(silentUndone)
				if op := h.stored().Instance.Operation; op.Listed != nil {
					t.Errorf("listed %+v in spite of a token", op.Listed)
				}
			})
		})
	}
}
