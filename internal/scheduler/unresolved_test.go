package scheduler_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// goesOn leaves an object that is being made, and whose create was not answered.
func goesOn(h *harness) {
	h.t.Helper()
	h.cloud.unique = true
	h.cloud.manner = late
	h.observe()
	h.apply()
	synctest.Wait()
	time.Sleep(time.Minute) // failures are waited for
	h.cloud.manner = inOrder
	h.told.take()
}

// TestInterruptedCreateGoesOn: the cloud goes on with a create whose outcome was not reported.
func TestInterruptedCreateGoesOn(t *testing.T) {
	cases := map[string]struct {
		// meanwhile is what happens before the object appears, after its time.
		meanwhile func(h *harness)
		ids       []string
		told      []string
	}{
		"nothing else": {
			meanwhile: func(*harness) {},
			ids:       []string{"i-2"}, told: []string{
				"Recovered Create found", "Tainted", "Succeeded Delete of replacement",
				"Succeeded Create of replacement",
			},
		},
		"another create is refused": {
			meanwhile: func(h *harness) {
				if o := h.observe(); o.Plan == nil || o.Plan.Action != terraform.Create {
					h.t.Fatalf("observed %+v, want to create", o)
				}
				h.apply()
				synctest.Wait()
			},
			ids: []string{"i-2"},
			told: []string{
				"Recovered Create", "Failed Create (Already exists)", "Recovered Create found", "Tainted",
				"Succeeded Delete of replacement", "Succeeded Create of replacement",
			},
		},
		"another create is refused, and the process ends": {
			meanwhile: func(h *harness) {
				h.observe()
				h.apply()
				synctest.Wait()
				h.restart()
			},
			ids: []string{"i-2"},
			told: []string{
				"Recovered Create", "Failed Create (Already exists)", "Recovered Create found", "Tainted",
				"Succeeded Delete of replacement", "Succeeded Create of replacement",
			},
		},
		"another object is wanted": {
			meanwhile: func(h *harness) {
				h.want("b", 1)
				h.observe()
				h.refuses(h.sched.Apply(h.t.Context(), h.r), decision.ReasonCreateOutcomeUnknown)
			},
			ids: []string{"i-2"},
			told: []string{
				"Recovered Create", "Recovered Create found", "Tainted", "Succeeded Delete of replacement",
				"Succeeded Create of replacement",
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				goesOn(h)
				tc.meanwhile(h)
				time.Sleep(time.Minute)
				h.cloud.appear()
				h.settle()
				if diff := cmp.Diff(tc.ids, h.cloud.ids()); diff != "" {
					t.Errorf("objects (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(tc.told, h.told.take()); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
				if op := h.stored().Instance.Operation; op != nil {
					t.Errorf("the journal holds %+v", op)
				}
			})
		})
	}
}

// A create whose outcome was unknown says nothing about operations that began after another create
// made the object.
func TestUnresolvedEnds(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		goesOn(h)
		clear(h.cloud.coming) // it makes nothing
		h.settle()
		h.want("a", 2)
		h.observe()
		saves := 0
		h.store.fails(func(call string) fault {
			if saves++; call == "save" && saves == 1 {
				return unanswered
			}
			return ""
		})
		h.apply() // an update whose intent is stored, although the store returns an error
		synctest.Wait()
		time.Sleep(time.Minute)
		h.told.take()
		if o := h.observe(); o.Instance.Status != instance.Full {
			t.Errorf("the object is %s", o.Instance.Status)
		}
		h.settle()
		if diff := cmp.Diff([]string{"Succeeded Update"}, h.told.take()); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
	})
}

// Who deletes a resource whose create was interrupted waits for its object, as long as it may
// appear, or says that there is none.
func TestDeleteWhileCreateGoesOn(t *testing.T) {
	cases := map[string]struct {
		then func(h *harness)
		gone bool // without the object having been there
	}{
		"it appears":      {then: func(h *harness) { h.cloud.appear() }},
		"it never does":   {then: func(h *harness) { clear(h.cloud.coming); time.Sleep(time.Hour) }, gone: true},
		"a person knows":  {then: func(h *harness) { h.r.ConfirmCreate = h.stored().Instance.Operation.ID }, gone: true},
		"after a restart": {then: func(h *harness) { h.restart(); h.cloud.appear() }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				goesOn(h)
				h.r.Config, h.r.ConfigHash, h.r.Deleted = nil, "", true
				for range 2 {
					h.observeRefused(decision.ReasonCreateOutcomeUnknown)
				}
				tc.then(h)
				if o := h.observe(); o.Exists() == tc.gone {
					t.Fatalf("there is an object: %v", o.Exists())
				}
				if !tc.gone {
					if err := h.sched.Delete(t.Context(), h.r); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
					if o := h.observe(); o.Exists() {
						t.Error("it was not destroyed")
					}
				}
				if ids := h.cloud.ids(); len(ids) != 0 {
					t.Errorf("objects are %v", ids)
				}
			})
		})
	}
}

// TestTaintedObjectGoesOn: a create did not end well, and its object is not there yet. Its delete
// ends what is under way.
func TestTaintedObjectGoesOn(t *testing.T) {
	cases := map[string]struct {
		request func(h *harness)
		ids     []string // in the end, after it would have appeared
	}{
		"replaced":                     {func(*harness) {}, []string{"i-2"}},
		"replaced, creating first":     {func(h *harness) { h.r.Config.CreateBeforeDestroy = true }, []string{"i-2"}},
		"deleted":                      {func(h *harness) { h.r.Config, h.r.ConfigHash, h.r.Deleted = nil, "", true }, nil},
		"its delete fails for a while": {func(h *harness) { h.cloud.manner = refused }, []string{"i-2"}},
	}
	for _, kind := range []identityKind{noIdentity, derivable} {
		for name, tc := range cases {
			t.Run(string(kind)+", "+name, func(t *testing.T) {
				bubble(t, kind, func(h *harness) {
					h.cloud.manner = halfwayLate
					h.observe()
					h.apply()
					synctest.Wait()
					time.Sleep(time.Minute) // failures are waited for
					h.cloud.manner = inOrder
					tc.request(h)
					for range 6 {
						o := h.observe()
						switch {
						case h.r.Deleted && o.Exists():
							if err := h.sched.Delete(t.Context(), h.r); err != nil {
								t.Fatal(err)
							}
						case !h.r.Deleted && !o.UpToDate():
							h.apply()
						}
						synctest.Wait()
						time.Sleep(time.Minute)
						h.cloud.manner = inOrder
					}
					h.cloud.appear()
					if diff := cmp.Diff(tc.ids, h.cloud.ids()); diff != "" {
						t.Errorf("objects (-want +got):\n%s", diff)
					}
				})
			})
		}
	}
}

// TestTaintedObjectMustNotBeDestroyed: an object that may appear keeps its place, though no policy
// permits to destroy it.
func TestTaintedObjectMustNotBeDestroyed(t *testing.T) {
	tests := map[string]func(*harness){
		"replacements are forbidden":                    func(h *harness) { h.r.Policies.Replace = false },
		"replacements of tainted objects are forbidden": func(h *harness) { h.r.Policies.ReplaceTainted = false },
	}
	for name, forbid := range tests {
		t.Run(name, func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				h.cloud.manner = halfwayLate
				h.observe()
				h.apply()
				synctest.Wait()
				h.cloud.manner = inOrder
				forbid(h)
				time.Sleep(time.Minute) // failures are waited for
				if o := h.observe(); !o.Exists() {
					t.Fatal("the object is taken for gone")
				}
				if err := h.sched.Apply(t.Context(), h.r); err == nil {
					t.Error("the object is replaced")
				}
				synctest.Wait()
				h.cloud.appear()
				if diff := cmp.Diff([]string{"i-1"}, h.cloud.ids()); diff != "" {
					t.Errorf("objects (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// An object that cannot be destroyed because it is not there counts as gone in the end.
func TestTaintedObjectIsGone(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.cloud.manner = halfwayLate
		h.observe()
		h.apply()
		synctest.Wait()
		clear(h.cloud.coming)
		h.cloud.manner = refused
		for end := time.Now().Add(50 * time.Minute); time.Now().Before(end); {
			time.Sleep(6 * time.Minute)
			if o := h.observe(); !o.Exists() {
				t.Fatalf("gone after %s", time.Since(end.Add(-50*time.Minute)))
			}
			h.apply()
			synctest.Wait()
		}
		time.Sleep(10 * time.Minute)
		h.cloud.manner = inOrder
		h.settle()
		if diff := cmp.Diff([]string{"i-2"}, h.cloud.ids()); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
	})
}

// website is a module whose interrupted create may make its object until the deadline.
type website struct{ *cloud }

func (x website) ApplyJournaled(ctx context.Context, p terraform.Plan, _ func([]byte) error) (instance.Instance, diagnostic.Diagnostics) {
	return x.Apply(ctx, p)
}

func (website) Changed([]byte) []string { return nil }

func (website) Left(instance.Instance) map[string]map[string]string { return nil }

func (x website) Recover(
	_ context.Context, _ terraform.ResourceType, in instance.Instance, op *instance.Operation,
	confirmed bool, now time.Time,
) (instance.Instance, diagnostic.Diagnostics) {
	if !confirmed && now.Before(op.Deadline) {
		return in, terraform.OutcomeUnknownError("test_thing")
	}
	return in, nil
}

// TestInterruptedModule: the outcome of an interrupted create of a module stays unknown until the
// operation's deadline, also for a later process.
func TestInterruptedModule(t *testing.T) {
	cases := map[string]func(h *harness){
		"until the deadline": func(*harness) { time.Sleep(time.Hour) },
		"until confirmed":    func(h *harness) { h.r.ConfirmCreate = h.stored().Instance.Operation.ID },
	}
	for name, end := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
					return website{h.cloud}, func() {}, nil
				}
				h.interrupted(instance.Create, instance.Instance{})
				for range 2 {
					h.observeRefused(decision.ReasonCreateOutcomeUnknown)
					time.Sleep(29 * time.Minute)
					h.restart()
				}
				h.observeRefused(decision.ReasonCreateOutcomeUnknown)
				if h.cloud.applies != 0 || h.stored().Instance.Operation == nil {
					t.Errorf("%d applies; the stored instance is %+v", h.cloud.applies, h.stored().Instance)
				}
				end(h)
				h.settle()
				if ids := h.cloud.ids(); len(ids) != 1 {
					t.Errorf("objects are %v", ids)
				}
			})
		})
	}
}

// pausing is a store after whose writes the process is paused.
type pausing struct {
	store.Store
	pause time.Duration
}

func (p *pausing) Save(ctx context.Context, k store.Key, r *schema.Resource, rec store.Record) (store.Record, error) {
	out, err := p.Store.Save(ctx, k, r, rec)
	time.Sleep(p.pause)
	return out, err
}

// A process that was paused between its intent and the dispatch may have a successor by now.
func TestLateDispatch(t *testing.T) {
	cases := map[string]struct {
		safe, pause time.Duration
		applies     int
	}{
		"in time": {10 * time.Second, 9 * time.Second, 1},
		"late":    {10 * time.Second, 11 * time.Second, 0},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				p := &pausing{Store: h.store, pause: tc.pause}
				renewed := time.Now()
				h.o.Store, h.o.Leads = p, func() bool { return time.Since(renewed) <= tc.safe }
				h.restart()
				h.observe()
				h.apply()
				time.Sleep(time.Hour / 2)
				synctest.Wait()
				if h.cloud.applies != tc.applies {
					t.Errorf("%d applies, want %d", h.cloud.applies, tc.applies)
				}
				p.pause, renewed = 0, time.Now().Add(time.Hour)
				h.settle() // no outcome is unknown
				if ids := h.cloud.ids(); len(ids) != 1 {
					t.Errorf("objects are %v", ids)
				}
			})
		})
	}
}

// An operation that another process begins after this one began to work is left to it.
func TestOperationOfAnotherProcess(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.o.Lease = 15 * time.Second
		h.restart()
		other := h.r
		other.UID, other.Key.Name = "uid-2", "two"
		if _, err := h.sched.Observe(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		h.interrupted(instance.Create, instance.Instance{})
		h.cloud.add(object{"a", 1})
		for range 2 {
			h.observeRefused(decision.ReasonStore)
		}
		// It is concluded.
		h.concludedElsewhere("i-1")
	})
	bubble(t, derivable, func(h *harness) {
		h.o.Lease = 15 * time.Second
		h.restart()
		h.observe()
		time.Sleep(time.Second)
		h.r.UID, h.r.Key.Name = "uid-2", "two"
		h.interrupted(instance.Create, instance.Instance{})
		h.cloud.add(object{"a", 1})
		h.observeRefused(decision.ReasonStore)
		// It is not concluded.
		time.Sleep(15 * time.Second)
		if o := h.observe(); o.Instance.Status != instance.Tainted {
			t.Errorf("found is %+v", o.Instance)
		}
	})
}

// What is stored of a create of unknown outcome is read again: another process may know.
func TestUnknownOutcomeBecomesKnown(t *testing.T) {
	bubble(t, assigned, func(h *harness) {
		h.cloud.add(object{"a", 1})
		h.interrupted(instance.Create, instance.Instance{})
		h.observeRefused(decision.ReasonCreateOutcomeUnknown)
		h.concludedElsewhere("i-1")
	})
}

// concludedElsewhere has another process store an object of the resource, which is noticed.
func (h *harness) concludedElsewhere(id string) {
	h.t.Helper()
	rec := h.stored()
	rec.Instance = h.cloud.instance(id)
	if _, err := h.store.Save(h.t.Context(), h.r.Key, h.r.Type.Schema, rec); err != nil {
		h.t.Fatal(err)
	}
	if o := h.observe(); !o.UpToDate() {
		h.t.Errorf("plan %+v", o.Plan)
	}
}
