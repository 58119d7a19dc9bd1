package scheduler_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// handled is an estate of which one kind of handle is configured.
type handled struct {
	kind  identityKind
	setup func(x *estate)
}

var handledKinds = map[string]handled{
	"mapping":   {mapped, func(x *estate) { x.r.Handles = mappedHandles("Thing") }},
	"import id": {noIdentity, func(x *estate) { x.r.Handles = &ownership.Handles{} }},
}

// named is a resource that wants an object of the name, which is also the external name.
func (x *estate) named(name string, age int, object string) *harness {
	h := x.resource(name, age, object)
	if x.cloud.kind == noIdentity {
		h.r.NamedImport = namedImport(object)
	}
	return h
}

// seen makes the object of a resource, and looks at it.
func (x *estate) seen(name string, age int, object string) {
	x.t.Helper()
	h := x.named(name, age, object)
	h.settle()
	h.observe()
}

// interrupts begins a create that is not answered.
func (h *harness) interrupts(as manner) {
	h.t.Helper()
	h.cloud.manner = as
	h.observe()
	h.apply()
	synctest.Wait()
	h.cloud.manner = inOrder
}

func TestRecoverByConfiguration(t *testing.T) {
	for name, tc := range map[string]struct {
		manner manner
		// before prepares the estate, after what happens between the interruption and the recovery.
		before, after func(x *estate, a *harness)
		reason        scheduler.Reason
		message       string
		status        instance.Status
		// applies are the creates and deletes until the resource has its object.
		applies int
	}{
		"made, nothing seen before": {manner: silentDone, status: instance.Tainted, applies: 3},
		"made, seen before": {
			manner: silentDone, before: func(x *estate, _ *harness) { x.seen("b", 1, "y") },
			status: instance.Tainted, applies: 4,
		},
		"not made, nothing seen before": {
			manner: silentUndone, reason: decision.ReasonCreateOutcomeUnknown, message: "no other object has confirmed yet",
		},
		"not made, seen before": {
			manner: silentUndone, before: func(x *estate, _ *harness) { x.seen("b", 1, "y") },
			after: func(*estate, *harness) { time.Sleep(2 * time.Hour) }, applies: 3,
		},
		"not made, seen afterwards": {
			manner: silentUndone, after: func(x *estate, _ *harness) {
				x.seen("b", 1, "y")
				time.Sleep(2 * time.Hour)
			}, applies: 3,
		},
		"not made, seen by the process before": {
			manner: silentUndone, before: func(x *estate, _ *harness) { x.seen("b", 1, "y") },
			after: func(x *estate, a *harness) {
				time.Sleep(2 * time.Hour)
				a.r.Handles = handledAnew(x)
			}, applies: 3,
		},
		"made, but there was one before": {
			manner: silentDone, before: func(x *estate, a *harness) { a.r.Policies.CreateUnchecked = true },
			reason: decision.ReasonCreateOutcomeUnknown, message: "set spec.import to ",
		},
		"the configuration says nothing any more": {
			manner: silentUndone, after: func(_ *estate, a *harness) { a.r.Handles, a.r.NamedImport.ID = nil, "" },
			reason: decision.ReasonCreateOutcomeUnknown,
		},
	} {
		for configured, kind := range handledKinds {
			t.Run(configured+", "+name, func(t *testing.T) {
				newEstate(t, kind.kind, func(x *estate) {
					kind.setup(x)
					a := x.named("a", 0, "x")
					if tc.before != nil {
						tc.before(x, a)
					}
					a.interrupts(tc.manner)
					if tc.after != nil {
						tc.after(x, a)
					}
					if tc.reason != "" {
						for range 2 {
							if se := a.observeRefused(tc.reason); !strings.Contains(se.Error(), tc.message) {
								t.Errorf("the message: %s", se)
							}
						}
						return
					}
					if o := a.observe(); o.Instance.Status != tc.status {
						t.Errorf("object %q is %s", idOf(o.Instance), o.Instance.Status)
					}
					time.Sleep(10 * time.Minute)
					a.settle()
					count := 0
					for _, id := range x.cloud.ids() {
						if x.cloud.objects[id].name == "x" {
							count++
						}
					}
					if count != 1 || x.cloud.applies != tc.applies {
						t.Errorf("%d objects after %d applies", count, x.cloud.applies)
					}
				})
			})
		}
	}
}

// handledAnew are the handles of a process that has seen nothing.
func handledAnew(x *estate) *ownership.Handles {
	if x.cloud.kind == mapped {
		return mappedHandles("Thing")
	}
	return &ownership.Handles{}
}

// What a stored object shows of a mapping is known before anything is read.
func TestClaimConfirmsMapping(t *testing.T) {
	newEstate(t, mapped, func(x *estate) {
		x.r.Handles = mappedHandles("Thing")
		a, b := x.named("a", 0, "x"), x.named("b", 1, "y")
		a.interrupts(silentUndone)
		b.settle()
		a.r.Handles = mappedHandles("Thing")
		b.r.Handles = a.r.Handles
		x.again(a, b)
		if o := a.observe(); o.Plan == nil || o.Plan.Action != terraform.Create {
			t.Errorf("the plan is %v", o.Plan)
		}
	})
}

func TestConfiguredHandleMeetsObject(t *testing.T) {
	for configured, kind := range handledKinds {
		t.Run(configured, func(t *testing.T) {
			newEstate(t, kind.kind, func(x *estate) {
				kind.setup(x)
				x.cloud.add(object{"x", 1})
				a := x.named("a", 0, "x")
				a.observe()
				a.apply()
				synctest.Wait()
				se := a.refuses(a.sched.Apply(t.Context(), a.r), decision.ReasonAlreadyExists)
				if !strings.Contains(se.Error(), "set spec.import to ") || x.cloud.applies != 0 {
					t.Errorf("after %d applies: %s", x.cloud.applies, se)
				}
				a.r.Import.Target = byID("i-1")
				a.settle()
				b := x.named("b", 1, "x")
				b.conflicted("a")
				if x.cloud.applies != 0 {
					t.Errorf("%d applies", x.cloud.applies)
				}
			})
		})
	}
}

// A mapping that an object contradicts is not used any more, and this is reported once.
func TestContradictedMapping(t *testing.T) {
	newEstate(t, mapped, func(x *estate) {
		x.r.Handles = mappedHandles("Object")
		a, b := x.named("a", 0, "x"), x.named("b", 1, "y")
		a.settle()
		a.observe()
		if o := a.observe(); !strings.Contains(o.Contradiction, `class of the identity "Object", but it is "Thing"`) {
			t.Errorf("the contradiction: %q", o.Contradiction)
		}
		a.want("x", 2)
		a.settle()
		if told := a.told.take(); count(told, "Contradicted") != 1 {
			t.Errorf("told: %v", told)
		}
		x.cloud.log.take()
		b.interrupts(silentUndone)
		if calls := x.cloud.log.take(); slices.Contains(calls, "import") {
			t.Errorf("an object was looked for: %v", calls)
		}
		if se := b.observeRefused(decision.ReasonCreateOutcomeUnknown); !strings.Contains(se.Error(), "an object contradicts it") {
			t.Errorf("the message: %s", se)
		}
	})
}

func count(all []string, what string) (n int) {
	for _, s := range all {
		if s == what {
			n++
		}
	}
	return n
}

// An import id that finds nothing of an existing object is not used any more.
func TestContradictedImportID(t *testing.T) {
	newEstate(t, noIdentity, func(x *estate) {
		x.r.Handles = &ownership.Handles{}
		a := x.named("a", 0, "x")
		a.r.NamedImport.ID = "wrong/x"
		a.settle()
		if o := a.observe(); !strings.Contains(o.Contradiction, `the import id "wrong/x"`) {
			t.Errorf("the contradiction: %q", o.Contradiction)
		}
		x.named("b", 1, "y").interrupts(silentUndone)
		b := x.named("b", 1, "y")
		b.observeRefused(decision.ReasonCreateOutcomeUnknown)
	})
}

// The look before an interrupted create proves nothing about what a corrected mapping finds.
func TestRecoverAfterCorrectedMapping(t *testing.T) {
	newEstate(t, mapped, func(x *estate) {
		x.r.Handles = mappedHandles("Object")
		x.cloud.add(object{"x", 1}) // made from outside
		a := x.named("a", 0, "x")
		a.interrupts(silentUndone)
		a.r.Handles = mappedHandles("Thing")
		for range 2 {
			if se := a.observeRefused(decision.ReasonCreateOutcomeUnknown); !strings.Contains(se.Error(), "set spec.import to ") {
				t.Errorf("the message: %s", se)
			}
		}
	})
}

// Before its deadline, an interrupted create is not followed by another one with the same import
// id: the name that it is made of need not be unique.
func TestImportIDAwaitsDeadline(t *testing.T) {
	newEstate(t, noIdentity, func(x *estate) {
		x.r.Handles = &ownership.Handles{}
		x.seen("b", 1, "y")
		a := x.named("a", 0, "x")
		a.interrupts(late)
		if se := a.observeRefused(decision.ReasonCreateOutcomeUnknown); !strings.Contains(se.Error(), "may still appear until") {
			t.Errorf("the message: %s", se)
		}
		x.cloud.appear()
		if o := a.observe(); idOf(o.Instance) != "i-2" || o.Instance.Status != instance.Tainted {
			t.Errorf("object %q is %s", idOf(o.Instance), o.Instance.Status)
		}
	})
}

// A mapping of unknown values gives no handle.
func TestMappingOfUnknown(t *testing.T) {
	newEstate(t, mapped, func(x *estate) {
		x.r.Handles = &ownership.Handles{Identity: func(cty.Value) map[string]cty.Value { return nil }}
		a := x.named("a", 0, "x")
		a.interrupts(silentDone)
		a.observeRefused(decision.ReasonCreateOutcomeUnknown)
		a.r.NamedImport = translate.NamedImport{}
		a.r.ConfirmCreate = a.stored().Instance.Operation.ID
		time.Sleep(10 * time.Minute)
		a.settle()
	})
}
