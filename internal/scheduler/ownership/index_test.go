package ownership_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// resource is one of the name, made so many seconds after the first. Its UID is its name.
func resource(name string, age int) ownership.Owner {
	return ownership.Owner{
		Key: store.Key{Group: "test", Kind: "Thing", Namespace: "team", Name: name}, UID: types.UID(name),
		Created: epoch.Add(time.Duration(age) * time.Second),
	}
}

func object(identity string) ownership.Object {
	return ownership.Object{Account: "default", Type: "test_thing", Identity: identity}
}

func weak(identity string) ownership.Claim {
	return ownership.Claim{Object: object(identity), Strength: ownership.Weak}
}

func wanted(identity string) ownership.Claim {
	return ownership.Claim{Object: object(identity), Strength: ownership.Wanted}
}

func begun(identity string) ownership.Claim {
	return ownership.Claim{Object: object(identity), Strength: ownership.Begun}
}

func held(identity string) ownership.Claim {
	return ownership.Claim{Object: object(identity), Strength: ownership.Held}
}

func inherited(identity string) ownership.Claim {
	return ownership.Claim{Object: object(identity), Strength: ownership.Held, Inherited: true}
}

// through are the claims on an object through several accounts.
func through(s ownership.Strength, identity string, accounts ...string) (out []ownership.Claim) {
	for _, account := range accounts {
		out = append(out, ownership.Claim{Object: ownership.Object{Account: account, Type: "test_thing", Identity: identity}, Strength: s})
	}
	return out
}

// names are those of the resources to wake, sorted.
func names(keys []store.Key) []string {
	out := []string{}
	for _, k := range keys {
		out = append(out, k.Name)
	}
	slices.Sort(out)
	return out
}

// world is an index, and who was woken.
type world struct {
	t     *testing.T
	index ownership.Index
	by    map[string]*ownership.Claimant
	woken []string
}

func newWorld(t *testing.T) *world { return &world{t: t, by: map[string]*ownership.Claimant{}} }

func (w *world) wake(keys []store.Key) { w.woken = append(w.woken, names(keys)...) }

// claim makes the claims of a resource, which is registered if it is not.
func (w *world) claim(name string, age int, claims ...ownership.Claim) {
	c, wake := w.index.Claimant(resource(name, age))
	w.by[name] = c
	w.wake(wake)
	w.wake(c.Claim(claims...))
}

func (w *world) release(name string) { w.wake(w.index.Release(resource(name, 0).Key)) }

func (w *world) begin(name string) {
	w.t.Helper()
	if r, ok := w.by[name].Begin(); !ok {
		w.t.Fatalf("%s must not begin because of %s", name, r.Owner.Key.Name)
	}
}

// rival is the name of who comes before; empty if none does.
func (w *world) rival(name string) string {
	r, ok := w.by[name].Rival()
	if !ok {
		return ""
	}
	return r.Owner.Key.Name
}

func TestOwner(t *testing.T) {
	cases := map[string]struct {
		steps func(w *world)
		rival map[string]string // by resource; empty: none
		woken []string          // in the last step
	}{
		"older resource, claiming last": {
			steps: func(w *world) { w.claim("b", 1, held("x")); w.woken = nil; w.claim("a", 0, held("x")) },
			rival: map[string]string{"a": "", "b": "a"}, woken: []string{"b"},
		},
		"older resource, claiming first": {
			steps: func(w *world) { w.claim("a", 0, held("x")); w.claim("b", 1, held("x")) },
			rival: map[string]string{"a": "", "b": "a"},
		},
		"same age: first claim first": {
			steps: func(w *world) { w.claim("b", 0, wanted("x")); w.claim("a", 0, wanted("x")) },
			rival: map[string]string{"a": "b", "b": ""},
		},
		"same age: first claim first, despite later claims": {
			steps: func(w *world) {
				w.claim("b", 0, wanted("x"))
				w.claim("a", 0, wanted("x"))
				w.claim("b", 0, held("x"))
				w.claim("a", 0, held("x"))
			},
			rival: map[string]string{"a": "b", "b": ""},
		},
		"other objects": {
			steps: func(w *world) { w.claim("a", 0, held("x")); w.claim("b", 1, held("y")) },
			rival: map[string]string{"a": "", "b": ""},
		},
		"another account, another type": {
			steps: func(w *world) {
				w.claim("a", 0, held("x"))
				o := object("x")
				o.Account = "other"
				w.claim("b", 1, ownership.Claim{Object: o, Strength: ownership.Held})
				o = object("x")
				o.Type = "test_other"
				w.claim("c", 2, ownership.Claim{Object: o, Strength: ownership.Held})
			},
			rival: map[string]string{"a": "", "b": "", "c": ""},
		},
		"holder before an older claimant": {
			steps: func(w *world) { w.claim("b", 1, held("x")); w.claim("a", 0, wanted("x")) },
			rival: map[string]string{"a": "b", "b": ""},
		},
		"possible creator before an older claimant": {
			steps: func(w *world) { w.claim("b", 1, begun("x")); w.claim("a", 0, wanted("x")) },
			rival: map[string]string{"a": "b", "b": ""},
		},
		"holder before an older possible creator": {
			steps: func(w *world) { w.claim("a", 0, begun("x")); w.claim("b", 1, held("x")) },
			rival: map[string]string{"a": "b", "b": ""}, woken: []string{"a"},
		},
		"older of two claimants": {
			steps: func(w *world) { w.claim("b", 1, wanted("x")); w.claim("a", 0, wanted("x")) },
			rival: map[string]string{"a": "", "b": "a"}, woken: []string{"b"},
		},
		"begun before what an older one inherited": {
			steps: func(w *world) {
				w.claim("a", 0, inherited("x"))
				w.claim("b", 1, begun("x"))
			},
			rival: map[string]string{"a": "b", "b": ""}, woken: []string{"a"},
		},
		"what is inherited before what is wanted": {
			steps: func(w *world) {
				w.claim("b", 1, wanted("x"))
				w.claim("a", 2, inherited("x"))
			},
			rival: map[string]string{"a": "", "b": "a"}, woken: []string{"b"},
		},
		"an inherited object that was found": {
			steps: func(w *world) {
				w.claim("a", 0, inherited("x"))
				w.claim("b", 1, held("x"))
				w.woken = nil
				w.claim("a", 0, held("x"))
			},
			rival: map[string]string{"a": "", "b": "a"}, woken: []string{"b"},
		},
		"operation in progress before an older claimant": {
			steps: func(w *world) {
				w.claim("b", 1, wanted("x"))
				w.begin("b")
				w.claim("a", 0, held("x"))
			},
			rival: map[string]string{"a": "b", "b": ""},
		},
		"operation ended": {
			steps: func(w *world) {
				w.claim("b", 1, held("x"))
				w.begin("b")
				w.claim("a", 0, held("x"))
				w.woken = nil
				w.wake(w.by["b"].End())
			},
			rival: map[string]string{"a": "", "b": "a"}, woken: []string{"a"},
		},
		"created by the younger, then held": {
			steps: func(w *world) {
				w.claim("b", 1, wanted("x"))
				w.begin("b")
				w.claim("a", 0, wanted("x"))
				w.claim("b", 1, held("x"))
				w.woken = nil
				w.wake(w.by["b"].End())
			},
			rival: map[string]string{"a": "b", "b": ""},
		},
		"next claimant when the owner is deleted": {
			steps: func(w *world) {
				w.claim("a", 0, held("x"))
				w.claim("c", 2, held("x"))
				w.claim("b", 1, held("x"))
				w.woken = nil
				w.release("a")
			},
			rival: map[string]string{"b": "", "c": "b"}, woken: []string{"b"},
		},
		"next claimant when the owner changes its object": {
			steps: func(w *world) {
				w.claim("a", 0, held("x"))
				w.claim("b", 1, wanted("x"))
				w.woken = nil
				w.claim("a", 0, held("y"))
			},
			rival: map[string]string{"a": "", "b": ""}, woken: []string{"b"},
		},
		"waiting claimant deleted": {
			steps: func(w *world) {
				w.claim("a", 0, held("x"))
				w.claim("b", 1, held("x"))
				w.claim("c", 2, held("x"))
				w.release("b")
				w.woken = nil
				w.release("a")
			},
			rival: map[string]string{"c": ""}, woken: []string{"c"},
		},
		"one of two objects is owned": {
			steps: func(w *world) { w.claim("b", 1, held("y")); w.claim("a", 0, held("x"), wanted("y")) },
			rival: map[string]string{"a": "b", "b": ""},
		},
		"recreated resource with the same name": {
			steps: func(w *world) {
				w.claim("a", 0, held("x"))
				w.claim("b", 1, held("x"))
				w.woken = nil
				again := resource("a", 2)
				again.UID = "later"
				c, wake := w.index.Claimant(again)
				w.by["a"] = c
				w.wake(wake)
				w.woken = append(w.woken, names(c.Claim(held("x")))...)
			},
			rival: map[string]string{"a": "b", "b": ""}, woken: []string{"b"},
		},
		"deleted while its operation is in progress": {
			steps: func(w *world) {
				w.claim("a", 0, held("x"))
				w.begin("a")
				w.claim("b", 1, held("x"))
				w.release("a")
				if w.rival("b") != "a" {
					w.t.Error("b does not wait for the operation's end")
				}
				w.woken = nil
				w.wake(w.by["a"].End())
			},
			rival: map[string]string{"b": ""}, woken: []string{"b"},
		},
		"weak claims do not conflict": {
			steps: func(w *world) {
				for i, name := range []string{"c", "b", "a"} {
					w.claim(name, i, weak("none"))
					w.begin(name)
				}
			},
			rival: map[string]string{"a": "", "b": "", "c": ""},
		},
		"weak claim before a claimant": {
			steps: func(w *world) { w.claim("b", 1, weak("x")); w.claim("a", 0, wanted("x")) },
			rival: map[string]string{"a": "b", "b": ""},
		},
		"weak claim after a holder": {
			steps: func(w *world) { w.claim("a", 0, weak("x")); w.claim("b", 1, held("x")) },
			rival: map[string]string{"a": "", "b": ""},
		},
		"weak claim after a creator": {
			steps: func(w *world) { w.claim("b", 1, wanted("x")); w.begin("b"); w.claim("a", 0, weak("x")) },
			rival: map[string]string{"a": "", "b": ""},
		},
		"a weak claim that ends": {
			steps: func(w *world) {
				w.claim("b", 1, weak("x"))
				w.claim("a", 0, wanted("x"))
				w.woken = nil
				w.release("b")
			},
			rival: map[string]string{"a": ""}, woken: []string{"a"},
		},
		"the same account by two configurations": {
			steps: func(w *world) {
				w.claim("a", 0, through(ownership.Held, "x", "one", "account")...)
				w.claim("b", 1, through(ownership.Held, "x", "other", "account")...)
				w.claim("c", 2, through(ownership.Held, "x", "third", "another account")...)
			},
			rival: map[string]string{"a": "", "b": "a", "c": ""},
		},
		"same age, and an account that changes": {
			steps: func(w *world) {
				w.claim("b", 0, through(ownership.Wanted, "x", "one", "before")...)
				w.claim("a", 0, through(ownership.Wanted, "x", "one", "after")...)
				w.woken = nil
				w.claim("b", 0, through(ownership.Wanted, "x", "one", "after")...)
			},
			rival: map[string]string{"a": "b", "b": ""}, woken: []string{"a"},
		},
		"weak and strong claims on one object": {
			steps: func(w *world) { w.claim("a", 0, weak("x"), held("x")); w.claim("b", 1, wanted("x")) },
			rival: map[string]string{"a": "", "b": "a"},
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			tc.steps(w)
			for name, want := range tc.rival {
				if got := w.rival(name); got != want {
					t.Errorf("before %s comes %q, want %q", name, got, want)
				}
				if _, ok := w.by[name].Begin(); ok != (want == "") {
					t.Errorf("%s may begin: %t", name, ok)
				}
			}
			if diff := cmp.Diff(tc.woken, w.woken); tc.woken != nil && diff != "" {
				t.Errorf("who is woken (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRival(t *testing.T) {
	w := newWorld(t)
	w.claim("a", 0, held("x"))
	w.claim("b", 1, held("y"))
	w.claim("c", 2, wanted("y"), held("x"))
	got, ok := w.by["c"].Rival()
	want := ownership.Rival{Owner: resource("a", 0), Claim: held("x"), Holds: true}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("what is held comes first (-want +got):\n%s", diff)
	}
}

func TestAlone(t *testing.T) {
	w := newWorld(t)
	w.claim("a", 0, weak("none"))
	if !w.by["a"].Alone(object("none")) || !w.by["a"].Alone(object("other")) {
		t.Error("a is alone")
	}
	w.claim("b", 1, weak("none"))
	if w.by["a"].Alone(object("none")) || w.by["b"].Alone(object("none")) {
		t.Error("two have the same")
	}
	w.release("b")
	w.claim("b", 1, wanted("other"))
	if !w.by["a"].Alone(object("none")) || w.by["a"].Alone(object("other")) {
		t.Error("what others claim is not noticed")
	}
}

func TestHas(t *testing.T) {
	w := newWorld(t)
	w.claim("a", 0, weak("w"), wanted("x"), begun("y"), held("z"))
	for identity, want := range map[string]bool{"w": false, "x": false, "y": true, "z": true, "other": false} {
		if got := w.by["a"].Has(object(identity)); got != want {
			t.Errorf("%s: %t", identity, got)
		}
	}
}

// Whatever happens in whatever order: at most one may write to an object, one may unless weak
// claims keep it from that, and the one that may is woken.
func TestProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x ownership.Index
		all := []string{"a", "b", "c", "d", "e"}
		ages := map[string]int{}
		for _, name := range all {
			ages[name] = rapid.IntRange(0, 2).Draw(t, "age of "+name)
		}
		by := map[string]*ownership.Claimant{}
		claims := map[string][]ownership.Claim{}
		busy := map[string]bool{}
		refused := map[string]bool{}
		for step := range rapid.IntRange(1, 40).Draw(t, "steps") {
			name := rapid.SampledFrom(all).Draw(t, "who")
			var woken []string
			switch rapid.SampledFrom([]string{"claim", "claim", "release", "begin", "end"}).Draw(t, "what") {
			case "claim":
				var list []ownership.Claim
				for _, identity := range rapid.SliceOfN(rapid.SampledFrom([]string{"x", "y", "z"}), 0, 3).Draw(t, "objects") {
					list = append(list, ownership.Claim{
						Object:   object(identity),
						Strength: ownership.Strength(rapid.IntRange(0, int(ownership.Held)).Draw(t, "strength")),
					})
				}
				c, wake := x.Claimant(resource(name, ages[name]))
				by[name], claims[name] = c, list
				woken = append(names(wake), names(c.Claim(list...))...)
			case "release":
				if by[name] == nil || busy[name] {
					continue
				}
				woken = names(x.Release(by[name].Key))
				delete(by, name)
				delete(claims, name)
				delete(refused, name)
			case "begin":
				if by[name] == nil || busy[name] {
					continue
				}
				_, busy[name] = by[name].Begin()
			case "end":
				if !busy[name] {
					continue
				}
				woken = names(by[name].End())
				busy[name] = false
			}
			writers := map[string][]string{}
			for _, other := range all {
				if by[other] == nil {
					continue
				}
				_, rival := by[other].Rival()
				if !rival && refused[other] && other != name && !slices.Contains(woken, other) {
					t.Fatalf("step %d: %s may write now, and is not told", step, other)
				}
				refused[other] = rival
				if rival {
					continue
				}
				for _, c := range claims[other] {
					strongest := c.Strength
					for _, same := range claims[other] {
						if same.Object == c.Object {
							strongest = max(strongest, same.Strength)
						}
					}
					if strongest > ownership.Weak && !slices.Contains(writers[c.Object.Identity], other) {
						writers[c.Object.Identity] = append(writers[c.Object.Identity], other)
					}
				}
			}
			for identity, w := range writers {
				if len(w) > 1 {
					t.Fatalf("step %d: %v may all write to %s", step, w, identity)
				}
			}
		}
		// In the end nothing is left behind.
		for _, name := range all {
			if busy[name] {
				by[name].End()
			}
			x.Release(resource(name, 0).Key)
		}
		probe, _ := x.Claimant(resource("probe", 9))
		for _, identity := range []string{"x", "y", "z"} {
			if !probe.Alone(object(identity)) {
				t.Fatalf("%s is claimed still", identity)
			}
		}
	})
}

// The outcome does not depend on the order in which what is held is claimed: a restart gives
// the same owner.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var x ownership.Index
		order := rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "order")
		for _, age := range order {
			c, _ := x.Claimant(resource(fmt.Sprint("r", age), age))
			c.Claim(held("x"))
		}
		for age := range order {
			c, _ := x.Claimant(resource(fmt.Sprint("r", age), age))
			r, ok := c.Rival()
			if ok != (age > 0) || ok && r.Owner.Key.Name != "r0" {
				t.Fatalf("r%d: %v", age, r.Owner.Key.Name)
			}
		}
	})
}

// What a reconcile of an unchanged resource asks costs no memory.
func TestNoAllocations(t *testing.T) {
	w := newWorld(t)
	w.claim("a", 0, held("x"))
	w.claim("b", 1, held("x"))
	for _, name := range []string{"a", "b"} {
		c := w.by[name]
		if n := testing.AllocsPerRun(100, func() { c.Rival() }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// filled is an index with so many resources, each with an object of its own.
func filled(n int) (*ownership.Index, []*ownership.Claimant) {
	x := &ownership.Index{}
	all := make([]*ownership.Claimant, n)
	for i := range n {
		all[i], _ = x.Claimant(resource(fmt.Sprint("r", i), i))
		all[i].Claim(held(fmt.Sprintf(`{"name":"object-%d","region":"here"}`, i)))
	}
	return x, all
}

var sizes = []int{10, 10_000}

// BenchmarkRival is what every reconcile asks.
func BenchmarkRival(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			_, all := filled(n)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, ok := all[i%n].Rival(); ok {
					b.Fatal("there is a rival")
				}
			}
		})
	}
}

// BenchmarkOperation is what an operation asks.
func BenchmarkOperation(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			_, all := filled(n)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, ok := all[i%n].Begin(); !ok {
					b.Fatal("there is a rival")
				}
				all[i%n].End()
			}
		})
	}
}

// BenchmarkClaim is a resource that comes and goes.
func BenchmarkClaim(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x, _ := filled(n)
			r, claim := resource("new", n), held(`{"name":"object-new","region":"here"}`)
			b.ReportAllocs()
			for b.Loop() {
				c, _ := x.Claimant(r)
				c.Claim(claim)
				x.Release(r.Key)
			}
		})
	}
}

// BenchmarkSameWeak is a resource of a type whose ids are all the same.
func BenchmarkSameWeak(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			x := &ownership.Index{}
			for i := range n {
				c, _ := x.Claimant(resource(fmt.Sprint("r", i), i))
				c.Claim(weak("none"))
			}
			r, claim := resource("new", n), weak("none")
			b.ReportAllocs()
			for b.Loop() {
				c, _ := x.Claimant(r)
				c.Claim(claim)
				x.Release(r.Key)
			}
		})
	}
}

// Many claims of a resource, which are found by maps, have the same results.
func TestManyClaims(t *testing.T) {
	defer ownership.SetManyClaims(-1)()
	t.Run("owner", TestOwner)
	t.Run("rival", TestRival)
	t.Run("properties", TestProperties)
	t.Run("order", TestOrder)
}
