package turns_test

import (
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/controller/managed/turns"
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
