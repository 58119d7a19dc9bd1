package results

import (
	"context"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/landbridge-io/landbridge/internal/controller/turns"
	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
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
	k.Prepare(cached, live)
	k.looks = unmanaged.Memory[look]{}
	return &Reconciler{kind: k, client: cached, secrets: xpmanaged.NewAPILocalSecretPublisher(cached, runtime.NewScheme())}
}

// Use sets the work queue. Kind.Start does so by itself.
func (r *Reconciler) Use(q turns.Queue) { r.kind.Queue(q) }

// Start runs the controller of the kind until ctx ends. It calls queued when objects can be woken,
// and returns when the existing ones are in the cache. The kind's CRD must be served.
func (k *Kind) Start(ctx context.Context, m manager.Manager, queued func()) error {
	return k.Run(ctx, m, NewReconciler(k, m.GetClient(), m.GetAPIReader()), queued, nil)
}
