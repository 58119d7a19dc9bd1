package scheduler_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

func TestObserve(t *testing.T) {
	byID := func(id string) *terraform.ImportTarget {
		return &terraform.ImportTarget{ID: id, Identity: cty.NilVal}
	}
	cases := map[string]struct {
		objects []object
		request func(r *scheduler.Request)
		want    terraform.Action // empty: there is no plan
		exists  bool
		reason  scheduler.Reason
		writes  int
	}{
		"nothing stored": {want: terraform.Create},
		"imported, as wanted": {
			objects: []object{{"a", 1}}, request: func(r *scheduler.Request) { r.Import.Target = byID("i-1") },
			want: terraform.NoOp, exists: true, writes: 1,
		},
		"imported, to be changed": {
			objects: []object{{"a", 7}}, request: func(r *scheduler.Request) { r.Import.Target = byID("i-1") },
			want: terraform.Update, exists: true, writes: 1,
		},
		"imported by identity": {
			objects: []object{{"b", 1}, {"a", 1}},
			request: func(r *scheduler.Request) {
				r.Import.Target = &terraform.ImportTarget{
					Identity: cty.ObjectVal(map[string]cty.Value{
						"name": cty.StringVal("a"), "region": cty.NullVal(cty.String),
					}),
				}
			},
			want: terraform.NoOp, exists: true, writes: 1,
		},
		"imported only to be observed": {
			objects: []object{{"a", 1}}, request: func(r *scheduler.Request) { r.Import.Target, r.Config, r.ConfigHash = byID("i-1"), nil, "" },
			exists: true, writes: 1,
		},
		"object to import not found": {
			request: func(r *scheduler.Request) { r.Import.Target = byID("i-1") }, reason: decision.ReasonImportFailed,
		},
		"import that cannot be read": {
			objects: []object{{"a", 1}}, request: func(r *scheduler.Request) { r.Import.Invalid = diagnostic.Errorf("Invalid", "x") },
			reason: decision.ReasonInvalidConfiguration,
		},
		"invalid import, observe only": {
			objects: []object{{"a", 1}}, request: func(r *scheduler.Request) {
				r.Import.Invalid, r.Config, r.ConfigHash = diagnostic.Errorf("Invalid", "x"), nil, ""
			},
			reason: decision.ReasonInvalidConfiguration,
		},
		"invalid import of a known object": {
			objects: []object{{"a", 1}}, request: func(r *scheduler.Request) {
				r.Import.Invalid, r.Known = diagnostic.Errorf("Invalid", "x"), known("i-1")
			},
			want: terraform.NoOp, exists: true, writes: 1,
		},
		"invalid import of a deleted known object": {
			request: func(r *scheduler.Request) {
				r.Import.Invalid, r.Known = diagnostic.Errorf("Invalid", "x"), known("i-1")
			},
			reason: decision.ReasonInvalidConfiguration,
		},
		"import wins over what is known": {
			objects: []object{{"a", 1}}, request: func(r *scheduler.Request) { r.Import.Target, r.Known = byID("i-1"), known("i-9") },
			want: terraform.NoOp, exists: true, writes: 1,
		},
		"object to import gone, another one known since": {
			objects: []object{{"a", 1}}, request: func(r *scheduler.Request) { r.Import.Target, r.Known = byID("i-9"), known("i-1") },
			want: terraform.NoOp, exists: true, writes: 1,
		},
		"known and found": {
			objects: []object{{"a", 1}}, request: func(r *scheduler.Request) { r.Known = known("i-1") },
			want: terraform.NoOp, exists: true, writes: 1,
		},
		"known and gone": {
			request: func(r *scheduler.Request) { r.Known = known("i-1") }, want: terraform.Create,
		},
		"deleting what is known": {
			objects: []object{{"a", 1}}, request: func(r *scheduler.Request) { r.Known, r.Config, r.ConfigHash = known("i-1"), nil, "" },
			exists: true, writes: 1,
		},
		"deleting what was known": {request: func(r *scheduler.Request) { r.Known, r.Config, r.ConfigHash = known("i-1"), nil, "" }},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				for _, o := range tc.objects {
					h.cloud.add(o)
				}
				if tc.request != nil {
					tc.request(&h.r)
				}
				if tc.reason != "" {
					h.observeRefused(tc.reason)
					if h.store.writes != 0 {
						t.Errorf("%d writes for what was not found", h.store.writes)
					}
					return
				}
				o := h.observe()
				var got terraform.Action
				if o.Plan != nil {
					got = o.Plan.Action
				}
				if got != tc.want || o.Exists() != tc.exists {
					t.Errorf("got plan %q, exists %v; want %q, %v", got, o.Exists(), tc.want, tc.exists)
				}
				if o.UpToDate() != (tc.want == terraform.NoOp) {
					t.Errorf("UpToDate is %v with plan %s", o.UpToDate(), tc.want)
				}
				if h.store.writes != tc.writes {
					t.Errorf("%d writes, want %d", h.store.writes, tc.writes)
				}
				if tc.writes > 0 && h.stored().Owner != h.r.UID {
					t.Errorf("the stored owner is %q", h.stored().Owner)
				}
				if h.cloud.applies != 0 {
					t.Error("observing changed the world")
				}
				if o.Plan != nil && len(o.Warnings) != 1 {
					t.Errorf("warnings of the plan: %v", o.Warnings)
				}
			})
		})
	}
}

// What is looked for and not found is not written down, and looked for again.
func TestKnownIsLookedForUntilSomethingIsStored(t *testing.T) {
	bubble(t, noIdentity, func(h *harness) {
		h.r.Known = &desired.KnownObject{Target: terraform.ImportTarget{ID: "i-1", Identity: cty.NilVal}}
		if h.observe().Exists() {
			t.Fatal("found nothing, and took it for something")
		}
		h.cloud.add(object{"a", 1})
		if o := h.observe(); idOf(o.Instance) != "i-1" {
			t.Errorf("got %q, want i-1", idOf(o.Instance))
		}
	})
}

// The warnings of the last read are those of the observation, though nothing else has changed.
func TestWarningsOfReads(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.settle()
		before := h.observe()
		h.cloud.warns = diagnostic.Warningf("Deprecated region", "The region of the object is going away.")
		warned := h.observe()
		if len(warned.Warnings) != len(before.Warnings)+1 || !strings.Contains(warned.Warnings.String(), "Deprecated region") {
			t.Errorf("warnings: %v, before %v", warned.Warnings, before.Warnings)
		}
		if again := h.observe(); again != warned {
			t.Error("another observation, though nothing has changed")
		}
		h.r.Config, h.r.ConfigHash = nil, ""
		if o := h.observe(); !strings.Contains(o.Warnings.String(), "Deprecated region") {
			t.Errorf("warnings without a configuration: %v", o.Warnings)
		}
		h.r.Config, h.r.ConfigHash = config("a", 1), "again"
		h.cloud.warns = nil
		if o := h.observe(); strings.Contains(o.Warnings.String(), "Deprecated region") {
			t.Errorf("warnings that are over: %v", o.Warnings)
		}
	})
}

func TestObserveUnchanged(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.settle()
		first := h.observe() // the first read after an operation is planned
		writes := h.store.writes
		h.log.take()
		for range 3 {
			if again := h.observe(); again != first {
				t.Fatal("another observation, though nothing has changed")
			}
		}
		if h.store.writes != writes {
			t.Errorf("%d writes by observing what has not changed", h.store.writes-writes)
		}
		if diff := cmp.Diff([]string{"refresh", "refresh", "refresh"}, h.log.take()); diff != "" {
			t.Errorf("calls (-want +got):\n%s", diff)
		}

		h.want("a", 2)
		second := h.observe()
		if second == first || second.Plan.Action != terraform.Update {
			t.Errorf("a changed configuration was not planned: %+v", second.Plan)
		}
		if again := h.observe(); again != second {
			t.Error("another observation, though nothing has changed since")
		}
	})
}

func TestObserveDrift(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		id := idOf(h.settle().Instance)
		h.cloud.mu.Lock()
		h.cloud.objects[id] = object{"a", 5}
		h.cloud.mu.Unlock()
		if o := h.observe(); o.Plan.Action != terraform.Update || sizeOf(o.Instance.State) != 5 {
			t.Errorf("drift: plan %s of an object of size %d", o.Plan.Action, sizeOf(o.Instance.State))
		}
		if got := sizeOf(h.stored().Instance.State); got != 5 {
			t.Errorf("stored size %d, want 5", got)
		}
		h.cloud.remove(id)
		if o := h.observe(); o.Exists() || o.Plan.Action != terraform.Create {
			t.Errorf("object is gone: exists %v, plan %s", o.Exists(), o.Plan.Action)
		}
		if h.stored().Instance.Exists() {
			t.Error("an object that is gone is still stored")
		}
	})
}

// What is in memory is not used any more once another client has written.
func TestObserveConflict(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		id := idOf(h.settle().Instance)
		h.cloud.objects[id] = object{"a", 5}
		h.store.touch(h.r.Key)
		if se := h.observeRefused(decision.ReasonStore); !errors.Is(se, store.ErrConflict) {
			t.Errorf("%v does not wrap its cause", se)
		}
		if o := h.observe(); sizeOf(o.Instance.State) != 5 || o.Plan.Action != terraform.Update {
			t.Errorf("after a conflict: size %d, plan %s", sizeOf(o.Instance.State), o.Plan.Action)
		}
	})
}

func TestObserveErrors(t *testing.T) {
	broken := diagnostic.Errorf("Broken", "It is.")
	cases := map[string]struct {
		damage func(h *harness)
		reason scheduler.Reason
	}{
		"read":  {func(h *harness) { h.cloud.fail["refresh"] = broken }, decision.ReasonReadFailed},
		"plan":  {func(h *harness) { h.want("a", 2); h.cloud.fail["plan"] = broken }, decision.ReasonInvalidConfiguration},
		"store": {func(h *harness) { h.restart(); h.store.fault = func(string) fault { return unavailable } }, decision.ReasonStore},
		"provider": {func(h *harness) {
			h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) { return nil, nil, broken }
		}, decision.ReasonProviderUnavailable},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				h.settle()
				whole, acquire := h.stored(), h.r.Acquire
				tc.damage(h)
				se := h.observeRefused(tc.reason)
				if tc.reason == decision.ReasonStore {
					if !errors.Is(se, errUnavailable) {
						t.Errorf("%v does not wrap its cause", se)
					}
				} else if diff := cmp.Diff(broken, se.Diagnostics); diff != "" {
					t.Errorf("diagnostics (-want +got):\n%s", diff)
				}
				h.cloud.fail, h.store.fault, h.r.Acquire = nil, nil, acquire
				if got := h.stored(); got.Version != whole.Version {
					t.Error("a failed observation was written")
				}
				h.settle()
			})
		})
	}
}

func TestDeletingWhatWasNeverMadeNeedsNoProvider(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.r.Config, h.r.ConfigHash = nil, ""
		h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
			t.Error("a provider was asked for")
			return nil, nil, diagnostic.Errorf("Unavailable", "No provider.")
		}
		if h.observe().Exists() {
			t.Error("something exists")
		}
		if err := h.sched.Delete(t.Context(), h.r); err != nil {
			t.Error(err)
		}
		if err := h.sched.Forget(t.Context(), h.r); err != nil {
			t.Error(err)
		}
	})
}

// A resource that was restored from a backup has another uid than its state says.
func TestOwner(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.settle()
		h.restart()
		h.r.UID = "uid-2"
		h.log.take()
		if o := h.observe(); !o.Exists() || !o.UpToDate() {
			t.Errorf("the object was lost: %+v", o)
		}
		if calls := h.log.take(); !slices.Contains(calls, "refresh") {
			t.Errorf("state of another resource was taken over without reading: %v", calls)
		}
		h.want("a", 2)
		h.settle()
		if got := h.stored().Owner; got != "uid-2" {
			t.Errorf("owner is %s after a write", got)
		}
	})
}

// A process that was suspended may remember a resource that is gone, and whose name another one
// has by now: what is stored is that one's.
func TestOwnerSince(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.settle()
		h.o.Exists = func(_ context.Context, k store.Key, uid types.UID) (bool, error) {
			return k == h.r.Key && uid == "uid-1", nil
		}
		h.restart()
		owner := h.stored().Owner
		h.r.UID, h.r.Asked.Taint = "uid-0", "token"
		h.log.take()
		h.observeRefused(decision.ReasonStore)
		if calls := h.log.take(); len(calls) > 0 {
			t.Errorf("it was worked on: %v", calls)
		}
		if got := h.stored(); got.Owner != owner || got.Instance.Status != instance.Full {
			t.Errorf("stored is %+v", got)
		}
	})
}

func TestUntaint(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.cloud.manner = halfway
		h.observe()
		h.apply()
		synctest.Wait()
		h.cloud.manner = inOrder
		tainted := h.observe()
		if tainted.Instance.Status != instance.Tainted || !tainted.Plan.Action.IsReplace() ||
			tainted.Plan.Reason != terraform.ReplaceBecauseTainted {
			t.Fatalf("after half a create: status %s, plan %s (%s)", tainted.Instance.Status, tainted.Plan.Action, tainted.Plan.Reason)
		}
		h.r.Asked.Untaint = "1"
		o := h.observe()
		if o.Instance.Status != instance.Full || !o.UpToDate() {
			t.Errorf("after untaint: status %s, plan %s", o.Instance.Status, o.Plan.Action)
		}
		if got := h.stored().Instance.Status; got != instance.Full {
			t.Errorf("stored status is %s", got)
		}
		if ids := h.cloud.ids(); len(ids) != 1 || ids[0] != "i-1" {
			t.Errorf("objects are %v", ids)
		}
	})
}

// A failed read leaves an untainted object partial.
func TestUntaintUnreadable(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.cloud.manner = halfway
		h.observe()
		h.apply()
		synctest.Wait()
		h.r.Asked.Untaint = "1"
		h.cloud.fail["refresh"] = diagnostic.Errorf("Broken", "It is.")
		h.observeRefused(decision.ReasonReadFailed)
		if got := h.stored().Instance.Status; got != instance.Partial {
			t.Errorf("stored status is %s, want Partial", got)
		}
	})
}

// The record of a new resource of the same name is not removed with the old one.
func TestForgetLeavesRecordOfAnotherOwner(t *testing.T) {
	for name, restarted := range map[string]bool{"loaded before": false, "not loaded": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				h.settle()
				rec := h.stored()
				rec.Owner = "uid-2"
				if _, err := h.store.Save(t.Context(), h.r.Key, h.r.Type.Schema, rec); err != nil {
					t.Fatal(err)
				}
				if restarted {
					h.restart()
				}
				if err := h.sched.Forget(t.Context(), h.r); err != nil {
					t.Error(err)
				}
				if rec, ok := h.record(); !ok || rec.Owner != "uid-2" {
					t.Errorf("the record is stored: %t, of %q", ok, rec.Owner)
				}
			})
		})
	}
}

func TestForget(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.settle()
		h.store.fault = func(string) fault { return unavailable }
		h.refuses(h.sched.Forget(t.Context(), h.r), decision.ReasonStore)
		h.store.fault = nil

		h.want("a", 2)
		h.observe()
		h.cloud.block = make(chan struct{})
		h.apply()
		synctest.Wait()
		if err := h.sched.Forget(t.Context(), h.r); err == nil {
			t.Error("forgotten while an operation runs")
		}
		close(h.cloud.block)
		synctest.Wait()
		if err := h.sched.Forget(t.Context(), h.r); err != nil {
			t.Fatal(err)
		}
		if len(h.store.records) != 0 {
			t.Error("something is stored still")
		}
		if len(h.cloud.ids()) != 1 {
			t.Error("the object itself was touched")
		}
		if o := h.observe(); o.Exists() || o.Last != nil {
			t.Errorf("something is remembered: %+v", o)
		}
	})
}

// What an import leads to is marked as such until it was looked at again with another outcome.
func TestObserveImported(t *testing.T) {
	bubble(t, derivable, func(h *harness) {
		h.cloud.add(object{"a", 7})
		h.r.Import.Target = byID("i-1")
		first := h.observe()
		if !first.Imported || first.UpToDate() {
			t.Errorf("imported %v, up to date %v", first.Imported, first.UpToDate())
		}
		if second := h.observe(); second != first {
			t.Error("another observation, of what has not changed")
		}
		h.r.ConfigHash += "-changed"
		if third := h.observe(); third.Imported {
			t.Error("what was planned later is what the import leads to")
		}
	})
}

// TestKnownCannotBeLookedFor has nothing stored of an object, and an importer that fails in its own
// words where there is no such object: only a person can say that there is none, and is told how.
func TestKnownCannotBeLookedFor(t *testing.T) {
	for name, deleted := range map[string]bool{"wanted": false, "deleted": true} {
		t.Run(name, func(t *testing.T) {
			bubble(t, derivable, func(h *harness) {
				h.cloud.fail["import"] = diagnostic.Errorf("there is none", "status 404")
				h.r.Known = &desired.KnownObject{Target: terraform.ImportTarget{ID: "i-1", Identity: cty.NilVal}}
				if deleted {
					h.r.Config, h.r.ConfigHash, h.r.Deleted = nil, "", true
				}
				se := h.observeRefused(decision.ReasonImportFailed)
				for _, part := range []string{
					"status 404",
					"If there is none, remove the annotations crossplane.io/external-name and landbridge.io/identity",
				} {
					if !strings.Contains(se.Error(), part) {
						t.Errorf("%q is not in: %s", part, se)
					}
				}
				h.r.Known = nil
				if o := h.observe(); o.Instance.Exists() {
					t.Errorf("there is %v", o.Instance)
				}
			})
		})
	}
}

// The first read after an operation is planned: what a provider has applied may have a plan of its
// own, or an error that only planning shows. Later reads are planned only if something changed.
func TestPlanAfterOperation(t *testing.T) {
	for name, change := range map[string]func(h *harness){
		"create": func(*harness) {},
		"update": func(h *harness) {
			h.settle()
			h.observe()
			h.want("a", 2)
		},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, noIdentity, func(h *harness) {
				change(h)
				h.settle()
				h.log.take()
				for i, want := range [][]string{{"refresh", "plan"}, {"refresh"}, {"refresh"}} {
					if o := h.observe(); !o.UpToDate() {
						t.Errorf("look %d: the plan is %s", i, o.Plan.Action)
					}
					if diff := cmp.Diff(want, h.log.take()); diff != "" {
						t.Errorf("calls of look %d (-want +got):\n%s", i, diff)
					}
				}
			})
		})
	}
	bubble(t, noIdentity, func(h *harness) {
		h.settle()
		h.cloud.fail["plan"] = diagnostic.Errorf("Duplicate Set Element", "There are two.")
		for range 2 {
			h.observeRefused(decision.ReasonInvalidConfiguration)
		}
		delete(h.cloud.fail, "plan")
		if o := h.observe(); !o.UpToDate() {
			t.Errorf("the plan is %s", o.Plan.Action)
		}
	})
}
