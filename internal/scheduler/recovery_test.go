package scheduler_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// TestRecoverCreate is a create whose intent is stored, and nothing else.
func TestRecoverCreate(t *testing.T) {
	cases := map[string]struct {
		kind    identityKind
		objects []object // there are, the first being i-1
		request func(h *harness)

		status     instance.Status
		id         string // of the object that is adopted; empty if a new one is to be created
		reason     scheduler.Reason
		unresolved bool     // the operation stands until there is an object
		calls      []string // those that matter
	}{
		"identity planned, found": {
			kind: plannedIdentity, objects: []object{{"b", 1}, {"a", 1}}, id: "i-2", status: instance.Tainted,
			calls: []string{"import", "save", "refresh", "plan"},
		},
		"identity planned, not found": {kind: plannedIdentity, objects: []object{{"b", 1}}, unresolved: true, calls: []string{"import", "plan"}},
		"identity derivable, found": {
			kind: derivable, objects: []object{{"a", 1}}, id: "i-1", status: instance.Tainted, calls: []string{
				"import", "save", "refresh", "plan",
			},
		},
		"identity derivable, not found": {
			kind: derivable, unresolved: true, calls: []string{"import", "plan"},
		},
		"identity planned, not found in time": {
			kind: plannedIdentity, request: func(*harness) { time.Sleep(2 * time.Hour) }, calls: []string{"import", "save", "plan"},
		},
		"identity planned, user confirms": {
			kind: plannedIdentity, request: func(h *harness) { h.r.ConfirmCreate = "op-1" }, calls: []string{"save", "plan"},
		},
		"configuration has changed since": {
			kind: derivable, objects: []object{{"a", 1}}, request: func(h *harness) { h.want("b", 1) },
			id: "i-1", status: instance.Tainted,
		},
		"resource is being deleted": {
			kind: derivable, objects: []object{{"a", 1}}, request: func(h *harness) { h.r.Config, h.r.ConfigHash = nil, "" },
			id: "i-1", status: instance.Tainted,
		},
		"identity assigned": {kind: assigned, objects: []object{{"a", 1}}, reason: decision.ReasonCreateOutcomeUnknown},
		"no identity":       {kind: noIdentity, objects: []object{{"a", 1}}, reason: decision.ReasonCreateOutcomeUnknown},
		"no identity, being deleted": {
			kind: noIdentity, request: func(h *harness) { h.r.Config, h.r.ConfigHash = nil, "" },
			reason: decision.ReasonCreateOutcomeUnknown,
		},
		// Nothing says that the create made it, so that only a person can say that it is to be
		// taken over.
		"known by id, found": {
			kind: noIdentity, objects: []object{{"a", 1}}, request: func(h *harness) { h.r.Known = known("i-1") },
			reason: decision.ReasonCreateOutcomeUnknown,
		},
		// It may have been the id of an earlier object.
		"known by id, not found": {
			kind: noIdentity, objects: []object{{"a", 1}}, request: func(h *harness) { h.r.Known = known("i-9") },
			reason: decision.ReasonCreateOutcomeUnknown,
		},
		"known by id, but the identity is certain": {
			kind: derivable, unresolved: true, request: func(h *harness) { h.r.Known = known("i-9") },
		},
		"user gives the object": {
			kind: noIdentity, objects: []object{{"a", 1}}, request: func(h *harness) { h.r.Import.Target = byID("i-1") },
			id: "i-1", status: instance.Full,
		},
		"user gives an object that is not there": {
			kind: noIdentity, objects: []object{{"a", 1}}, request: func(h *harness) { h.r.Import.Target = byID("i-9") },
			reason: decision.ReasonImportFailed,
		},
		"user gives the object while deleting": {
			kind: noIdentity, objects: []object{{"b", 1}, {"a", 1}}, request: func(h *harness) {
				h.deleting()
				h.r.Import.Target = byID("i-2")
			},
			id: "i-2", status: instance.Full, calls: []string{"import", "save", "refresh"},
		},
		"user gives a missing object while deleting": {
			kind: noIdentity, objects: []object{{"a", 1}}, request: func(h *harness) {
				h.deleting()
				h.r.Import.Target = byID("i-9")
			},
			reason: decision.ReasonImportFailed,
		},
		"user confirms": {
			kind: noIdentity, request: func(h *harness) { h.r.ConfirmCreate = "op-1" },
		},
		"user confirms another operation": {
			kind: noIdentity, request: func(h *harness) { h.r.ConfirmCreate = "op-0" },
			reason: decision.ReasonCreateOutcomeUnknown,
		},
		"user confirms while deleting": {
			kind: noIdentity, request: func(h *harness) { h.r.Config, h.r.ConfigHash, h.r.ConfirmCreate = nil, "", "op-1" },
		},
		"provider cannot look": {
			kind: derivable, objects: []object{{"a", 1}},
			request: func(h *harness) {
				h.cloud.fail["import"] = diagnostic.Errorf("Resource Import Not Implemented", "It is not.")
			},
			reason: decision.ReasonImportFailed,
		},
		"provider cannot look, user confirms": {
			kind: derivable,
			request: func(h *harness) {
				h.cloud.fail["import"] = diagnostic.Errorf("Resource Import Not Implemented", "It is not.")
				h.r.ConfirmCreate = "op-1"
			},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, tc.kind, func(h *harness) {
				for _, o := range tc.objects {
					h.cloud.add(o)
				}
				op := h.interrupted(instance.Create, instance.Instance{})
				h.log.take()
				if tc.request != nil {
					tc.request(h)
				}
				if tc.reason != "" {
					for range 2 { // it does not get better by asking again
						se := h.observeRefused(tc.reason)
						if text := se.Error(); !strings.Contains(text, "spec.import") ||
							!strings.Contains(text, "landbridge.io/confirm-create") || !strings.Contains(text, op.ID) {
							t.Errorf("the ways out are not told of: %s", text)
						}
						if err := h.sched.Apply(t.Context(), h.r); err == nil {
							t.Error("Apply with an operation of unknown outcome")
						}
						if err := h.sched.Delete(t.Context(), h.r); err == nil {
							t.Error("Delete with an operation of unknown outcome")
						}
					}
					synctest.Wait()
					if h.store.writes != 0 || h.cloud.applies != 0 {
						t.Errorf("%d writes, %d applies", h.store.writes, h.cloud.applies)
					}
					h.restart()
					h.observeRefused(tc.reason) // nor by starting again
					return
				}
				o := h.observe()
				if calls := h.log.take(); tc.calls != nil {
					if diff := cmp.Diff(tc.calls, calls); diff != "" {
						t.Errorf("order of events (-want +got):\n%s", diff)
					}
				}
				if got := idOf(o.Instance); got != tc.id || o.Instance.Status != tc.status {
					t.Errorf("got object %q, %s; want %q, %s", got, o.Instance.Status, tc.id, tc.status)
				}
				if tc.id == "" && h.r.Config != nil && o.Plan.Action != terraform.Create {
					t.Errorf("plan is %s", o.Plan.Action)
				}
				if rec := h.stored(); (rec.Instance.Operation != nil) != tc.unresolved || idOf(rec.Instance) != tc.id {
					t.Errorf("stored: %q, operation %v", idOf(rec.Instance), rec.Instance.Operation)
				}
			})
		})
	}
}

// ownedByAnother interrupts the create of a, and lets another resource own the object that
// spec.import names.
func ownedByAnother(x *estate, a *harness) {
	b := x.resource("b", 1, "x")
	b.r.Import.Target = byID("i-1")
	b.settle()
	a.interrupted(instance.Create, instance.Instance{})
}

// While a resource is being deleted, spec.import names the object of an interrupted create, which
// is then destroyed. Nothing else is imported.
func TestImportWhileDeleting(t *testing.T) {
	for name, tc := range map[string]struct {
		kind     identityKind
		prepare  func(x *estate, a *harness)
		refused  scheduler.Reason // of the observation
		message  string
		survives []string
	}{
		"an interrupted create": {
			kind: noIdentity, prepare: func(_ *estate, a *harness) { a.interrupted(instance.Create, instance.Instance{}) },
			survives: []string{"i-2"},
		},
		"an interrupted create of another identity": {
			kind: assigned, prepare: func(_ *estate, a *harness) { a.interrupted(instance.Create, instance.Instance{}) },
			survives: []string{"i-2"},
		},
		"the object of another resource": {
			kind: noIdentity, prepare: ownedByAnother,
			refused: decision.ReasonCreateOutcomeUnknown, message: "the remote object of Thing team/b", survives: []string{"i-1", "i-2"},
		},
		"the identified object of another resource": {
			kind: assigned, prepare: ownedByAnother,
			refused: decision.ReasonCreateOutcomeUnknown, message: "the remote object of Thing team/b", survives: []string{"i-1", "i-2"},
		},
		"nothing was begun": {kind: noIdentity, prepare: func(*estate, *harness) {}, survives: []string{"i-1", "i-2"}},
		"the object is gone": {
			kind: noIdentity, prepare: func(_ *estate, a *harness) { a.stores(instance.Instance{}) },
			survives: []string{"i-1", "i-2"},
		},
		"the request is invalid": {kind: noIdentity, prepare: func(_ *estate, a *harness) {
			a.r.Import.Target, a.r.Import.Invalid = nil, diagnostic.Errorf("Invalid spec.import", "It is.")
		}, survives: []string{"i-1", "i-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			newEstate(t, tc.kind, func(x *estate) {
				x.cloud.add(object{"x", 1})
				x.cloud.add(object{"x", 1})
				a := x.resource("a", 0, "x")
				a.r.Import.Target = byID("i-1")
				tc.prepare(x, a)
				a.deleting()
				if tc.refused != "" {
					for range 2 {
						se := a.observeRefused(tc.refused)
						for _, part := range []string{tc.message, "landbridge.io/confirm-create"} {
							if !strings.Contains(se.Error(), part) {
								t.Errorf("%q is not in: %s", part, se)
							}
						}
					}
					a.r.ConfirmCreate = "op-1"
				}
				for range 2 {
					if !a.observe().Exists() {
						break
					}
					if err := a.sched.Delete(t.Context(), a.r); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
				}
				if a.observe().Exists() {
					t.Error("the resource has an object still")
				}
				if diff := cmp.Diff(tc.survives, x.cloud.ids()); diff != "" {
					t.Errorf("objects (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// An interrupted update or delete leaves an object that can be read.
func TestRecoverUpdateAndDelete(t *testing.T) {
	cases := map[string]struct {
		kind   instance.OperationKind
		remote *object // what the operation left behind
		want   terraform.Action
	}{
		"update, done":     {instance.Update, &object{"a", 2}, terraform.NoOp},
		"update, not done": {instance.Update, &object{"a", 1}, terraform.Update},
		"update, gone":     {instance.Update, nil, terraform.Create},
		"delete, done":     {instance.Delete, nil, terraform.Create},
		"delete, not done": {instance.Delete, &object{"a", 1}, terraform.Update},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				id := h.cloud.add(object{"a", 1})
				prior := h.cloud.instance(id)
				h.want("a", 2)
				h.interrupted(tc.kind, prior)
				h.cloud.remove(id)
				if tc.remote != nil {
					h.cloud.objects[id] = *tc.remote
				}
				h.log.take()
				o := h.observe()
				if o.Plan.Action != tc.want {
					t.Errorf("plan is %s, want %s", o.Plan.Action, tc.want)
				}
				if h.stored().Instance.Operation != nil {
					t.Error("the operation is stored still")
				}
				h.settle()
				if ids := h.cloud.ids(); len(ids) != 1 {
					t.Errorf("objects are %v", ids)
				}
			})
		})
	}
}

// A provider that does not answer leaves this process where a crash leaves the next one.
func TestOutcomeUnknown(t *testing.T) {
	cases := map[string]struct {
		kind   identityKind
		manner manner
		reason scheduler.Reason
		want   terraform.Action
	}{
		"done, can be found":              {derivable, silentDone, "", terraform.DeleteThenCreate},
		"not done, would be found":        {plannedIdentity, silentUndone, "", terraform.Create},
		"done, cannot be found":           {noIdentity, silentDone, decision.ReasonCreateOutcomeUnknown, ""},
		"not done, would not be found":    {assigned, silentUndone, decision.ReasonCreateOutcomeUnknown, ""},
		"refused, which is an answer too": {noIdentity, refused, "", terraform.Create},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, tc.kind, func(h *harness) {
				h.cloud.manner = tc.manner
				h.observe()
				h.apply()
				synctest.Wait()
				if op := h.stored().Instance.Operation; (op != nil) != (tc.manner != refused) {
					t.Fatalf("the journal holds %+v", op)
				}
				if tc.reason != "" {
					h.observeRefused(tc.reason)
					return
				}
				o := h.observe()
				if o.Plan.Action != tc.want || !o.Last.Failed() {
					t.Errorf("plan %s, last %+v", o.Plan.Action, o.Last)
				}
				if h.cloud.manner = inOrder; tc.manner == silentUndone {
					time.Sleep(time.Minute)
					h.apply()
					synctest.Wait()
				}
				if h.stored().Instance.Operation != nil {
					t.Error("the operation is stored still")
				}
			})
		})
	}
}

// Between a crash and the recovery the provider may have got another version.
func TestRecoverAcrossSchemaVersions(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.cloud.add(object{"a", 1})
		h.interrupted(instance.Create, instance.Instance{})
		newer := *h.r.Type.Schema
		newer.Version = 2
		h.r.Type.Schema = &newer
		// What was planned cannot be read any more: whether there is an object, neither.
		h.observeRefused(decision.ReasonCreateOutcomeUnknown)
	})
}

// TestNewResourceWithRecord: a resource that looks new has a stored record nevertheless, since its
// first process died before it wrote the status.
func TestNewResourceWithRecord(t *testing.T) {
	cases := map[string]struct {
		before func(h *harness) // what the first process leaves
		ids    []string         // what it leaves in the cloud
	}{
		"with an object": {before: (*harness).apply, ids: []string{"i-1"}},
		"with an intent": {before: func(h *harness) { h.interrupted(instance.Create, instance.Instance{}) }},
		"with an intent, whose object is there": {
			before: func(h *harness) {
				h.interrupted(instance.Create, instance.Instance{})
				h.cloud.add(object{"a", 1})
			},
			ids: []string{"i-1"},
		},
	}
	for name, tc := range cases {
		for _, keep := range []bool{false, true} {
			for _, claims := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, kept %t, claimed %t", name, keep, claims), func(t *testing.T) {
					bubble(t, derivable, func(h *harness) {
						ids := tc.ids
						h.r.New = true
						h.observe()
						tc.before(h)
						synctest.Wait()
						h.restart()
						// Its successor reconciles while the provider is not there.
						acquire := h.r.Acquire
						h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
							return nil, nil, diagnostic.Errorf("Provider unavailable", "It is not there.")
						}
						h.observeRefused(decision.ReasonProviderUnavailable)
						h.r.New = false // it has a status now
						if claims {
							if err := h.sched.Claim(t.Context(), h.r); err != nil {
								t.Fatal(err)
							}
						}
						// The user deletes it, and the provider comes.
						h.r.Deleted, h.r.Config, h.r.ConfigHash, h.r.Policies.Delete = true, nil, "", !keep
						if !keep {
							h.observeRefused(decision.ReasonProviderUnavailable)
							h.r.Acquire = acquire
							for h.deletesAny() {
								synctest.Wait()
								time.Sleep(2 * time.Hour)
							}
							ids = nil
						}
						if err := h.sched.Forget(t.Context(), h.r); err != nil {
							t.Fatal(err)
						}
						if diff := cmp.Diff(ids, h.cloud.ids()); diff != "" {
							t.Errorf("objects (-want +got):\n%s", diff)
						}
						if rec, stored := h.record(); stored {
							t.Errorf("stored is %+v", rec)
						}
					})
				})
			}
		}
	}
}

// deletesAny observes and deletes, and reports whether there is anything to delete.
func (h *harness) deletesAny() bool {
	h.t.Helper()
	o, err := h.sched.Observe(h.t.Context(), h.r)
	if err != nil {
		h.refuses(err, decision.ReasonCreateOutcomeUnknown) // it may still appear
		return true
	}
	if !o.Exists() {
		return false
	}
	if err := h.sched.Delete(h.t.Context(), h.r); err != nil {
		h.t.Fatal(err)
	}
	return true
}
