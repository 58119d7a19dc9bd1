package slots_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/slots"
)

func TestOneOwnerDoesNotHoldAllPlaces(t *testing.T) {
	t.Parallel()
	s := slots.New(4)
	for i := range 4 {
		if _, ok := s.TryAcquire("mallory"); !ok {
			t.Fatalf("alone, it has %d slots only", i)
		}
	}
	if _, ok := s.TryAcquire("mallory"); ok {
		t.Error("it has more slots than there are")
	}
	release, ok := s.TryAcquire("victim")
	if !ok {
		t.Fatal("another owner has none")
	}
	if _, ok := s.TryAcquire("victim"); ok {
		t.Error("there is more than one beyond the number")
	}
	if _, ok := s.TryAcquire("third"); !ok {
		t.Error("a third owner has none")
	}
	if _, ok := s.TryAcquire("fourth"); ok {
		t.Error("there are more than half as many beyond the number")
	}
	release()
	release()
	if _, ok := s.TryAcquire("fourth"); !ok {
		t.Error("a slot was not given back")
	}
	if _, ok := s.TryAcquire("fifth"); ok {
		t.Error("a slot was given back twice")
	}
}

// The owner that has the fewest slots is next, and then the one that waits longest.
func TestNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := slots.New(2)
		var release []func()
		for range 2 {
			r, _ := s.TryAcquire("a")
			release = append(release, r)
		}
		r, _ := s.TryAcquire("b")
		release = append(release, r)
		order := make(chan string, 10)
		var all sync.WaitGroup
		for i, owner := range []string{"a", "a", "b", "c"} {
			all.Go(func() {
				time.Sleep(time.Duration(i) * time.Second)
				r, err := s.Acquire(slots.WithOwner(t.Context(), owner))
				if err != nil {
					t.Error(err)
					return
				}
				order <- owner
				time.Sleep(time.Minute)
				r()
			})
		}
		time.Sleep(10 * time.Second)
		for _, r := range release {
			r()
			time.Sleep(time.Second)
		}
		all.Wait()
		close(order)
		var got []string
		for owner := range order {
			got = append(got, owner)
		}
		if diff := cmp.Diff([]string{"c", "a", "b", "a"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Whatever is acquired, given up and released, there are never more slots than there may be, none
// is lost, and an owner without one gets one as long as others have no more than one each.
func TestSlots(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 6).Draw(t, "most")
		s := slots.New(most)
		held, of := []func(){}, map[string]int{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			if len(held) > 0 && rapid.Bool().Draw(t, "release") {
				held[0]()
				held = held[1:]
				continue
			}
			owner := fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "owner"))
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			release, err := s.Acquire(slots.WithOwner(ctx, owner))
			switch {
			case err == nil:
				of[owner]++
				held = append(held, func() { release(); of[owner]-- })
			case of[owner] == 0 && len(held) < most+most/2:
				t.Fatalf("%s has none, with %d of %d", owner, len(held), most)
			case len(held) < most:
				t.Fatalf("only %d of %d", len(held), most)
			}
			if len(held) > most+(most+1)/2 {
				t.Fatalf("%d of %d", len(held), most)
			}
		}
		for _, release := range held {
			release()
		}
		for i := range most {
			if _, err := s.Acquire(context.Background()); err != nil {
				t.Fatal(i, err)
			}
		}
	})
}
