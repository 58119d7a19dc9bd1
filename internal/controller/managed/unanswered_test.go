package managed_test

import (
	"errors"
	"testing"
	"time"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
)

// A change is unanswered until a reconcile that began after it has ended without an error.
func TestUnanswered(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	u := managed.NewUnanswered(func() time.Time { return now })
	failed := errors.New("the API server is not available")
	for _, step := range []struct {
		what string
		do   func()
		want int // seconds
	}{
		{"nothing", func() {}, 0},
		{"a new resource", func() { u.Heard(request("a")) }, 1},
		{"another one", func() { u.Heard(request("b")) }, 2},
		{"the first changes again", func() { u.Heard(request("a")) }, 3},
		{"its reconcile begins", func() { u.Begin(request("a")) }, 4},
		{"it changes meanwhile", func() { u.Heard(request("a")) }, 5},
		{"the reconcile ends: the second is the oldest", func() { u.End(request("a"), nil) }, 5},
		{"the second is reconciled", func() { u.Begin(request("b")); u.End(request("b"), nil) }, 3},
		{"a reconcile fails", func() { u.Begin(request("a")); u.End(request("a"), failed) }, 4},
		{"a look at something else", func() { u.Begin(request("c")); u.End(request("c"), failed) }, 5},
		{"it is deleted", func() { u.Gone(request("a")) }, 0},
	} {
		step.do()
		now = now.Add(time.Second)
		want := time.Duration(step.want) * time.Second
		if got := u.Oldest(); got != want {
			t.Errorf("%s: %s, want %s", step.what, got, want)
		}
	}
}
