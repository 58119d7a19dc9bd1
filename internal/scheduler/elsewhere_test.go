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
	"github.com/landbridge-io/landbridge/schema"
)

// others are the records of other shards, in the same store.
type others struct {
	*memory
	// observing are the resources that only observe their objects.
	observing map[store.Key]bool
	fails     error
	// asked is for how many objects records were asked.
	asked int
}

func (o *others) Naming(_ context.Context, n store.Named, some func([]store.Key)) error {
	o.mu.Lock()
	o.asked += len(n.Objects)
	var keys []store.Key
	for k, r := range o.records {
		kind := runtimeschema.GroupKind{Group: k.Group, Kind: k.Kind}
		if slices.Contains(n.Kinds, kind) && (slices.Contains(n.Objects, r.objects.Hash) || n.Several && r.objects.Hash == store.SeveralObjects) {
			keys = append(keys, k)
		}
	}
	o.mu.Unlock()
	some(keys)
	return o.fails
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
		b.o.Elsewhere = &others{memory: e.store}
		b.restart()
		// The kind of the other one is known.
		if err := b.sched.Claim(t.Context(), e.resource("c", 2, "y").r); err != nil {
			t.Fatal(err)
		}
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
					rec.Instance, rec.Objects.Hash = successor, store.SeveralObjects
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
