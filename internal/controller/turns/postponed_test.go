package turns_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// requests are the requests that were queued.
type requests []string

// Add implements turns.Queue.
func (r *requests) Add(req reconcile.Request) { *r = append(*r, req.Name) }

// Len implements turns.Queue.
func (r *requests) Len() int { return len(*r) }

// Looks wait while records are listed, and are queued once afterwards.
func TestPostponed(t *testing.T) {
	t.Parallel()
	p, q := newTurns(1), &requests{}
	p.Use(q)
	waits := func(name string) bool {
		if enter(p, configRef("a"), request(name)) {
			leave(p, request(name))
			return false
		}
		return true
	}
	if waits("early") {
		t.Error("a look waits although nothing is listed")
	}
	p.Begin()
	for _, name := range []string{"a", "b"} {
		if !waits(name) {
			t.Errorf("%s does not wait", name)
		}
	}
	p.RecordsListed()
	p.RecordsListed()
	if waits("late") {
		t.Error("a look waits although all records were listed")
	}
	if diff := cmp.Diff(requests{"a", "b"}, *q); diff != "" {
		t.Errorf("queued (-want +got):\n%s", diff)
	}
}
