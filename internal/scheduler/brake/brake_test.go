package brake_test

import (
	"fmt"
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
	return brake.Destroy{ID: types.UID(fmt.Sprint(n)), Scope: prod, Kind: "Bucket", Limit: brake.Limit{Destroys: limit}}
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
			if b.Holds(prod) == "" {
				t.Error("by the release of another provider")
			}
			b.Release(brake.Release{Provider: "aws", Account: "prod", At: later(5)})
			if n, _ := run(b, later(6), 20, 2, nil); n != 2 || b.Holds(prod) != "" {
				t.Error(n, b.Holds(prod))
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
			if b.Holds(prod) == "" {
				t.Error("one still waits")
			}
			b.Withdraw("21")
			if b.Holds(prod) != "" {
				t.Error("nothing waits any more")
			}
			if n, _ := run(b, later(120), 22, 20, nil); n != 20 {
				t.Error(n)
			}
		},
		"another process has held": func(t *testing.T, b *brake.Brake) {
			b.Restore(later(0), "x", prod, later(-10))
			if _, refused := run(b, later(0), 0, 1, nil); refused == nil {
				t.Error("it begins")
			}
		},
		"another process has held, and it was released": func(t *testing.T, b *brake.Brake) {
			b.Release(brake.Release{At: later(-5)})
			b.Restore(later(0), "x", prod, later(-10))
			if n, _ := run(b, later(0), 0, 1, nil); n != 1 {
				t.Error(n)
			}
		},
		"it moves to another account": func(t *testing.T, b *brake.Brake) {
			run(b, later(0), 0, 21, nil)
			run(b, later(0), 20, 1, func(d *brake.Destroy) { d.Scope.Account = "dev" })
			if b.Holds(prod) != "" {
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
	if n != brake.Few || refused == nil || !refused.Until.Equal(start.Add(brake.Window)) || b.Holds(prod) != "" {
		t.Fatal(n, refused)
	}
	if n, _ := run(b, start.Add(brake.Window), 10, 20, nil); n != 20 {
		t.Error(n)
	}
}

// In no minute more destroys begin than the limit, whatever is reserved, begun late, cancelled, or
// withdrawn, unless they are released.
func TestNeverMoreThanTheLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		b := &brake.Brake{}
		now := start
		begun := map[types.UID][]time.Time{}
		reserved := map[types.UID]bool{}
		released := map[types.UID]bool{} // at least once
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			now = now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "seconds")) * time.Second)
			d := destroy(rapid.IntRange(0, 12).Draw(t, "resource"), limit)
			switch rapid.SampledFrom([]string{"reserve", "reserve", "reserve", "begin", "begin", "cancel", "withdraw", "release"}).Draw(t, "step") {
			case "reserve":
				if !reserved[d.ID] {
					reserved[d.ID] = b.Reserve(now, d) == nil
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
			within := 0
			for _, times := range begun {
				for _, at := range times {
					if now.Sub(at) < brake.Window {
						within++
						break
					}
				}
			}
			if within > limit {
				t.Fatalf("%d destroys within a minute", within)
			}
		}
	})
}
