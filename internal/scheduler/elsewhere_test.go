package scheduler_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zclconf/go-cty/cty"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// others are the records of other shards, in the same store.
type others struct {
	*memory
	// observing are the resources that only observe their objects.
	observing map[store.Key]bool
	fails     error
	// of is the schema of their kind, if that is known, and consists are those of the modules.
	of       *schema.Resource
	consists map[store.Key]scheduler.Consists
	// asked is for how many objects records were asked.
	asked int
	// meanwhile is called before the records are listed.
	meanwhile func()
}

func (o *others) Naming(_ context.Context, n store.Named, some func([]store.Key)) error {
	if o.meanwhile != nil {
		o.meanwhile()
	}
	o.mu.Lock()
	o.asked += len(n.Objects)
	var keys []store.Key
	for k, r := range o.records {
		kind := runtimeschema.GroupKind{Group: k.Group, Kind: k.Kind}
		unlabelled := r.objects.By == "" && slices.Contains(n.Kinds, kind)
		if unlabelled || slices.ContainsFunc(r.objects.Hashes, func(hash string) bool { return slices.Contains(n.Objects, hash) }) {
			keys = append(keys, k)
		}
	}
	o.mu.Unlock()
	some(keys)
	return o.fails
}

// moduleKind is the kind of modules.
const moduleKind = "Module"

func (o *others) Having(string) []runtimeschema.GroupKind {
	return []runtimeschema.GroupKind{{Group: "test.landbridge.io", Kind: "Thing"}, {Group: "test.landbridge.io", Kind: moduleKind}}
}

func (o *others) ObjectsOf(k store.Key) (*schema.Resource, scheduler.Consists) {
	return o.of, o.consists[k]
}

func (o *others) Manages(_ context.Context, k store.Key) (bool, error) { return !o.observing[k], nil }

func (o *others) Load(ctx context.Context, k store.Key, r *schema.Resource) (store.Record, error) {
	return o.memory.Load(ctx, k, r)
}

// A resource of another shard has an object of the identity that a resource imports or makes,
// through a configuration that may be for the same account.
func TestTwinsOfOtherShards(t *testing.T) {
	type test struct {
		prefix, second string
		by             instance.Configuration
		confirm        string
		unchecked      bool
		before         func(a *harness, o *others)
		want           scheduler.Reason
	}
	declared := func(c instance.Configuration, as string) instance.Configuration {
		return with(c, func(c *instance.Configuration) { c.Declared = as })
	}
	for name, x := range map[string]test{
		"one store":                {prefix: "made-by-cloud", by: prod, want: decision.ReasonIdentityConflict},
		"two stores":               {prefix: "made-by-cloud", second: "made-by-another", by: prod},
		"nothing shows":            {by: prod, want: decision.ReasonIdentityConflict},
		"nothing shows, confirmed": {by: prod, confirm: "prod"},
		"one account, whose configuration comes to this shard": {by: dev, want: decision.ReasonIdentityConflict},
		"accounts that are declared to differ":                 {prefix: "made-by-cloud", by: declared(prod, "y")},
		"an object that is only observed": {prefix: "made-by-cloud", by: prod, before: func(a *harness, o *others) {
			o.observing[a.r.Key] = true
		}},
		"an object that is being changed": {
			prefix: "made-by-cloud", by: prod, want: decision.ReasonIdentityConflict,
			before: func(a *harness, _ *others) {
				a.cloud.manner = silentDone
				a.want("x", 2)
				a.observe()
				a.apply()
				synctest.Wait()
				a.cloud.manner = inOrder
			},
		},
		"created without a look":            {prefix: "made-by-cloud", by: prod, unchecked: true, want: decision.ReasonIdentityConflict},
		"created without a look, confirmed": {prefix: "made-by-cloud", second: "made-by-another", by: prod, unchecked: true, confirm: "prod"},
		"the records cannot be listed": {
			prefix: "made-by-cloud", by: prod, want: decision.ReasonStore, before: func(_ *harness, o *others) {
				o.fails = errUnavailable
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			newEstate(t, plannedIdentity, func(e *estate) {
				e.cloud.prefix = x.prefix
				a, b := e.resource("a", 0, "x"), e.resource("b", 1, "x")
				o := &others{memory: e.store, observing: map[store.Key]bool{}}
				a.r.Release, b.r.Release = "1.0.0", "1.0.0"
				a.through(declared(dev, map[bool]string{true: "x"}[x.by.Declared != ""]), e.cloud)
				a.settle()
				time.Sleep(time.Hour)
				if x.before != nil {
					x.before(a, o)
				}
				second := newCloud(plannedIdentity)
				if second.prefix = x.prefix; x.second != "" {
					second.prefix = x.second
				}
				b.o.Elsewhere = o
				b.restart()
				b.through(x.by, second)
				if b.r.Policies.CreateUnchecked = x.unchecked; !x.unchecked {
					b.r.Import.Target = byID(second.add(object{"x", 1}))
				}
				b.r.ConfirmAccount = x.confirm
				if got := b.tried(); got != x.want {
					t.Errorf("got %q, want %q", got, x.want)
				}
				if x.want == "" && !b.deletes() {
					t.Error("its own object is left")
				}
			})
		})
	}
}

// An object that resources of two shards have is kept when one of them is deleted.
func TestTwinsOfOtherShardsThatHaveOneObject(t *testing.T) {
	newEstate(t, plannedIdentity, func(e *estate) {
		e.cloud.prefix = "made-by-cloud"
		a, b := e.resource("a", 0, "x"), e.resource("b", 1, "x").abroad()
		o := &others{memory: e.store, observing: map[store.Key]bool{}}
		a.r.Release, b.r.Release = "1.0.0", "1.0.0"
		a.through(dev, e.cloud)
		a.settle()
		b.o.Elsewhere = o
		b.restart()
		b.through(prod, e.cloud)
		b.stores(a.stored().Instance)
		b.settle()
		if o.asked > 0 {
			t.Errorf("looks ask for %d objects", o.asked)
		}
		b.deleting()
		b.observe()
		err := b.sched.Delete(t.Context(), b.r)
		synctest.Wait()
		se := b.refuses(err, decision.ReasonIdentityConflict)
		if text := se.Error(); !strings.Contains(text,
			"a resource of another namespace name the same remote object") || strings.Contains(text, "team") {
			t.Errorf("the message is %s", text)
		}
		if got := e.cloud.ids(); len(got) != 1 {
			t.Errorf("objects %v", got)
		}
	})
}

// An object is kept when the record of another shard tells that it is not only its current object:
// one that an operation works on, a deposed one, one of several.
func TestObjectsThatAnotherShardHasAreKept(t *testing.T) {
	for name, happens := range map[string]func(t *testing.T, a *harness, o *others){
		"being changed": func(t *testing.T, a *harness, _ *others) {
			a.cloud.manner = silentDone
			a.want("x", 2)
			a.observe()
			a.apply()
			synctest.Wait()
			a.cloud.manner = inOrder
		},
		"deposed": func(t *testing.T, a *harness, _ *others) {
			a.rewrites(t, func(in *instance.Instance) {
				successor := *in
				state, names := in.State.AsValueMap(), in.Identity.AsValueMap()
				state["id"] = cty.StringVal("made-by-cloud-9")
				for name := range names {
					names[name] = cty.StringVal("y")
				}
				successor.State, successor.Identity = cty.ObjectVal(state), cty.ObjectVal(names)
				successor.Deposed = in.SetAside("0123abcd").Deposed
				*in = successor
			})
		},
		"in a module": func(t *testing.T, a *harness, o *others) {
			held := []terraform.Object{{Configuration: "", Type: "test_thing", Identity: `{"path":"/things/x"}`, Made: a.madeBy()}}
			o.consists = map[store.Key]scheduler.Consists{
				a.r.Key: func(instance.Instance) ([]terraform.Object, []terraform.Object) { return held, nil },
			}
			a.rewrites(t, func(in *instance.Instance) {
				state := in.State.AsValueMap()
				state["id"] = cty.StringVal("module")
				in.State, in.Identity = cty.ObjectVal(state), cty.NilVal
			})
			rec := a.store.records[a.r.Key]
			rec.objects.Hashes = append(rec.objects.Hashes, store.ObjectHash("test_thing", ownership.ObjectKey(held[0])))
			a.store.records[a.r.Key] = rec
		},
	} {
		t.Run(name, func(t *testing.T) {
			newEstate(t, plannedIdentity, func(e *estate) {
				e.cloud.prefix = "made-by-cloud"
				a, b := e.resource("a", 0, "x"), e.resource("b", 1, "x")
				a.r.Release, b.r.Release = "1.0.0", "1.0.0"
				a.through(dev, e.cloud)
				a.settle()
				in := a.stored().Instance
				o := &others{memory: e.store, observing: map[store.Key]bool{}}
				happens(t, a, o)
				b.o.Elsewhere = o
				b.restart()
				b.through(prod, e.cloud)
				b.stores(in)
				b.settle()
				b.deleting()
				b.observe()
				err := b.sched.Delete(t.Context(), b.r)
				synctest.Wait()
				b.refuses(err, decision.ReasonIdentityConflict)
				if got := e.cloud.ids(); len(got) != 1 {
					t.Errorf("objects %v", got)
				}
			})
		})
	}
}

// A deposed object is kept, too, if another shard has it.
func TestDeposedObjectThatAnotherShardHasIsKept(t *testing.T) {
	newEstate(t, plannedIdentity, func(e *estate) {
		e.cloud.prefix = "made-by-cloud"
		a, b := e.resource("a", 0, "x"), e.resource("b", 1, "y")
		a.r.Release, b.r.Release = "1.0.0", "1.0.0"
		a.through(dev, e.cloud)
		a.settle()
		shared := a.stored().Instance
		b.o.Elsewhere = &others{memory: e.store}
		b.restart()
		b.through(prod, e.cloud)
		b.settle()
		b.rewrites(t, func(in *instance.Instance) { in.Deposed = shared.SetAside("0123abcd").Deposed })
		b.restart()
		b.observe()
		err := b.sched.Apply(t.Context(), b.r)
		synctest.Wait()
		b.refuses(err, decision.ReasonIdentityConflict)
		if got := e.cloud.ids(); len(got) != 2 {
			t.Errorf("objects %v", got)
		}
	})
}

// rewrites changes the stored instance of a resource, as an operation would.
func (h *harness) rewrites(t *testing.T, change func(*instance.Instance)) {
	t.Helper()
	rec := h.stored()
	change(&rec.Instance)
	claiming := &ownership.Claiming{Naming: ownership.Naming{Type: h.r.Type}}
	rec.Objects = claiming.ObjectsIn(store.ObjectsBy(h.r.Release), &rec.Instance)
	if _, err := h.store.Save(t.Context(), h.r.Key, h.r.Type.Schema, rec); err != nil {
		t.Fatal(err)
	}
}

// Two shards create one object, which none has yet: the one that finds the intent of the other
// creates nothing until that is gone. If it looks for the object, it does so if the configurations
// are known to access one store.
func TestCreatesOfTwoShards(t *testing.T) {
	for name, unchecked := range map[string]bool{"without a look": true, "of one store": false} {
		t.Run(name, func(t *testing.T) { testCreatesOfTwoShards(t, unchecked) })
	}
}

func testCreatesOfTwoShards(t *testing.T, unchecked bool) {
	newEstate(t, plannedIdentity, func(e *estate) {
		e.cloud.prefix = "made-by-cloud"
		first, second := e.resource("first", 0, "y"), e.resource("second", 1, "y")
		first.through(dev, e.cloud)
		first.r.Release = "1.0.0"
		id := idOf(first.settle().Instance)
		a, b := e.resource("a", 0, "x"), e.resource("b", 1, "x")
		b.r.Release, b.r.Policies.CreateUnchecked = "1.0.0", unchecked
		b.through(prod, e.cloud)
		o := &others{memory: e.store}
		b.o.Elsewhere = o
		b.restart()
		if !unchecked {
			second.sched = b.sched
			second.through(prod, e.cloud)
			second.r.Import.Target = byID(id)
			if got := second.tried(); got != decision.ReasonIdentityConflict {
				t.Fatalf("got %q", got)
			}
		}
		o.meanwhile = func() {
			rec, ok := b.record()
			if !ok || rec.Instance.Operation == nil {
				return // that is the look before the intent
			}
			o.meanwhile = nil
			rec.Owner, rec.Version, rec.Account = a.r.UID, "", dev.Account()
			rec.Objects = (&ownership.Claiming{Naming: ownership.Naming{Type: b.r.Type}}).ObjectsIn(store.ObjectsBy("1.0.0"), &rec.Instance)
			if _, err := e.store.Save(t.Context(), a.r.Key, a.r.Type.Schema, rec); err != nil {
				t.Error(err)
			}
		}
		if got := b.tried(); got != decision.ReasonIdentityConflict {
			t.Errorf("got %q", got)
		}
		if got := e.cloud.ids(); len(got) != 1 {
			t.Errorf("objects %v", got)
		}
		rec, err := e.store.Load(t.Context(), a.r.Key, a.r.Type.Schema)
		if err == nil {
			err = e.store.Delete(t.Context(), a.r.Key, rec.Version)
		}
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		if got := b.tried(); got != "" {
			t.Errorf("got %q afterwards", got)
		}
		if got := e.cloud.ids(); len(got) != 2 {
			t.Errorf("objects %v afterwards", got)
		}
	})
}

// A module imports the object of a resource of another shard.
func TestModuleImportsObjectOfAnotherShard(t *testing.T) {
	newEstate(t, plannedIdentity, func(e *estate) {
		e.cloud.prefix = "made-by-cloud"
		a := e.resource("a", 0, "x")
		a.r.Release = "1.0.0"
		a.through(dev, e.cloud)
		a.settle()
		b, m := e.modular("b", 1, prod, a.madeBy())
		m.creates, m.imports = nil, m.creates
		m.finds.Looked, m.finds.Exists, m.finds.Made = true, true, a.madeBy()
		b.o.Elsewhere = &others{memory: e.store, of: a.r.Type.Schema}
		b.restart()
		if got := b.tried(); got != decision.ReasonIdentityConflict || m.applies > 0 {
			t.Errorf("got %q, %d applies", got, m.applies)
		}
	})
}

// An object is compared with the one of its identity that another resource has, which may be a
// deposed one, and not with its successor.
func TestTwinsThatAreDeposed(t *testing.T) {
	for _, kind := range []identityKind{plannedIdentity, noIdentity} {
		for name, elsewhere := range map[string]bool{"of this shard": false, "of another shard": true} {
			t.Run(string(kind)+" "+name, func(t *testing.T) {
				newEstate(t, kind, func(e *estate) {
					e.cloud.prefix = "made-by-cloud"
					a, b := e.resource("a", 0, "x"), e.resource("b", 1, "x")
					a.r.Release, b.r.Release = "1.0.0", "1.0.0"
					a.through(dev, e.cloud)
					a.settle()
					time.Sleep(time.Hour)
					rec, err := e.store.Load(t.Context(), a.r.Key, a.r.Type.Schema)
					if err != nil {
						t.Fatal(err)
					}
					id := ownership.StateID(rec.Instance.State)
					successor := rec.Instance
					state := successor.State.AsValueMap()
					state["id"] = cty.StringVal("made-by-cloud-9")
					successor.State = cty.ObjectVal(state)
					if kind == plannedIdentity {
						names := successor.Identity.AsValueMap()
						for name := range names {
							names[name] = cty.StringVal("y")
						}
						successor.Identity = cty.ObjectVal(names)
					}
					successor.Deposed = rec.Instance.SetAside("0123abcd").Deposed
					rec.Instance, rec.Objects = successor, store.Objects{} // may name any object
					if _, err := e.store.Save(t.Context(), a.r.Key, a.r.Type.Schema, rec); err != nil {
						t.Fatal(err)
					}
					if elsewhere {
						b.o.Elsewhere = &others{memory: e.store}
					}
					b.restart()
					if !elsewhere {
						a.sched = b.sched
						if err := a.sched.Claim(t.Context(), a.r); err != nil {
							t.Fatal(err)
						}
					}
					b.through(prod, e.cloud)
					b.r.Import.Target = byID(id)
					if got := b.tried(); got != decision.ReasonIdentityConflict {
						t.Errorf("got %q", got)
					}
				})
			})
		}
	}
}
