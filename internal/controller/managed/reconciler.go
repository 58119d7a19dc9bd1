package managed

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/managed/turns"
)

// Reconciler reconciles the resources of a kind, and decides when each is reconciled again.
// Kind.Start runs one with a work queue and a watch. A simulation drives one step by step.
type Reconciler struct {
	inner     *xpmanaged.Reconciler
	kind      *Kind
	client    *quietClient
	connector *connector
	referrer  referrer
}

// NewReconciler returns the reconciler of a kind. cached may lag behind, live must not.
func NewReconciler(k *Kind, cached client.Client, live client.Reader) *Reconciler {
	gvk := k.Model.GroupVersionKind()
	// A manager's scheme is in use and must not be changed any more.
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(gvk, &CustomResource{})
	k.handles = handlesOf(k.Model)
	k.lifetime, k.activations = context.Background(), &activations{}
	k.tracked = newResources()
	k.turns = turns.New(k.Options.Workers, func() int { return k.Scheduler.Running() })
	k.sought, k.paths = &atomic.Int32{}, &sync.Map{}
	cached = k.turns.Reader(cached, gvk)
	k.reader, k.live = cached, live
	k.listed, k.claimed = make(chan struct{}), make(chan struct{})
	quiet := k.quietClient(cached, live)
	c := &connector{kind: k, client: quiet}
	f := referrer{k, quiet}
	inner := xpmanaged.NewReconciler(quietManager{client: quiet, scheme: scheme}, resource.ManagedKind(gvk),
		xpmanaged.WithExternalConnector(c),
		xpmanaged.WithManagementPolicies(),
		xpmanaged.WithInitializers(), // the external name does not default to the resource's name
		xpmanaged.WithFinalizer(&finalizer{kind: k, client: quiet, connector: c}),
		xpmanaged.WithReferenceResolver(f),
		xpmanaged.WithCriticalAnnotationUpdater(xpmanaged.CriticalAnnotationUpdateFn(noCreateProtocol)),
		xpmanaged.WithDeterministicExternalName(true), // the journal decides whether a create is safe
		xpmanaged.WithPollIntervalHook(k.pollHook),
		xpmanaged.WithTimeout(k.Options.Timeout),
		xpmanaged.WithRecorder(quietRecorder{k.Options.Recorder, k.tracked}),
		xpmanaged.WithMetricRecorder(k.Options.Metrics),
		xpmanaged.WithLogger(debugLogger(k.Options.Logger.WithValues("kind", gvk.GroupKind().String()))),
	)
	return &Reconciler{inner: inner, kind: k, client: quiet, connector: c, referrer: f}
}

// Use sets the work queue. Kind.Start does so by itself.
func (r *Reconciler) Use(q turns.Queue) { r.kind.turns.Use(q) }

// debugLogger returns the logger of managed.Reconciler, which logs at debug level only. It creates
// a logger for each reconcile, so this returns a no-op logger when debug logging is off.
func debugLogger(log logr.Logger) logging.Logger {
	if !log.V(1).Enabled() {
		return logging.NewNopLogger()
	}
	return logging.NewLogrLogger(log)
}

func noCreateProtocol(context.Context, client.Object) error { return nil }

// Claim claims the remote objects of a resource from its stored instance. It does nothing if no
// operation was ever started.
func (r *Reconciler) Claim(ctx context.Context, u *unstructured.Unstructured) error {
	return r.connector.claim(ctx, u)
}

// Claimed is called when the remote objects of all resources of the kind are claimed. Until then,
// none is changed.
func (r *Reconciler) Claimed() { close(r.kind.claimed) }
