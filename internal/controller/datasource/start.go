package datasource

import (
	"context"
	"fmt"
	"time"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
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
	gvk := k.Model.GroupVersionKind()
	log := k.Options.Logger.WithValues("kind", gvk.GroupKind().String())
	r := NewReconciler(k, m.GetClient(), m.GetAPIReader())
	ctl, err := controller.NewUnmanaged(string(k.Model.Mode)+"/"+gvk.GroupKind().String(), controller.Options{
		Reconciler:              r,
		MaxConcurrentReconciles: k.Options.Workers,
		RateLimiter:             workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](k.Options.MinBackoff, k.Options.MaxBackoff),
		LogConstructor:          func(*reconcile.Request) logr.Logger { return log },
		SkipNameValidation:      ptr.To(true),
		NewQueue:                k.turns.NewQueue,
	})
	if err != nil {
		return fmt.Errorf("cannot make the controller of %s: %w", gvk.Kind, err)
	}
	// A CRD is established shortly before discovery has it.
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		_, err := m.GetRESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("the kind %s is not served: %w", gvk.Kind, err)
	}
	made := make(chan struct{})
	err = ctl.Watch(source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		k.turns.Work(ctx, q, r, log)
		close(made)
		return nil
	}))
	if err != nil {
		return fmt.Errorf("cannot queue %s: %w", gvk.Kind, err)
	}
	failed := make(chan error, 1)
	go func() {
		err := ctl.Start(ctx)
		if err != nil {
			log.Error(err, "The controller of a kind ended")
		}
		failed <- err
	}()
	select {
	case <-made:
		queued()
	case err := <-failed:
		return fmt.Errorf("the controller of %s ended: %w", gvk.Kind, err)
	case <-ctx.Done():
		return ctx.Err()
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
