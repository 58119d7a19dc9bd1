package managed

import (
	"context"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/crd"
)

// early are the new and changed resources of a kind that were found, when a controller starts, while the API server still sends
// the others. They are reconciled at once: with thousands of others, the cache has them seconds later.
type early struct {
	mu    sync.Mutex
	found map[types.NamespacedName]*unstructured.Unstructured
	// changed is the number of those that are not new.
	changed int
}

// begin has new resources kept until end.
func (e *early) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.found = map[types.NamespacedName]*unstructured.Unstructured{}
}

// add reports whether a version of a resource is kept, which is the newest one. After many changed resources, no others are.
func (e *early) add(name types.NamespacedName, u *unstructured.Unstructured, changed bool) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	before, known := e.found[name]
	switch {
	case e.found == nil, changed && !known && e.changed == manySought:
		return false
	case known:
		if order, err := resourceversion.CompareResourceVersion(u.GetResourceVersion(), before.GetResourceVersion()); err == nil && order <= 0 {
			return false
		}
	case changed:
		e.changed++
	}
	e.found[name] = u
	return true
}

// get returns a resource that is kept; nil if it is not.
func (e *early) get(name types.NamespacedName) *unstructured.Unstructured {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.found[name]
}

// end forgets all resources: the cache has them now.
func (e *early) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.found = nil
}

// foundEarly queues a resource that the cache does not have yet, if nothing was observed of it since it was created or changed.
func (k *Kind) foundEarly(u *unstructured.Unstructured) {
	observed, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	of := created
	if !crd.Unobserved(u) {
		of = changed
	}
	if of == changed && observed == u.GetGeneration() || u.GetDeletionTimestamp() != nil {
		return
	}
	req := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(u)}
	if k.early.add(req.NamespacedName, u, of == changed) {
		k.lanes.add(req, of, k.Queue)
	}
}

// earlyReader is a cached client that also reads the early resources of a kind.
type earlyReader struct {
	client.Client
	kind *Kind
}

// Get implements client.Reader.
func (r earlyReader) Get(ctx context.Context, name client.ObjectKey, obj client.Object, o ...client.GetOption) error {
	if out, ok := obj.(*unstructured.Unstructured); ok && out.GroupVersionKind() == r.kind.Model.GroupVersionKind() {
		if found := r.kind.early.get(name); found != nil {
			found.DeepCopyInto(out)
			return nil
		}
	}
	return r.Client.Get(ctx, name, obj, o...)
}
