package brake_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
)

var (
	start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	prod  = brake.Scope{Provider: "aws", Account: "prod"}
)

// later is long after the start, so that what was destroyed before is known.
func later(seconds int) time.Time { return start.Add(time.Hour + time.Duration(seconds)*time.Second) }

func destroy(n int, limit int) brake.Destroy {
	return brake.Destroy{ID: types.UID(fmt.Sprint(n)), Scope: prod, Namespace: "team", Kind: "Bucket", Limit: brake.Limit{Destroys: limit}}
}

// run has destroys begin until one is refused, and returns how many have.
func run(b *brake.Brake, now time.Time, from, n int, change func(*brake.Destroy)) (begun int, refused *brake.Refusal) {
	for i := from; i < from+n; i++ {
		d := destroy(i, 20)
		if change != nil {
			change(&d)
		}
		if refused = b.Reserve(now, d); refused != nil {
			return begun, refused
		}
		b.Begin(now, d.ID)
		begun++
	}
	return begun, nil
}

// in has destroys be of a namespace.
func in(namespace string) func(*brake.Destroy) {
	return func(d *brake.Destroy) { d.Namespace = namespace }
}

// holds returns why the brake holds the destroys of a namespace.
func holds(b *brake.Brake, namespace string) *brake.Refusal {
	d := destroy(0, 20)
	d.Namespace = namespace
	return b.Holds(d)
}

func TestBrake(t *testing.T) {
	// started returns a Brake that knows what was destroyed before.
	started := func() *brake.Brake {
		b := &brake.Brake{}
		b.Reserve(start, brake.Destroy{ID: "first", Scope: prod})
		return b
	}
	for name, test := range map[string]func(t *testing.T, b *brake.Brake){
		"below the limit": func(t *testing.T, b *brake.Brake) {
			if n, _ := run(b, later(0), 0, 20, nil); n != 20 {
				t.Error(n)
			}
		},
		"above the limit": func(t *testing.T, b *brake.Brake) {
			n, refused := run(b, later(0), 0, 21, nil)
			if n != 20 || refused == nil || !strings.Contains(refused.Text, "20 objects were destroyed within a minute") || !refused.Until.IsZero() {
				t.Error(n, refused)
			}
		},
		"one that begins twice counts": func(t *testing.T, b *brake.Brake) {
			run(b, later(0), 0, 20, nil)
			b.Begin(later(1), "19")
			if _, refused := run(b, later(2), 20, 1, nil); refused == nil {
				t.Error("it does not count")
			}
		},
		"it is no limit of a rate": func(t *testing.T, b *brake.Brake) {
			run(b, later(0), 0, 21, nil)
			if n, refused := run(b, later(600), 20, 1, nil); refused == nil {
				t.Error(n)
			}
		},
		"the next minute": func(t *testing.T, b *brake.Brake) {
			run(b, later(0), 0, 20, nil)
			if _, refused := run(b, later(59), 20, 1, nil); refused == nil {
				t.Error("within the minute")
			}
			b.Withdraw("20")
			if n, _ := run(b, later(60), 21, 20, nil); n != 20 {
				t.Error(n)
			}
		},
		"what does not begin does not count": func(t *testing.T, b *brake.Brake) {
			for i := range 100 {
				if b.Reserve(later(0), destroy(i, 20)) != nil {
					t.Fatal(i)
				}
				b.Cancel(types.UID(fmt.Sprint(i)))
			}
		},
		"what waits for its turn counts": func(t *testing.T, b *brake.Brake) {
			for i := range 20 {
				b.Reserve(later(0), destroy(i, 20))
			}
			if b.Reserve(later(600), destroy(20, 20)) == nil {
				t.Error("more than the limit")
			}
		},
		"one that is tried again counts once": func(t *testing.T, b *brake.Brake) {
			for range 100 {
				if n, _ := run(b, later(0), 0, 1, nil); n != 1 {
					t.Fatal(n)
				}
			}
		},
		"another account": func(t *testing.T, b *brake.Brake) {
			run(b, later(0), 0, 21, nil)
			if n, _ := run(b, later(0), 100, 20, func(d *brake.Destroy) { d.Scope.Account = "dev" }); n != 20 {
				t.Error(n)
			}
		},
		"a namespace holds its own rest, and not the few of others": func(t *testing.T, b *brake.Brake) {
			n, refused := run(b, later(0), 0, 100, in("mallory"))
			if n != 20 || refused.Namespace != "mallory" {
				t.Error(n, refused)
			}
			if n, refused := run(b, later(1), 100, 9, in("victim")); n != 9 {
				t.Error(n, refused)
			}
			if _, refused := run(b, later(2), 50, 1, in("mallory")); refused == nil {
				t.Error("what is held begins")
			}
		},
		"many namespaces at once": func(t *testing.T, b *brake.Brake) {
			n := 0
			for i := range 20 {
				begun, _ := run(b, later(0), 10*i, 5, in(fmt.Sprint("team-", i)))
				n += begun
			}
			if refused := holds(b, "another"); n != 20 || refused == nil || refused.Namespace != "" ||
				!strings.Contains(refused.Text, "20 objects of several namespaces") {
				t.Error(n, refused)
			}
		},
		"one that is held does not have the others wait with it": func(t *testing.T, b *brake.Brake) {
			run(b, later(0), 0, 21, in("mallory"))
			run(b, later(0), 30, 11, in("victim")) // the eleventh one is that of several namespaces
			if refused := holds(b, "another"); refused == nil {
				t.Fatal("the account is not held")
			}
			if b.Withdraw("40"); holds(b, "another") != nil || holds(b, "mallory") == nil {
				t.Error(holds(b, "another"), holds(b, "mallory"))
			}
		},
		"a limit of a namespace": func(t *testing.T, b *brake.Brake) {
			own := func(d *brake.Destroy) { d.Namespace, d.Own, d.Limit.Destroys = "tests", true, 1000 }
			if n, refused := run(b, later(0), 0, 500, own); n != 500 {
				t.Error(refused)
			}
			if n, refused := run(b, later(0), 1000, 20, in("team")); n != 20 {
				t.Error(refused)
			}
			if n, refused := run(b, later(0), 2000, 500, own); n != 500 {
				t.Error(refused)
			}
		},
		"a share of a kind, by one of several namespaces": func(t *testing.T, b *brake.Brake) {
			half := func(namespace string) func(*brake.Destroy) {
				return func(d *brake.Destroy) {
					d.Namespace, d.Limit = namespace, brake.Limit{Destroys: 1000, Share: 50}
					d.Others = func() int { return 39 }
				}
			}
			if n, refused := run(b, later(0), 0, 100, half("mallory")); n >= 100 || refused.Namespace != "mallory" {
				t.Error(n, refused)
			}
			if n, refused := run(b, later(0), 200, 5, half("victim")); n != 5 {
				t.Error(n, refused)
			}
		},
		"no limit": func(t *testing.T, b *brake.Brake) {
			if n, _ := run(b, later(0), 0, 1000, func(d *brake.Destroy) { d.Limit = brake.Limit{Share: 1} }); n != 1000 {
				t.Error(n)
			}
		},
		"a share of a kind": func(t *testing.T, b *brake.Brake) {
			left := 29
			n, refused := run(b, later(0), 0, 30, func(d *brake.Destroy) {
				d.Limit = brake.Limit{Destroys: 100, Share: 50}
				others := left
				d.Others = func() int { return others }
				left--
			})
			if n != 15 || refused == nil || !strings.Contains(refused.Text, "15 of 30 objects of the kind Bucket") {
				t.Error(n, refused)
			}
		},
		"a small kind": func(t *testing.T, b *brake.Brake) {
			if n, _ := run(b, later(0), 0, brake.Few, func(d *brake.Destroy) {
				d.Limit = brake.Limit{Destroys: 100, Share: 50}
				d.Others = func() int { return 0 }
			}); n != brake.Few {
				t.Error(n)
			}
		},
		"released": func(t *testing.T, b *brake.Brake) {
			run(b, later(0), 0, 21, nil)
			run(b, later(0), 21, 1, nil)
			b.Release(brake.Release{Provider: "gcp", At: later(5)})
			if holds(b, "team") == nil {
				t.Error("by the release of another provider")
			}
			b.Release(brake.Release{Provider: "aws", Account: "prod", At: later(5)})
			if n, _ := run(b, later(6), 20, 2, nil); n != 2 || holds(b, "team") != nil {
				t.Error(n, holds(b, "team"))
			}
			if _, refused := run(b, later(7), 22, 1, nil); refused == nil {
				t.Error("a later one is released, too")
			}
		},
		"deleted before the release": func(t *testing.T, b *brake.Brake) {
			run(b, later(0), 0, 21, nil)
			b.Release(brake.Release{At: later(5)})
			if n, _ := run(b, later(6), 50, 100, func(d *brake.Destroy) { d.Deleted = later(4) }); n != 100 {
				t.Error(n)
			}
			if _, refused := run(b, later(6), 200, 1, func(d *brake.Destroy) { d.Deleted = later(6) }); refused == nil {
				t.Error("one that was deleted after it")
			}
		},
		"taken back": func(t *testing.T, b *brake.Brake) {
			run(b, later(0), 0, 21, nil)
			run(b, later(0), 21, 1, nil)
			b.Withdraw("20")
			if holds(b, "team") == nil {
				t.Error("one still waits")
			}
			b.Withdraw("21")
			if holds(b, "team") != nil {
				t.Error("nothing waits any more")
			}
			if n, _ := run(b, later(120), 22, 20, nil); n != 20 {
				t.Error(n)
			}
		},
		"another process has held": func(t *testing.T, b *brake.Brake) {
			b.Restore(later(0), destroy(1000, 20), later(-10))
			if _, refused := run(b, later(0), 0, 1, nil); refused == nil {
				t.Error("it begins")
			}
		},
		"another process has held, and it was released": func(t *testing.T, b *brake.Brake) {
			b.Release(brake.Release{At: later(-5)})
			b.Restore(later(0), destroy(1000, 20), later(-10))
			if n, _ := run(b, later(0), 0, 1, nil); n != 1 {
				t.Error(n)
			}
		},
		"it moves to another account": func(t *testing.T, b *brake.Brake) {
			run(b, later(0), 0, 21, nil)
			run(b, later(0), 20, 1, func(d *brake.Destroy) { d.Scope.Account = "dev" })
			if holds(b, "team") != nil {
				t.Error("nothing waits any more")
			}
		},
	} {
		t.Run(name, func(t *testing.T) { test(t, started()) })
	}
}

// A process that starts does not know what was destroyed before: only a few begin within the first
// minute, and none is held for that.
func TestStart(t *testing.T) {
	b := &brake.Brake{}
	n, refused := run(b, start, 0, 20, nil)
	if n != brake.Few || refused == nil || !refused.Until.Equal(start.Add(brake.Window)) || holds(b, "team") != nil {
		t.Fatal(n, refused)
	}
	if n, _ := run(b, start.Add(brake.Window), 10, 20, nil); n != 20 {
		t.Error(n)
	}
}

// In no minute more destroys of a namespace begin than the limit, and of all one and a half times
// as many, whatever is reserved, begun late, cancelled, or withdrawn, unless they are released. One
// namespace alone never has those of others held, except for a minute after the start.
func TestNeverMoreThanTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(2, 5).Draw(t, "limit")
		b := &brake.Brake{}
		now := start
		begun := map[types.UID][]time.Time{}
		reserved := map[types.UID]bool{}
		released := map[types.UID]bool{} // at least once
		namespaces := []string{"a", "b", "c"}
		namespaceOf := func(d brake.Destroy) string { return namespaces[len(d.ID)*int(d.ID[len(d.ID)-1])%len(namespaces)] }
		alone := true // only "a" was let destroy anything
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "seconds")) * time.Second)
			d := destroy(rapid.IntRange(0, 12).Draw(t, "resource"), limit)
			d.Namespace = namespaceOf(d)
			switch rapid.SampledFrom([]string{"reserve", "reserve", "reserve", "begin", "begin", "cancel", "withdraw", "release"}).Draw(t, "step") {
			case "reserve":
				if !reserved[d.ID] {
					reserved[d.ID] = b.Reserve(now, d) == nil
					alone = alone && (!reserved[d.ID] || d.Namespace == "a")
				}
			case "begin":
				if reserved[d.ID] {
					b.Begin(now, d.ID)
					begun[d.ID] = append(begun[d.ID], now)
					reserved[d.ID] = false
				}
			case "cancel":
				if reserved[d.ID] {
					b.Cancel(d.ID)
					reserved[d.ID] = false
				}
			case "withdraw":
				if !reserved[d.ID] {
					b.Withdraw(d.ID)
				}
			case "release":
				if rapid.IntRange(0, 9).Draw(t, "rarely") == 0 {
					b.Release(brake.Release{At: now})
					for i := range 13 {
						released[types.UID(fmt.Sprint(i))] = true
					}
				}
			}
			if len(released) > 0 {
				continue // what was released does not count
			}
			within, all := map[string]int{}, 0
			for id, times := range begun {
				if slices.ContainsFunc(times, func(at time.Time) bool { return now.Sub(at) < brake.Window }) {
					within[namespaceOf(brake.Destroy{ID: id})]++
					all++
				}
			}
			for namespace, n := range within {
				if n > limit {
					t.Fatalf("%d destroys of %s within a minute", n, namespace)
				}
			}
			if all > limit+limit/2 {
				t.Fatalf("%d destroys within a minute", all)
			}
			if refused := holds(b, "another"); alone && refused != nil {
				t.Fatalf("one namespace alone has others held: %s", refused.Text)
			}
		}
	})
}
