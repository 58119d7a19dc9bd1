package unmanaged

import (
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/informer"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/references"
)

// Run runs the controller of the kind until ctx ends. It calls queued when objects can be woken,
// and returns when the existing ones are in the cache. The kind is prepared, and its CRD is served.
// over reports whether an object needs nothing that it refers to any more; it may be nil: none is.
func (k *Kind) Run(
	ctx context.Context, m manager.Manager, r reconcile.Reconciler, queued func(),
	over func(*unstructured.Unstructured) bool,
) error {
	ctl, err := managed.Controller{
		Name: string(k.Model.Mode), Kind: k.Model.GroupVersionKind(), Reconciler: r, Turns: k.turns, Options: k.Options,
	}.Start(ctx, m, queued)
	if err != nil {
		return err
	}
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(k.Model.GroupVersionKind())
	received := func(u *unstructured.Unstructured, gone bool) { k.received(u, gone, gone || over != nil && over(u)) }
	err = informer.Start(ctx, m.GetCache(), obj, informer.Early{}, k.Options.Logger)
	if err == nil {
		err = ctl.Watch(source.Kind(informer.Only(m.GetCache()), obj, k.turns.Handler(), managed.DesiredStateChanged(false, received)))
	}
	if err != nil {
		return fmt.Errorf("cannot watch %s: %w", k.Model.Kind, err)
	}
	return nil
}

// received is called with every version of an object, and with deleted ones. It wakes the resources
// that wait for the object. What it refers to may be deleted first: it destroys nothing.
func (k *Kind) received(u *unstructured.Unstructured, gone, over bool) {
	graph, key := k.Neighbours.References(), k.Key(client.ObjectKeyFromObject(u))
	graph.Permits(key, u.GetAnnotations()[v1alpha1.AnnotationReferableFrom])
	refs, err := references.Of(u, k.Model)
	if over || err != nil {
		refs = nil
	}
	graph.Awaits(key, references.Sources(refs))
	for _, waiting := range graph.Waiting(key, u.GetLabels()) {
		k.Neighbours.Wake(waiting)
	}
	if gone {
		graph.Permits(key, "")
	}
}
