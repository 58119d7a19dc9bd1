package managed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
)

// requests are the requests that were queued.
type requests []string

// Add implements managed.Queue.
func (r *requests) Add(req reconcile.Request) { *r = append(*r, req.Name) }

// Len implements managed.Queue.
func (r *requests) Len() int { return len(*r) }

// Looks wait while records are listed, and are queued once afterwards.
func TestPostponed(t *testing.T) {
	t.Parallel()
	at := func(name string) reconcile.Request {
		return reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: name}}
	}
	p, q := managed.NewPostponed(), &requests{}
	if p.Add(at("early")) {
		t.Error("a look waits although nothing is listed")
	}
	p.Begin()
	for _, name := range []string{"a", "b"} {
		if !p.Add(at(name)) {
			t.Errorf("%s does not wait", name)
		}
	}
	p.End(q)
	p.End(q)
	if p.Add(at("late")) {
		t.Error("a look waits although all records were listed")
	}
	if diff := cmp.Diff(requests{"a", "b"}, *q); diff != "" {
		t.Errorf("queued (-want +got):\n%s", diff)
	}
}
