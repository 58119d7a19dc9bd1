package results

import (
	"context"
	"fmt"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/informer"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/managed/turns"
	"github.com/landbridge-io/landbridge/internal/controller/references"
)

// Reconciler reconciles the objects of a kind.
type Reconciler struct {
	kind    *Kind
	client  client.Client
	secrets *xpmanaged.APILocalSecretPublisher
}

// NewReconciler returns the reconciler of a kind. cached may lag behind, but for Secrets; live must
// not.
func NewReconciler(k *Kind, cached client.Client, live client.Reader) *Reconciler {
	k.looks = map[types.NamespacedName]look{}
	k.turns = turns.New(k.Options.Workers, func() int { return 0 })
	k.reader, k.live = cached, live
	if k.Clock == nil {
		k.Clock = clock.RealClock{}
	}
	return &Reconciler{kind: k, client: cached, secrets: xpmanaged.NewAPILocalSecretPublisher(cached, runtime.NewScheme())}
}

// Use sets the work queue. Kind.Start does so by itself.
func (r *Reconciler) Use(q turns.Queue) { r.kind.turns.Use(q) }

// Start runs the controller of the kind until ctx ends. It calls queued when objects can be woken,
// and returns when the existing ones are in the cache. The kind's CRD must be served.
func (k *Kind) Start(ctx context.Context, m manager.Manager, queued func()) error {
	r := NewReconciler(k, m.GetClient(), m.GetAPIReader())
	ctl, err := managed.Controller{
		Name: string(k.Model.Mode), Kind: k.Model.GroupVersionKind(), Reconciler: r, Turns: k.turns, Options: k.Options,
	}.Start(ctx, m, queued)
	if err != nil {
		return err
	}
	return k.watch(ctx, m, ctl)
}

// watch begins to receive the objects of the kind.
func (k *Kind) watch(ctx context.Context, m manager.Manager, ctl controller.Controller) error {
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(k.Model.GroupVersionKind())
	err := informer.Start(ctx, m.GetCache(), obj, informer.Early{}, k.Options.Logger)
	if err == nil {
		err = ctl.Watch(source.Kind(informer.Only(m.GetCache()), obj, k.turns.Handler(), managed.DesiredStateChanged(false, k.received)))
	}
	if err != nil {
		return fmt.Errorf("cannot watch %s: %w", k.Model.Kind, err)
	}
	return nil
}

// received is called with every version of an object, and with deleted ones. It wakes the resources
// that wait for the object.
func (k *Kind) received(u *unstructured.Unstructured, gone bool) {
	graph, key := k.Neighbours.References(), k.key(client.ObjectKeyFromObject(u))
	graph.Permits(key, u.GetAnnotations()[v1alpha1.AnnotationReferableFrom])
	refs, err := references.Of(u, k.Model)
	if gone || err != nil {
		refs = nil
	}
	// What it refers to may be deleted first: it destroys nothing.
	graph.Awaits(key, references.Sources(refs))
	for _, waiting := range graph.Waiting(key, u.GetLabels()) {
		k.Neighbours.Wake(waiting)
	}
	if gone {
		graph.Permits(key, "")
	}
}
