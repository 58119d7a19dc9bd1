package scheduler_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// wantAfter changes the configuration to what needs a replacement that creates first.
func (h *harness) wantAfter(name string) {
	h.want(name, 1)
	h.r.Config.CreateBeforeDestroy = true
}

// step observes, applies and waits for the operation.
func (h *harness) step() {
	h.t.Helper()
	h.observe()
	h.apply()
	synctest.Wait()
}

func names(in instance.Instance) (current string, aside []string) {
	if in.Exists() {
		current = nameOf(in.State)
	}
	for _, d := range in.Deposed {
		aside = append(aside, nameOf(d.State))
	}
	return current, aside
}

// holds checks what is stored, by the names of the objects.
func (h *harness) holds(current string, aside ...string) {
	h.t.Helper()
	c, a := names(h.stored().Instance)
	if c != current || !slices.Equal(a, aside) {
		h.t.Errorf("stored is %q, deposed %v; want %q, %v", c, a, current, aside)
	}
}

func TestCreateBeforeDestroy(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.settle()
		h.wantAfter("b")
		if o := h.observe(); o.Plan.Action != terraform.CreateThenDelete {
			t.Fatalf("plan is %s", o.Plan.Action)
		}
		h.log.take()
		h.told.take()
		block := make(chan struct{})
		h.cloud.block = block
		h.apply()
		synctest.Wait()
		o := h.observe()
		if o.Operation == nil || o.Operation.Kind != instance.Create || o.Operation.Deposed == "" || !o.Exists() ||
			o.Instance.Status != instance.Full {
			t.Errorf("while the new object is created: %+v", o)
		}
		// What is on its way is in the store, in one write with the object that made way.
		rec := h.stored().Instance
		if rec.Operation == nil || rec.Operation.ID != o.Operation.ID || len(rec.Deposed) != 1 ||
			rec.Deposed[0].Key != rec.Operation.Deposed || len(rec.Deposed[0].Key) != 8 || rec.Exists() {
			t.Errorf("stored meanwhile: %+v", rec)
		}
		close(block)
		synctest.Wait()
		h.holds("b", "a")
		o = h.observe()
		if o.UpToDate() || o.Plan.Action != terraform.NoOp || len(o.Instance.Deposed) != 1 || nameOf(o.Instance.State) != "b" {
			t.Errorf("after the create: %+v", o)
		}
		h.apply()
		synctest.Wait()
		h.holds("b")
		if o := h.observe(); !o.UpToDate() {
			t.Errorf("in the end: %+v", o)
		}
		want := []string{
			"plan", "import", "save intent Create", "apply Create", "save", "wake",
			"refresh", "plan destroy", "save intent Delete", "apply Delete", "save", "wake",
			"refresh", "plan", "save",
		}
		if diff := cmp.Diff(want, h.log.take()); diff != "" {
			t.Errorf("order of events (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{
			"Succeeded Create of replacement with deposed", "Succeeded Delete of replacement with deposed",
		}, h.told.take()); diff != "" {
			t.Errorf("told (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"i-2"}, h.cloud.ids()); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
	})
}

// TestCreateBeforeDestroyCrash has the process die around every write and every call of a
// replacement, once each. There is never an object that nothing points to, and in the end only
// the new one.
func TestCreateBeforeDestroyCrash(t *testing.T) {
	die := func(n int, how fault) func(j *journalTest) {
		return func(j *journalTest) { j.process.plan(append(make([]fault, n), how)) }
	}
	// call is the n-th apply of the replacement.
	call := func(n int, done bool) func(j *journalTest) {
		return func(j *journalTest) {
			calls := 0
			count := func() bool { calls++; return calls == n }
			if done {
				j.cloud.after = func() {
					if count() {
						j.process.dead.Store(true)
					}
				}
				return
			}
			j.cloud.before = func() {
				if count() {
					j.process.dead.Store(true)
					j.cloud.mu.Lock()
					j.cloud.manner = silentUndone
					j.cloud.mu.Unlock()
				}
			}
		}
	}
	points := map[string]func(j *journalTest){
		"before the intent of the create":      die(0, dies),
		"after the intent of the create":       die(0, diesAfter),
		"before the create is carried out":     call(1, false),
		"after the create is carried out":      call(1, true),
		"before the create is concluded":       die(1, dies),
		"after the create is concluded":        die(1, diesAfter),
		"before the intent of the delete":      die(2, dies),
		"after the intent of the delete":       die(2, diesAfter),
		"before the delete is carried out":     call(2, false),
		"after the delete is carried out":      call(2, true),
		"before the delete is concluded":       die(3, dies),
		"after the delete is concluded":        die(3, diesAfter),
		"not at all, but the create fails":     func(j *journalTest) { j.cloud.manner = refused },
		"not at all, but partly created":       func(j *journalTest) { j.cloud.manner = halfway },
		"not at all, but the response is lost": func(j *journalTest) { j.cloud.manner = silentDone },
		"not at all, but the request is lost":  func(j *journalTest) { j.cloud.manner = silentUndone },
	}
	for _, kind := range []identityKind{noIdentity, assigned, plannedIdentity, derivable} {
		for name, arm := range points {
			for _, deleting := range []bool{false, true} {
				name := string(kind) + ", " + name
				if deleting {
					name += ", then deleted"
				}
				t.Run(name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						j := newJournalTest(t, kind)
						defer func() { j.end() }()
						j.before = true
						for range 2 {
							j.reconcile()
						}
						j.name = "b"
						j.generation++
						arm(j)
						j.reconcile() // the create, until it happens
						interrupted := j.process.dead.Load()
						if !interrupted && j.cloud.manner == inOrder {
							j.reconcile() // the delete
							if !j.process.dead.Load() {
								t.Fatal("the process did not die")
							}
						}
						j.restart()
						j.checkNow(t)
						j.cloud.manner, j.cloud.before, j.cloud.after = inOrder, nil, nil
						j.deleting = deleting
						time.Sleep(2 * time.Second) // longer than a create may take
						uid := j.uid
						for range 12 {
							if j.uid != uid {
								break
							}
							j.reconcile()
							j.checkNow(t)
							if j.unknown != "" && kind.foreseen() {
								t.Fatal("a person is needed, though the identity is known")
							}
							j.person(true)
						}
						if deleting {
							if ids := j.cloud.ids(); len(ids) != 0 || len(j.records.records) != 0 {
								t.Errorf("after deleting: objects %v, %d records", ids, len(j.records.records))
							}
							return
						}
						rec, _ := j.stored()
						ids := j.cloud.ids()
						if len(ids) != 1 || idOf(rec.Instance) != ids[0] || j.cloud.objects[ids[0]].name != "b" ||
							len(rec.Instance.Deposed) != 0 || rec.Instance.Operation != nil {
							t.Errorf("in the end: objects %v, stored %q with %d deposed, operation %+v",
								j.cloud.objects, idOf(rec.Instance), len(rec.Instance.Deposed), rec.Instance.Operation)
						}
					})
				})
			}
		}
	}
}

// A create that makes nothing leaves things as they were.
func TestCreateBeforeDestroyFails(t *testing.T) {
	cases := map[string]struct {
		manner  manner
		current string
		aside   []string
		told    []string
	}{
		"nothing is made": {
			manner: refused, current: "a", told: []string{"Failed Create of replacement with deposed (Quota exceeded)"},
		},
		// Both stay: the old one is still in use.
		"half of it is made": {
			manner: halfway, current: "b", aside: []string{"a"},
			told: []string{"Failed Create of replacement with deposed (Halfway)", "Tainted"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				h.settle()
				h.told.take()
				h.wantAfter("b")
				h.cloud.manner = tc.manner
				h.step()
				h.holds(tc.current, tc.aside...)
				if diff := cmp.Diff(tc.told, h.told.take()); diff != "" {
					t.Errorf("told (-want +got):\n%s", diff)
				}
				h.observe()
				h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonOperationFailed)
				h.cloud.manner = inOrder
				time.Sleep(time.Hour)
				synctest.Wait()
				h.settle()
				h.holds("b")
				if len(h.cloud.ids()) != 1 {
					t.Errorf("objects are %v", h.cloud.objects)
				}
			})
		})
	}
}

// Failures do not pile up objects: one that is not whole goes before the next is tried, while
// the one that was replaced stays.
func TestCreateBeforeDestroyFailsAgainAndAgain(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.settle()
		h.wantAfter("b")
		h.cloud.manner = halfway
		for range 10 {
			h.observe()
			_ = h.sched.Apply(t.Context(), h.r)
			synctest.Wait()
			ids := h.cloud.ids()
			if len(ids) > 2 || ids[0] != "i-1" {
				t.Fatalf("objects are %v", ids)
			}
			time.Sleep(time.Hour)
			synctest.Wait()
		}
	})
}

// A deposed object that cannot be destroyed does not keep the current one from being changed.
func TestDeposedCannotBeDestroyed(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.o.MinBackoff, h.o.MaxBackoff = time.Minute, time.Minute
		h.restart()
		h.settle()
		h.wantAfter("b")
		h.step()
		h.cloud.manner = refused
		h.step()
		h.holds("b", "a")
		if o := h.observe(); o.UpToDate() || !o.Last.Failed() {
			t.Errorf("after the delete has failed: %+v", o)
		}
		h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonOperationFailed)
		h.cloud.manner = inOrder
		h.cloud.objects["i-2"] = object{"b", 7}
		h.step()
		if got := h.cloud.objects["i-2"].size; got != 1 {
			t.Errorf("the size is %d", got)
		}
		h.holds("b", "a")
		time.Sleep(time.Minute)
		synctest.Wait()
		h.settle()
		h.holds("b")
	})
}

// It was destroyed from outside already.
func TestDeposedIsGone(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.settle()
		h.wantAfter("b")
		h.step()
		h.cloud.remove("i-1")
		applies := h.cloud.applies
		h.step()
		h.holds("b")
		if h.cloud.applies != applies {
			t.Error("the provider was asked to destroy what is gone")
		}
	})
}

// The new object is gone before the old one is: that one is the resource's again.
func TestDeposedTakesItsPlaceAgain(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.settle()
		h.wantAfter("b")
		h.step()
		h.observe() // what the create left
		h.cloud.remove("i-2")
		o := h.observe()
		if idOf(o.Instance) != "i-1" || o.Plan.Action != terraform.CreateThenDelete {
			t.Errorf("it is %q, to be %s", idOf(o.Instance), o.Plan.Action)
		}
		h.holds("a")
		h.want("a", 1) // and if it is wanted again, nothing need be done
		if o := h.observe(); !o.UpToDate() {
			t.Errorf("plan is %s", o.Plan.Action)
		}
	})
}

func TestDeposedKept(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.settle()
		h.wantAfter("b")
		h.step()
		h.r.Policies.Delete = false
		h.observe()
		h.refuses(h.sched.Apply(t.Context(), h.r), decision.ReasonReplaceRefused)
		h.r.Policies.Delete = true
		h.settle()
		h.holds("b")
	})
}

// Deleting the resource destroys all its objects, though one by one.
func TestDeleteWithDeposed(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.settle()
		h.wantAfter("b")
		h.step()
		h.r.Config, h.r.ConfigHash = nil, ""
		for range 2 {
			if !h.observe().Exists() {
				t.Fatal("nothing exists")
			}
			if err := h.sched.Delete(context.Background(), h.r); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		if o := h.observe(); o.Exists() || len(o.Instance.Deposed) > 0 {
			t.Errorf("in the end: %+v", o)
		}
		if ids := h.cloud.ids(); len(ids) > 0 {
			t.Errorf("objects are %v", ids)
		}
	})
}

// What is looked for after an interrupted create, and is the object that made way for it, says
// nothing of that create.
func TestRecoverTellsOldFromNew(t *testing.T) {
	byID := &terraform.ImportTarget{ID: "i-1", Identity: cty.NilVal}
	cases := map[string]struct {
		kind    identityKind
		request func(h *harness)
		reason  scheduler.Reason
		current string
	}{
		"annotation of the old one": {
			kind: noIdentity, request: func(h *harness) { h.r.Known = &desired.KnownObject{Target: *byID} },
			reason: decision.ReasonCreateOutcomeUnknown,
		},
		"import of the old one": {
			kind: noIdentity, request: func(h *harness) { h.r.Import.Target = byID },
			reason: decision.ReasonCreateOutcomeUnknown,
		},
		"confirmed that there is none": {
			kind: noIdentity, request: func(h *harness) { h.r.ConfirmCreate = h.stored().Instance.Operation.ID }, current: "a",
		},
		// The name stays, and the identity with it.
		"identity of the old one": {kind: derivable, current: "a"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, tc.kind, func(h *harness) {
				h.settle()
				h.r.Asked.Taint = "1"
				h.r.Config.CreateBeforeDestroy, h.r.ConfigHash = true, "first create"
				h.cloud.manner = silentUndone
				h.step()
				h.holds("", "a")
				if tc.request != nil {
					tc.request(h)
				}
				if tc.reason != "" {
					h.observeRefused(tc.reason)
					h.holds("", "a")
					return
				}
				h.observe()
				h.holds(tc.current)
			})
		})
	}
}

// The plan of a replacement that creates first is made anew when it begins, and may fail then.
func TestCreateBeforeDestroyCannotBePlanned(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.settle()
		h.wantAfter("b")
		h.observe()
		h.cloud.fail["plan"] = diagnostic.Errorf("Broken", "It is.")
		writes := h.store.writes
		h.apply()
		synctest.Wait()
		if h.store.writes != writes {
			t.Error("something was written")
		}
		h.holds("a")
	})
}

// A replaced object is destroyed from outside, and its replacement has the same identity. After
// the interrupted create it is the replacement that is found, not the replaced object.
func TestReplacementWithSameIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := newJournalTest(t, plannedIdentity)
		defer j.end()
		j.before = true
		j.reconcile()
		j.taints++
		j.cloud.manner = silentUndone
		j.reconcile()
		j.destroy(nil)
		j.cloud.manner = late
		j.reconcile()
		j.restart()
		j.cloud.appear()
		j.cloud.manner, j.before = inOrder, false
		for range 6 {
			j.generation++
			j.reconcile()
			j.checkNow(t)
		}
		rec, _ := j.stored()
		if ids := j.cloud.ids(); len(ids) != 1 || ids[0] != idOf(rec.Instance) || len(rec.Instance.Deposed) > 0 {
			t.Errorf("there are %v, and stored is %q with %d deposed objects", j.cloud.objects, idOf(rec.Instance), len(rec.Instance.Deposed))
		}
	})
}
