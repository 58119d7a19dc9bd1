package scheduler_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// estate is several resources over one cloud, one store and one scheduler.
type estate struct {
	*harness
	woken []string
	// gone are the resources that do not exist any more.
	gone map[types.UID]bool
}

func newEstate(t *testing.T, kind identityKind, f func(x *estate)) {
	t.Helper()
	bubble(t, kind, func(h *harness) {
		x := &estate{harness: h, gone: map[types.UID]bool{}}
		h.o.Wake = func(k store.Key) { x.woken = append(x.woken, k.Name) }
		h.o.Exists = func(_ context.Context, _ store.Key, uid types.UID) (bool, error) { return !x.gone[uid], nil }
		h.sched = scheduler.New(h.o)
		h.r.SpellImport = func(t terraform.ImportTarget) string {
			if t.ID != "" {
				return "id: " + t.ID
			}
			return fmt.Sprintf("identity: %#v", t.Identity)
		}
		f(x)
	})
}

// resource is one that wants an object of the name; the younger, the greater the age.
func (x *estate) resource(name string, age int, object string) *harness {
	h := *x.harness
	h.told = &events{}
	h.r.Key.Name, h.r.UID = name, types.UID(name)
	h.r.Created = time.Date(2026, 1, 1, 0, 0, age, 0, time.UTC)
	h.r.Config, h.r.ConfigHash = config(object, 1), object+"1"
	h.r.Tell = func(e scheduler.Event) { h.told.add(eventText(e)) }
	return &h
}

// restart is a new process, which is told of all resources before it works on any.
func (x *estate) again(all ...*harness) {
	x.harness.restart()
	for _, h := range all {
		h.sched = x.harness.sched
		if err := h.sched.Claim(x.t.Context(), h.r); err != nil {
			x.t.Fatal(err)
		}
	}
}

func (x *estate) takeWoken() []string {
	synctest.Wait()
	out := x.woken
	x.woken = nil
	slices.Sort(out)
	return slices.Compact(out)
}

// conflicts is the message of a resource that must not work on what belongs to another, and
// does not ask the provider anything.
func (h *harness) conflicts(owner string) {
	h.t.Helper()
	calls := len(h.log.list)
	se := h.observeRefused(decision.ReasonIdentityConflict)
	if !strings.Contains(se.Error(), "Thing team/"+owner) {
		h.t.Errorf("the owner is not named: %s", se)
	}
	if got := h.log.list[calls:]; len(got) != 0 {
		h.t.Errorf("for nothing: %v", got)
	}
	if err := h.sched.Apply(h.t.Context(), h.r); err == nil {
		h.t.Error("Apply in spite of it")
	}
}

// deleting makes the request that of a resource that is being deleted.
func (h *harness) deleting() { h.r.Deleted, h.r.Config, h.r.ConfigHash = true, nil, "" }

// deletes is the resource's deletion, up to its end. It says whether the object was destroyed.
func (h *harness) deletes() bool {
	h.t.Helper()
	applies := h.cloud.applies
	h.r.Deleted, h.r.Config, h.r.ConfigHash, h.r.Import.Target = true, nil, "", nil
	for range 3 {
		if !h.observe().Exists() {
			if err := h.sched.Forget(h.t.Context(), h.r); err != nil {
				h.t.Fatal(err)
			}
			return h.cloud.applies > applies
		}
		if err := h.sched.Delete(h.t.Context(), h.r); err != nil {
			h.t.Fatal(err)
		}
		synctest.Wait()
	}
	h.t.Fatal("it does not go")
	return false
}

func known(id string) *desired.KnownObject {
	return &desired.KnownObject{Target: *byID(id)}
}

func byID(id string) *terraform.ImportTarget {
	return &terraform.ImportTarget{ID: id, Identity: cty.NilVal}
}

// A resource that is deleted while its object belongs to another one tells, once, that the object
// stays.
func TestDeletedInConflict(t *testing.T) {
	newEstate(t, plannedIdentity, func(x *estate) {
		a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
		a.settle()
		b.stores(a.stored().Instance)
		b.observeRefused(decision.ReasonIdentityConflict)
		var left []string
		b.r.Tell = func(e scheduler.Event) { left = append(left, e.Why) }
		b.deleting()
		for range 2 {
			if b.observe().Exists() {
				t.Error("it has an object")
			}
		}
		if diff := cmp.Diff([]string{"The remote object stays, since it belongs to Thing team/a"}, left); diff != "" {
			t.Error(diff)
		}
	})
}

// Of two that are going to create the same object, the older does, and the other waits.
func TestOneCreates(t *testing.T) {
	for _, kind := range []identityKind{plannedIdentity, derivable} {
		t.Run(string(kind), func(t *testing.T) {
			newEstate(t, kind, func(x *estate) {
				a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
				b.observe()
				a.observe() // both plan a create before either is carried out
				b.refuses(b.sched.Apply(t.Context(), b.r), decision.ReasonIdentityConflict)
				b.conflicts("a")
				a.settle()
				b.conflicts("a")
				if _, ok := b.record(); ok {
					t.Error("something is stored for b")
				}
				x.takeWoken()
				if !a.deletes() {
					t.Error("a's object is left")
				}
				if woken := x.takeWoken(); !slices.Contains(woken, "b") {
					t.Errorf("woken: %v", woken)
				}
				b.settle()
				if ids := x.cloud.ids(); len(ids) != 1 {
					t.Errorf("objects: %v", ids)
				}
			})
		})
	}
}

// A resource that is observed before it is claimed, as right after a start, keeps what it wants,
// and the plan that was made.
func TestClaimAfterObserve(t *testing.T) {
	for name, isNew := range map[string]bool{"new": true, "not new": false} {
		t.Run(name, func(t *testing.T) {
			newEstate(t, plannedIdentity, func(x *estate) {
				a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
				a.r.New = isNew
				b.observe()
				a.observe()
				r := a.r
				r.Config, r.ConfigHash, r.New = nil, "", false // as managed.Reconciler claims
				if err := a.sched.Claim(t.Context(), r); err != nil {
					t.Fatal(err)
				}
				b.refuses(b.sched.Apply(t.Context(), b.r), decision.ReasonIdentityConflict)
				if err := a.sched.Apply(t.Context(), a.r); err != nil {
					t.Errorf("what was planned is not carried out: %v", err)
				}
				synctest.Wait()
				if ids := x.cloud.ids(); len(ids) != 1 {
					t.Errorf("objects: %v", ids)
				}
			})
		})
	}
}

// An object that the records of two resources name, because that of one was restored from a backup,
// is destroyed by neither, unless the other one is gone or has another object.
func TestSharedObjectIsNotDestroyed(t *testing.T) {
	for name, c := range map[string]struct {
		restarted bool
		replaced  bool
		other     func(x *estate, b *harness)
	}{
		"the other releases it":       {other: func(_ *estate, b *harness) { b.r.Policies.Delete = false; b.deletes() }},
		"after a restart":             {restarted: true, other: func(_ *estate, b *harness) { b.r.Policies.Delete = false; b.deletes() }},
		"the other is deleted, too":   {other: func(_ *estate, b *harness) { b.deletes() }},
		"the other is gone":           {other: func(x *estate, b *harness) { x.gone[b.r.UID] = true }},
		"it is replaced, not deleted": {replaced: true, other: func(_ *estate, b *harness) { b.r.Policies.Delete = false; b.deletes() }},
	} {
		t.Run(name, func(t *testing.T) {
			newEstate(t, assigned, func(x *estate) {
				b := x.resource("b", 1, "x")
				b.settle()
				a := x.resource("a", 0, "x") // the older one
				a.stores(b.stored().Instance)
				if c.restarted {
					x.again(a, b)
				}
				begins := func() error {
					a.observe()
					if c.replaced {
						return a.sched.Apply(t.Context(), a.r)
					}
					return a.sched.Delete(t.Context(), a.r)
				}
				if a.deleting(); c.replaced {
					a.r.Deleted = false
					a.want("y", 1)
				}
				if se := a.refuses(begins(), decision.ReasonIdentityConflict); !strings.Contains(se.Error(),
					"Thing team/b name the same remote object") {
					t.Errorf("the message does not name the other: %s", se)
				}
				if ids := x.cloud.ids(); len(ids) != 1 {
					t.Fatalf("objects: %v", ids)
				}
				if c.other(x, b); len(x.cloud.ids()) != 1 {
					t.Fatal("the other has destroyed it")
				}
				if err := begins(); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if ids := x.cloud.ids(); slices.Contains(ids, "i-1") {
					t.Errorf("objects: %v", ids)
				}
			})
		})
	}
}

// Who has begun is not interrupted by an older one.
func TestOneHasBegun(t *testing.T) {
	newEstate(t, plannedIdentity, func(x *estate) {
		a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
		block := make(chan struct{})
		x.cloud.block = block
		b.observe()
		b.apply()
		synctest.Wait()
		a.observeRefused(decision.ReasonIdentityConflict)
		close(block)
		synctest.Wait()
		a.conflicts("b")
		b.settle()
		x.again(a, b)
		a.observeRefused(decision.ReasonIdentityConflict)
		a.conflicts("b")
		b.settle()
		// The older is given another object.
		a.want("y", 1)
		a.settle()
		if got := x.cloud.ids(); len(got) != 2 {
			t.Errorf("objects: %v", got)
		}
	})
}

// A resource that is being deleted is not done with while another one only tries to make its
// object. Its own claim may come late, as when the records of modules are read last.
func TestDeletedWhileOneHasBegun(t *testing.T) {
	newEstate(t, plannedIdentity, func(x *estate) {
		a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
		id := idOf(a.settle().Instance)
		removed := x.cloud.objects[id]
		x.cloud.remove(id)
		x.again(b)
		a.sched = b.sched
		b.observe()
		block := make(chan struct{})
		x.cloud.block, x.cloud.manner = block, refused
		b.apply()
		synctest.Wait()
		a.deleting()
		a.observeRefused(decision.ReasonIdentityConflict)
		x.cloud.objects[id] = removed
		close(block)
		synctest.Wait()
		x.cloud.block, x.cloud.manner = nil, inOrder
		if !a.deletes() || len(x.cloud.ids()) != 0 {
			t.Errorf("objects: %v", x.cloud.ids())
		}
	})
}

// A create that fails again and again keeps its object to itself, and one whose outcome is
// unknown all the more.
func TestOneFails(t *testing.T) {
	newEstate(t, plannedIdentity, func(x *estate) {
		a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
		x.cloud.manner = refused
		a.observe()
		a.apply()
		synctest.Wait()
		b.observeRefused(decision.ReasonIdentityConflict)
		b.conflicts("a")
		a.want("y", 1)
		a.observe()
		if woken := x.takeWoken(); !slices.Contains(woken, "b") {
			t.Errorf("woken: %v", woken)
		}
		x.cloud.manner = inOrder
		b.settle()
		a.settle()
	})
	newEstate(t, plannedIdentity, func(x *estate) {
		a, b := x.resource("a", 1, "x"), x.resource("b", 0, "x")
		x.cloud.manner = silentUndone
		a.observe()
		a.apply()
		synctest.Wait()
		x.cloud.manner = inOrder
		for range 2 {
			b.observeRefused(decision.ReasonIdentityConflict) // though it is older
			b.conflicts("a")
			x.again(a, b)
		}
		a.settle()
		b.conflicted("a")
		b.conflicts("a")
	})
}

// Of two that import the same object, the older has it, whoever comes first, and as soon as
// that one is gone the other has.
func TestOneImports(t *testing.T) {
	for _, kind := range []identityKind{assigned, plannedIdentity, noIdentity} {
		t.Run(string(kind), func(t *testing.T) {
			newEstate(t, kind, func(x *estate) {
				id := x.cloud.add(object{"x", 1})
				a, b, c := x.resource("a", 0, "x"), x.resource("b", 1, "x"), x.resource("c", 2, "x")
				for _, h := range []*harness{a, b, c} {
					h.r.Import.Target = byID(id)
				}
				b.settle()
				b.want("x", 2) // it is going to be changed, and is not any more
				b.observe()
				c.observeRefused(decision.ReasonIdentityConflict)
				if kind == noIdentity {
					a.conflicts("b") // where nothing is an identity, an id only counts as not another's
					return
				}
				a.settle()
				if woken := x.takeWoken(); !slices.Contains(woken, "b") {
					t.Errorf("woken: %v", woken)
				}
				for range 2 {
					b.conflicts("a")
					c.observeRefused(decision.ReasonIdentityConflict)
					c.conflicts("a")
					x.again(c, b, a)
					c.observeRefused(decision.ReasonIdentityConflict)
				}
				// It goes, and takes nothing with it.
				if b.deletes() {
					t.Error("the object was destroyed")
				}
				if _, ok := b.record(); ok {
					t.Error("what is stored of b is left")
				}
				a.settle()
				c.conflicts("a")
				x.takeWoken()
				if err := a.sched.Forget(t.Context(), a.r); err != nil { // it leaves its object
					t.Fatal(err)
				}
				if woken := x.takeWoken(); !slices.Contains(woken, "c") {
					t.Errorf("woken: %v", woken)
				}
				c.settle()
				if got := x.cloud.ids(); !slices.Equal(got, []string{id}) || x.cloud.applies != 0 {
					t.Errorf("objects %v after %d applies", got, x.cloud.applies)
				}
			})
		})
	}
}

// An object that a resource has made cannot be imported by another one.
func TestImportOfOwned(t *testing.T) {
	cases := map[string]struct {
		kind  identityKind
		known bool // by annotation
	}{
		"an identity":                    {kind: assigned},
		"an identity, by annotation":     {kind: assigned, known: true},
		"an identity planned":            {kind: plannedIdentity},
		"no identity":                    {kind: noIdentity},
		"no identity, known by its name": {kind: noIdentity, known: true},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			newEstate(t, tc.kind, func(x *estate) {
				a, b := x.resource("a", 0, "x"), x.resource("b", 1, "y")
				a.settle()
				x.again(a, b)
				if tc.known {
					b.r.Known = known("i-1")
				} else {
					b.r.Import.Target = byID("i-1")
				}
				b.r.Generation = 2
				reason := decision.ReasonIdentityConflict
				if tc.known && tc.kind == noIdentity {
					reason = decision.ReasonImportFailed // it cannot be told from ids that many have
				}
				b.observeRefused(reason)
				b.r.Config, b.r.ConfigHash, b.r.Import.Target, b.r.Deleted = nil, "", nil, true
				if o, err := b.sched.Observe(t.Context(), b.r); err == nil && o.Exists() {
					t.Error("another's object is going to be destroyed")
				}
				if _, ok := b.record(); ok {
					t.Error("something is stored for b")
				}
				a.settle()
			})
		})
	}
}

// Objects whose identity comes from the cloud conflict with no other, and neither are those of
// another provider configuration, nor ids that all objects have.
func TestNoConflict(t *testing.T) {
	for _, kind := range []identityKind{assigned, noIdentity, constant} {
		t.Run(string(kind), func(t *testing.T) {
			newEstate(t, kind, func(x *estate) {
				a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
				a.settle()
				b.settle()
				x.again(b, a)
				b.settle()
				a.settle()
				if n := len(x.cloud.ids()); n != 2 {
					t.Errorf("%d objects", n)
				}
				if !b.deletes() || !a.deletes() {
					t.Error("an object is left")
				}
			})
		})
	}
	t.Run("another configuration", func(t *testing.T) {
		newEstate(t, plannedIdentity, func(x *estate) {
			a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
			a.settle()
			b.conflicted("a")
			b.r.Generation, b.r.ProviderConfiguration = 2, "other"
			other := newCloud(plannedIdentity)
			b.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
				return other, func() {}, nil
			}
			b.settle()
		})
	})
	t.Run("another account", func(t *testing.T) {
		newEstate(t, plannedIdentity, func(x *estate) {
			a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
			a.r.Account.Content, b.r.Account.Content = "one", "two"
			a.r.ProviderConfiguration, b.r.ProviderConfiguration = "one", "two"
			other := newCloud(plannedIdentity)
			b.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
				return other, func() {}, nil
			}
			a.settle()
			b.settle()
		})
	})
	t.Run("only observed", func(t *testing.T) {
		newEstate(t, plannedIdentity, func(x *estate) {
			id := x.cloud.add(object{"x", 1})
			a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
			a.r.Policies, a.r.Import.Target, b.r.Import.Target = desired.Policies{}, byID(id), byID(id)
			b.settle()
			a.observe()
			x.again(a, b)
			b.settle()
			a.observe()
			// Now it wants to own it.
			a.r.Policies, a.r.Generation = desired.Policies{Manage: true, Delete: true, Replace: true, ReplaceTainted: true}, 2
			a.settle()
			b.conflicts("a")
		})
	})
	t.Run("what is not to be created", func(t *testing.T) {
		newEstate(t, plannedIdentity, func(x *estate) {
			a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
			a.r.Policies.Create = false
			a.observe()
			b.settle()
		})
	})
}

// conflicted is conflicts for the first time, when it may ask for a plan.
func (h *harness) conflicted(owner string) {
	h.t.Helper()
	se := h.observeRefused(decision.ReasonIdentityConflict)
	if !strings.Contains(se.Error(), "Thing team/"+owner) {
		h.t.Errorf("the owner is not named: %s", se)
	}
}

// What a resource is going to be may be another's, which keeps it from becoming that, but not
// from being what it is.
func TestConflictOfReplacement(t *testing.T) {
	newEstate(t, plannedIdentity, func(x *estate) {
		a, b := x.resource("a", 0, "x"), x.resource("b", 1, "y")
		a.settle()
		b.settle()
		a.want("y", 1)
		o := a.observe()
		if o.Plan.Action != terraform.DeleteThenCreate || !o.Exists() {
			t.Errorf("observed: %+v", o.Plan)
		}
		a.refuses(a.sched.Apply(t.Context(), a.r), decision.ReasonIdentityConflict)
		if diff := cmp.Diff([]string{"i-1", "i-2"}, x.cloud.ids()); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
		x.takeWoken()
		b.want("z", 1)
		b.settle()
		if woken := x.takeWoken(); !slices.Contains(woken, "a") {
			t.Errorf("woken: %v", woken)
		}
		a.settle()
	})
}

// A replacement by an object of the same identity does not let go of it in between.
func TestReplacementKeepsItsIdentity(t *testing.T) {
	newEstate(t, plannedIdentity, func(x *estate) {
		a, b := x.resource("a", 1, "x"), x.resource("b", 0, "x")
		a.settle()
		b.conflicted("a")
		a.r.Asked.Taint = "1"
		x.takeWoken()
		for range 2 { // delete, create
			a.observe()
			a.apply()
			if woken := x.takeWoken(); slices.Contains(woken, "b") {
				t.Error("b is woken")
			}
			b.conflicted("a")
		}
		if o := a.settle(); o.Instance.Status != instance.Full {
			t.Errorf("a is %s", o.Instance.Status)
		}
	})
	// Neither does one whose object was destroyed from outside.
	newEstate(t, plannedIdentity, func(x *estate) {
		a, b := x.resource("a", 1, "x"), x.resource("b", 0, "x")
		a.settle()
		b.conflicted("a")
		x.cloud.remove("i-1")
		x.takeWoken()
		a.settle()
		if woken := x.takeWoken(); slices.Contains(woken, "b") {
			t.Error("b is woken")
		}
		b.conflicted("a")
	})
}

// An owner that is gone without a word does not block others for ever.
func TestOwnerGone(t *testing.T) {
	newEstate(t, plannedIdentity, func(x *estate) {
		a, b, c := x.resource("a", 0, "x"), x.resource("b", 1, "x"), x.resource("c", 2, "x")
		a.settle()
		b.conflicted("a")
		c.conflicted("a")
		x.gone["a"] = true
		x.takeWoken()
		b.observe()
		if woken := x.takeWoken(); slices.Contains(woken, "c") {
			t.Errorf("woken: %v", woken)
		}
		x.gone["b"] = true
		b.sched.Gone(b.r.Key)
		if woken := x.takeWoken(); !slices.Contains(woken, "c") {
			t.Errorf("woken: %v", woken)
		}
		c.observe()
	})
}

// An object that another resource has made is not taken because an annotation names it, and not
// destroyed.
func TestAnnotationDoesNotTakeFromHolder(t *testing.T) {
	for name, deleted := range map[string]bool{"wanted": false, "being deleted": true} {
		t.Run(name, func(t *testing.T) {
			newEstate(t, derivable, func(x *estate) {
				a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
				b.settle()
				a.r.Known = &desired.KnownObject{
					Target:    terraform.ImportTarget{Identity: a.cloud.identity("i-1", "x")},
					Recognize: func(instance.Instance) bool { return true },
				}
				if deleted {
					a.deleting()
				}
				if o, err := a.sched.Observe(t.Context(), a.r); deleted && err == nil && o.Exists() {
					t.Errorf("it has %q", idOf(o.Instance))
				} else if !deleted {
					a.refuses(err, decision.ReasonIdentityConflict)
				}
				if o, err := a.sched.Observe(t.Context(), a.r); deleted && (err != nil || o.Exists()) {
					t.Errorf("it cannot be deleted: %v, %v", o, err)
				}
				if rec, ok := a.record(); ok && rec.Instance.Exists() {
					t.Error("the object is stored for a")
				}
				x.takeWoken()
				if !b.deletes() {
					t.Error("b's object is left")
				}
				if woken := x.takeWoken(); !slices.Contains(woken, "a") {
					t.Errorf("woken: %v", woken)
				}
			})
		})
	}
}

// An object is not taken because an annotation names it while the operation runs that makes it.
// Otherwise the older resource would be its owner, and the one that made it would leave it behind
// when it is deleted.
func TestAnnotationDoesNotTakeFromCreator(t *testing.T) {
	for _, kind := range []identityKind{plannedIdentity, derivable} {
		for name, deleted := range map[string]bool{"wanted": false, "being deleted": true} {
			t.Run(string(kind)+", "+name, func(t *testing.T) {
				newEstate(t, kind, func(x *estate) {
					a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
					a.r.Known = &desired.KnownObject{
						Target:    terraform.ImportTarget{Identity: a.cloud.identity("i-1", "x")},
						Recognize: func(instance.Instance) bool { return true },
					}
					if deleted {
						a.deleting()
					}
					x.cloud.after = func() {
						if o, err := a.sched.Observe(t.Context(), a.r); err == nil && o.Exists() {
							t.Errorf("it has %q", idOf(o.Instance))
						}
						x.cloud.after = nil
					}
					b.settle()
					if !b.deletes() {
						t.Error("b's object is left")
					}
				})
			})
		}
	}
}

// abroad makes a resource one of another namespace.
func (h *harness) abroad() *harness {
	h.r.Key.Namespace = "elsewhere"
	return h
}

// observed makes a resource one that only observes what it imports.
func (h *harness) observed(id string) *harness {
	h.r.Policies, h.r.Import.Target = desired.Policies{}, byID(id)
	return h
}

// withholds checks that a resource gets nothing of an object that another namespace owns, not even
// the owner's name.
func (h *harness) withholds() {
	h.t.Helper()
	se := h.observeRefused(decision.ReasonIdentityConflict)
	if text := se.Error(); strings.Contains(text, "team") || strings.Contains(text, " a,") {
		h.t.Errorf("the owner is named: %s", text)
	}
}

// Whoever can write in one namespace gets nothing of the object of another, and never owns it.
func TestObjectsOfOtherNamespaces(t *testing.T) {
	policies := map[string]func(*harness){
		"that only observe":        func(h *harness) { h.observed("i-1") },
		"that import":              func(h *harness) { h.r.Import.Target = byID("i-1") },
		"that name it":             func(h *harness) { h.r.Known = known("i-1") },
		"that only observe a name": func(h *harness) { h.observed(""); h.r.Import.Target, h.r.Known = nil, known("i-1") },
	}
	for _, kind := range []identityKind{plannedIdentity, assigned, noIdentity} {
		for name, set := range policies {
			for age, created := range map[string]int{"older": 0, "younger": 2} {
				t.Run(fmt.Sprintf("%s/%s resources %s", kind, age, name), func(t *testing.T) {
					newEstate(t, kind, func(x *estate) {
						a, b := x.resource("a", 1, "x"), x.resource("b", created, "y").abroad()
						set(b)
						if !b.r.Policies.Manage {
							b.r.Config = nil
						}
						a.settle()
						if kind == noIdentity && b.r.Known != nil {
							b.observeRefused(decision.ReasonImportFailed) // others may have the same id
						} else {
							b.withholds()
						}
						if _, ok := b.record(); ok {
							t.Error("something is stored for b")
						}
						if b.told.list != nil {
							t.Errorf("it is told: %v", b.told.list)
						}
						a.settle() // it is not disturbed
						x.again(a, b)
						a.settle()
					})
				})
			}
		}
	}
}

// Within a namespace, a resource may observe what another one owns.
func TestObserversOfTheOwnNamespace(t *testing.T) {
	for _, kind := range []identityKind{plannedIdentity, assigned, noIdentity} {
		t.Run(string(kind), func(t *testing.T) {
			newEstate(t, kind, func(x *estate) {
				a, b := x.resource("a", 1, "x"), x.resource("b", 2, "y").observed("i-1")
				a.settle()
				if o := b.observe(); !o.Exists() {
					t.Error("it is not observed")
				}
			})
		})
	}
}

// What is observed is withheld as soon as another namespace owns it, and shown when none does.
func TestObservedObjectGetsAnOwner(t *testing.T) {
	for _, kind := range []identityKind{plannedIdentity, assigned, noIdentity} {
		t.Run(string(kind), func(t *testing.T) {
			newEstate(t, kind, func(x *estate) {
				id := x.cloud.add(object{"x", 1})
				b := x.resource("b", 0, "x").abroad().observed(id)
				b.r.Config = nil
				if o := b.observe(); !o.Exists() {
					t.Fatal("it is not observed")
				}
				a := x.resource("a", 1, "x")
				a.r.Import.Target = byID(id)
				a.settle()
				b.withholds()
				x.again(a, b)
				b.withholds()
				a.r.Policies.Delete = false
				x.gone[a.r.UID] = true
				if o := b.observe(); !o.Exists() {
					t.Error("it is not observed any more")
				}
			})
		})
	}
}

// After a start, nothing is imported or shown before the objects of all resources are known.
func TestNothingIsImportedBeforeAllIsClaimed(t *testing.T) {
	for name, set := range map[string]func(*harness){
		"only observed": func(h *harness) { h.observed("i-1") },
		"imported":      func(h *harness) { h.r.Import.Target = byID("i-1") },
		"named":         func(h *harness) { h.r.Known = known("i-1") },
	} {
		t.Run(name, func(t *testing.T) {
			newEstate(t, plannedIdentity, func(x *estate) {
				settled := false
				a, b := x.resource("a", 1, "x"), x.resource("b", 0, "y").abroad()
				set(b)
				b.r.AllClaimed = func() bool { return settled }
				a.settle()
				x.again() // a is not claimed yet
				b.observeRefused(decision.ReasonStore)
				if _, ok := b.record(); ok {
					t.Error("something is stored for b")
				}
				if err := x.harness.sched.Claim(t.Context(), a.r); err != nil {
					t.Fatal(err)
				}
				settled = true
				b.sched = x.harness.sched
				b.withholds()
			})
		})
	}
}

// Provider configurations of one account are like one configuration.
func TestOwnerPerAccount(t *testing.T) {
	tests := map[string]struct{ a, b ownership.Account }{
		"same content": {a: ownership.Account{Content: "x"}, b: ownership.Account{Content: "x", Declared: "other"}},
		"declared account": {
			a: ownership.Account{Content: "x", Declared: "production"}, b: ownership.Account{
				Content: "y", Declared: "production",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			newEstate(t, plannedIdentity, func(x *estate) {
				a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
				a.r.ProviderConfiguration, a.r.Account = "one", test.a
				b.r.ProviderConfiguration, b.r.Account = "two", test.b
				a.settle()
				b.conflicted("a")
				x.again(b, a)
				b.conflicted("a")
				a.settle()
			})
		})
	}
	t.Run("changed credentials", func(t *testing.T) {
		newEstate(t, plannedIdentity, func(x *estate) {
			a, b := x.resource("a", 0, "x"), x.resource("b", 1, "x")
			a.r.Account.Content, b.r.Account.Content = "before", "after"
			a.settle()
			b.conflicted("a")
		})
	})
}

// A create of an object that nothing identifies beforehand can have no rival, and so it need not
// wait until the objects of all resources are claimed.
func TestUnrivalled(t *testing.T) {
	for name, tc := range map[string]struct {
		kind   identityKind
		change func(h *harness)
		want   bool
	}{
		"without an identity":       {kind: noIdentity, want: true},
		"the cloud gives it":        {kind: assigned, want: true},
		"the provider plans it":     {kind: plannedIdentity},
		"it follows from arguments": {kind: derivable},
		"the configuration maps it": {kind: mapped, change: func(h *harness) { h.r.Handles = mappedHandles("Thing") }},
		"an import id is known":     {kind: noIdentity, change: func(h *harness) { h.r.NamedImport = namedImport("a") }},
		"it is to be imported": {
			kind: noIdentity, change: func(h *harness) {
				h.r.Import.Target = &terraform.ImportTarget{ID: "i-9", Identity: cty.NilVal}
			},
		},
		"its annotations name it": {kind: noIdentity, change: func(h *harness) {
			h.r.Known = &desired.KnownObject{Target: terraform.ImportTarget{ID: "i-9", Identity: cty.NilVal}}
		}},
		"it is found by listing": {kind: assigned, change: func(h *harness) {
			h.r.ListArguments = func(cty.Value) (map[string]cty.Value, string) { return nil, "" }
		}},
		"an object exists": {kind: assigned, change: func(h *harness) { h.settle(); h.want("a", 2) }},
		"a create was interrupted": {kind: assigned, change: func(h *harness) {
			h.interrupted(instance.Create, instance.Instance{})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, tc.kind, func(h *harness) {
				if tc.change != nil {
					tc.change(h)
				}
				o, err := h.sched.Observe(t.Context(), h.r)
				if got := err == nil && o.Unrivalled; got != tc.want {
					t.Errorf("unrivalled: %t, %v", got, err)
				}
			})
		})
	}
}
