package managed_test

import (
	"context"
	"errors"
	"testing"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// goneScheduler records which resources are gone.
type goneScheduler struct {
	scheduler.Interface
	keys []store.Key
}

func (g *goneScheduler) Gone(k store.Key) { g.keys = append(g.keys, k) }

// Nothing is remembered of a resource whose finalizer was removed by hand, neither of its secrets.
func TestMemoryGoesWithResource(t *testing.T) {
	k, gone := kind(t), &goneScheduler{}
	k.Scheduler = gone
	resource := func(uid types.UID) *unstructured.Unstructured {
		u := &unstructured.Unstructured{
			Object: map[string]any{"spec": map[string]any{"forProvider": map[string]any{}}, "status": map[string]any{}},
		}
		u.SetGroupVersionKind(k.Model.GroupVersionKind())
		u.SetNamespace("team")
		u.SetName("one")
		u.SetUID(uid)
		u.SetFinalizers([]string{"example.org/hold"})
		return u
	}
	ctx := context.Background()
	inner := fake.NewClientBuilder().WithStatusSubresource(resource("")).WithObjects(resource("uid-1")).Build()
	c := managed.Client(k, inner)
	k.Options.Recorder = event.NewNopRecorder()
	use := func() {
		r, err := c.Read(ctx, client.ObjectKey{Namespace: "team", Name: "one"})
		if err != nil {
			t.Fatal(err)
		}
		if err := managed.Configure(ctx, k, r); err != nil {
			t.Fatal(err)
		}
		managed.FailToObserve(k, r, errors.New("no"))
		managed.Observed(r, &scheduler.Observation{})
		if err := c.UpdateStatus(ctx, r); err != nil {
			t.Fatal(err)
		}
		// A resource that is never stored may have the generation of another one.
		if got := managed.Sizes(managed.Apart(k, r)); got != [4]int{1, 0, 1, 1} {
			t.Errorf("remembered in a preview: %v", got)
		}
	}
	use()
	if got := managed.Sizes(k); got != [4]int{1, 1, 1, 1} {
		t.Fatalf("remembered: %v", got)
	}
	replace := func(next *unstructured.Unstructured) {
		now := resource("uid-1")
		if err := inner.Get(ctx, client.ObjectKeyFromObject(now), now); err != nil {
			t.Fatal(err)
		}
		now.SetFinalizers(nil)
		if err := inner.Update(ctx, now); err != nil {
			t.Fatal(err)
		}
		if err := inner.Delete(ctx, now); err != nil {
			t.Fatal(err)
		}
		if next != nil {
			if err := inner.Create(ctx, next); err != nil {
				t.Fatal(err)
			}
		}
	}
	replace(resource("uid-2")) // one of the same name takes its place
	use()
	if got := managed.Sizes(k); got != [4]int{1, 1, 1, 1} {
		t.Errorf("remembered with a second one of the same name: %v", got)
	}
	replace(nil)
	if _, err := c.Read(ctx, client.ObjectKey{Namespace: "team", Name: "one"}); !kerrors.IsNotFound(err) {
		t.Fatal(err)
	}
	if got := managed.Sizes(k); got != [4]int{} {
		t.Errorf("remembered of resources that are gone: %v", got)
	}
	if len(gone.keys) != 1 || gone.keys[0].Name != "one" {
		t.Errorf("told to the scheduler: %v", gone.keys)
	}
}
