package turns

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/crd"
)

// maxEarlyChanged is the number of changed resources that are reconciled before the cache is
// filled. Rivals are sought for as many writes only.
const maxEarlyChanged = 64

// early are the new and changed resources of a kind that were found, when a controller starts,
// while the API server still sends the others. They are reconciled at once: with thousands of
// others, the cache has them seconds later. The mutex of Turns is locked.
type early struct {
	found map[types.NamespacedName]*unstructured.Unstructured
	// changed is the number of those that are not new.
	changed int
}

// begin has new resources kept until end.
func (e *early) begin() { e.found = map[types.NamespacedName]*unstructured.Unstructured{} }

// add reports whether a version of a resource is kept, which is the newest one. After many changed
// resources, no others are.
func (e *early) add(name types.NamespacedName, u *unstructured.Unstructured, changed bool) bool {
	before, known := e.found[name]
	switch {
	case e.found == nil, changed && !known && e.changed == maxEarlyChanged:
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

// CacheFilled forgets the resources that were found before the cache had them.
func (t *Turns) CacheFilled() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.early.found = nil
}

// Found queues a resource that the cache does not have yet, if nothing was observed of it since it
// was created or changed.
func (t *Turns) Found(u *unstructured.Unstructured) {
	observed, _, _ := unstructured.NestedInt64(u.Object, "status", "observedGeneration")
	of := created
	if !crd.Unobserved(u) {
		of = changed
	}
	if of == changed && observed == u.GetGeneration() || u.GetDeletionTimestamp() != nil {
		return
	}
	req := reconcile.Request{NamespacedName: client.ObjectKeyFromObject(u)}
	t.mu.Lock()
	kept := t.early.add(req.NamespacedName, u, of == changed)
	t.mu.Unlock()
	if kept {
		t.add(req, of, t.queue)
	}
}

// Reader returns a client that reads resources of a kind that were found before the cache has them,
// and everything else from the cache.
func (t *Turns) Reader(cached client.Client, gvk schema.GroupVersionKind) client.Client {
	return reader{Client: cached, turns: t, gvk: gvk}
}

type reader struct {
	client.Client
	turns *Turns
	gvk   schema.GroupVersionKind
}

// Get implements client.Reader.
func (r reader) Get(ctx context.Context, name client.ObjectKey, obj client.Object, o ...client.GetOption) error {
	if out, ok := obj.(*unstructured.Unstructured); ok && out.GroupVersionKind() == r.gvk {
		if found := r.turns.found(name); found != nil {
			found.DeepCopyInto(out)
			return nil
		}
	}
	return r.Client.Get(ctx, name, obj, o...)
}

// found returns a resource that the cache may not have yet; nil if there is none.
func (t *Turns) found(name types.NamespacedName) *unstructured.Unstructured {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.early.found[name]
}
