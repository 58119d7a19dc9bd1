package turns_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/turns"
)

// A change is unanswered until a reconcile that began after it has ended without an error.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	u := newTurns(1)
	u.SetClock(func() time.Time { return now })
	begin := func(name string) {
		if !enter(u, configRef("a"), request(name)) {
			t.Fatalf("no worker for %s", name)
		}
	}
	end := func(name string, failed bool) { u.Done(request(name), turns.Outcome{Failed: failed}) }
	for _, step := range []struct {
		what string
		do   func()
		want int // seconds
	}{
		{"nothing", func() {}, 0},
		{"a new resource", func() { u.Hear(request("a")) }, 1},
		{"another one", func() { u.Hear(request("b")) }, 2},
		{"the first changes again", func() { u.Hear(request("a")) }, 3},
		{"its reconcile begins", func() { begin("a") }, 4},
		{"it changes meanwhile", func() { u.Hear(request("a")) }, 5},
		{"the reconcile ends: the second is the oldest", func() { end("a", false) }, 5},
		{"the second is reconciled", func() { begin("b"); end("b", false) }, 3},
		{"a reconcile fails", func() { begin("a"); end("a", true) }, 4},
		{"a look at something else", func() { begin("c"); end("c", true) }, 5},
		{"it is deleted", func() { u.Gone(request("a")) }, 0},
	} {
		step.do()
		now = now.Add(time.Second)
		want := time.Duration(step.want) * time.Second
		if got := u.OldestChange(); got != want {
			t.Errorf("%s: %s, want %s", step.what, got, want)
		}
	}
}

// A resource goes on in its lane until it is found unchanged.
func TestLaneOfReconciles(t *testing.T) {
	t.Parallel()
	periodic, first := []string{"b", "c", "a"}, []string{"b", "a", "c"}
	for name, tc := range map[string]struct {
		// does is called with the turns of a changed resource that is taken out of the queue. When
		// it returns true, the resource is queued by then.
		does func(t *testing.T, u *turns.Turns, a reconcile.Request) (queued bool)
		want []string
	}{
		"unchanged": {want: periodic, does: func(t *testing.T, u *turns.Turns, a reconcile.Request) bool {
			enter(u, configRef("x"), a)
			u.Done(a, turns.Outcome{Unchanged: true})
			return false
		}},
		"work is left": {want: first, does: func(t *testing.T, u *turns.Turns, a reconcile.Request) bool {
			enter(u, configRef("x"), a)
			u.Done(a, turns.Outcome{})
			return false
		}},
		"no worker was free": {want: first, does: func(t *testing.T, u *turns.Turns, a reconcile.Request) bool {
			other := request("other")
			enter(u, configRef("y"), other)
			leave(u, other)
			if !enter(u, configRef("x"), other) || enter(u, configRef("x"), a) {
				t.Error("a configuration does not have one of two workers")
			}
			leave(u, other)
			return true
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newTurns(2)
			q := u.NewQueue("", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
			defer q.ShutDown()
			a := request("a")
			u.Change(a)
			q.Add(a)
			q.Get()
			q.Done(a)
			// Those that are looked at periodically are queued before.
			u.Use(queued(func(req reconcile.Request) {
				q.Add(request("b"))
				q.Add(request("c"))
				q.Add(req)
			}))
			if !tc.does(t, u, a) {
				u.Queue().Add(a)
			}
			var got []string
			for q.Len() > 0 {
				req, _ := q.Get()
				got = append(got, req.Name)
				q.Done(req)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Work that is not urgent waits while many operations run, as such.
func TestNotUrgent(t *testing.T) {
	t.Parallel()
	running := 100
	u := turns.New(1, func() int { return running })
	q := u.NewQueue("", workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	u.Use(q)
	a := request("a")
	u.Create(a)
	u.Popped(a)
	if !enter(u, configRef("x"), a) {
		t.Fatal("a new resource waits")
	}
	u.Done(a, turns.Outcome{NotUrgent: true})
	u.Popped(a)
	admitted, again := u.Admit(a, func() providerconfig.Reference { return configRef("x") })
	if admitted || again != turns.ComeBackAfter {
		t.Errorf("admitted: %t, again after %s", admitted, again)
	}
	q.Add(a)
	if n := u.Unhurried(); n != 1 {
		t.Errorf("%d requests are not urgent", n)
	}
	running = 0
	if !enter(u, configRef("x"), a) {
		t.Error("it waits although no other work is left")
	}
	leave(u, a)
	if n := u.Known(); n != 0 {
		t.Errorf("something is known of %d resources", n)
	}
}
