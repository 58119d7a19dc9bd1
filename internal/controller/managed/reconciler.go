package managed

import (
	"context"
	"sync/atomic"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/turns"
)

// Reconciler reconciles the resources of a kind, and decides when each is reconciled again.
// Kind.Start runs one with a work queue and a watch. A simulation drives one step by step.
type Reconciler struct {
	kind      *Kind
	client    *resourceClient
	connector *connector
	referrer  referrer
	finalizer *finalizer
	secrets   *xpmanaged.APILocalSecretPublisher
	debug     logr.Logger
}

// NewReconciler returns the reconciler of a kind. cached may lag behind, but for Secrets; live must
// not.
func NewReconciler(k *Kind, cached client.Client, live client.Reader) *Reconciler {
	gvk := k.Model.GroupVersionKind()
	k.handles = handlesOf(k.Model)
	k.lifetime, k.activations = context.Background(), &activations{}
	k.tracked = newResources()
	k.turns = turns.New(k.Options.Workers, func() int { return k.Scheduler.Running() })
	k.sought, k.paths = &atomic.Int32{}, &references.Paths{}
	secrets := xpmanaged.NewAPILocalSecretPublisher(cached, runtime.NewScheme())
	cached = k.turns.Reader(cached, gvk)
	k.reader, k.live = cached, live
	k.listed, k.claimed = make(chan struct{}), make(chan struct{})
	resources := k.client(cached, live)
	c := &connector{kind: k, client: resources}
	return &Reconciler{
		kind: k, client: resources, connector: c, referrer: referrer{k, resources}, secrets: secrets,
		finalizer: &finalizer{kind: k, client: resources, connector: c},
		debug:     k.Options.Logger.WithValues("kind", gvk.GroupKind().String()).V(1),
	}
}

// Use sets the work queue. Kind.Start does so by itself.
func (r *Reconciler) Use(q turns.Queue) { r.kind.turns.Use(q) }

// Claim claims the remote objects of a resource from its stored instance. It does nothing if no
// operation was ever started.
func (r *Reconciler) Claim(ctx context.Context, u *unstructured.Unstructured) error {
	return r.connector.claim(ctx, u)
}

// Claimed is called when the remote objects of all resources of the kind are claimed. Until then,
// none is changed.
func (r *Reconciler) Claimed() { close(r.kind.claimed) }
