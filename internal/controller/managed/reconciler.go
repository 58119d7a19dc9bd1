package managed

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed/turns"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/tracing"
)

// ours are the annotations that setAnnotations writes.
var ours = map[string]bool{meta.AnnotationKeyExternalName: true, v1alpha1.AnnotationIdentity: true}

// attempt carries the results of one reconcile to the reconciler around managed.Reconciler, which
// itself can only requeue at once or after the poll interval.
type attempt struct {
	resource *CustomResource
	// visit records the outcome of acquiring a provider.
	visit providerconfig.Visit
	// retryAt is when a failed operation may be retried, or a provider becomes available.
	retryAt time.Time
	// comeBack is set when non-urgent work is left.
	comeBack bool
	// look is an observation that was made already.
	look *look
	// events is the number of events that were heard before the resource was read.
	events uint64
	// request is that of the last observation.
	request *scheduler.Request
}

type attemptKey struct{}

func attemptFrom(ctx context.Context) *attempt {
	a, _ := ctx.Value(attemptKey{}).(*attempt)
	return a
}

// Reconciler reconciles the resources of a kind, and decides when each is reconciled again. Kind.Start runs
// one with a work queue and a watch. A simulation drives one step by step.
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
	k.reconciler = &Reconciler{inner: inner, kind: k, client: quiet, connector: c, referrer: f}
	return k.reconciler
}

// Use sets the work queue. Kind.Start does so by itself.
func (r *Reconciler) Use(q turns.Queue) { r.kind.turns.Use(q) }

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, req reconcile.Request) (_ reconcile.Result, err error) {
	a := &attempt{}
	of, status, atRest := r.kind.tracked.atRest(req.NamespacedName)
	var cached *unstructured.Unstructured
	admitted, again := r.kind.turns.Admit(req, func() (ref providerconfig.Reference) {
		if atRest {
			return providerconfig.ReferenceOf(status.rested.Value().reference(), req.Namespace)
		}
		if cached = r.cached(ctx, req, a); cached != nil {
			ref = ConfigurationOf(cached)
		}
		return ref
	})
	if !admitted {
		return reconcile.Result{RequeueAfter: again}, nil
	}
	var outcome turns.Outcome
	defer func() {
		outcome.Failed = err != nil
		r.kind.turns.Done(req, outcome)
	}()
	ctx = providerconfig.WithVisit(context.WithValue(ctx, attemptKey{}, a), &a.visit)
	if atRest {
		if r.stillAtRest(ctx, of, status, a) {
			outcome.Unchanged = true
			return reconcile.Result{RequeueAfter: r.kind.pollAt(status.rested.Value().interval)}, nil
		}
		cached = r.cached(ctx, req, a)
	}
	if here, again, err := r.belongs(ctx, cached); err != nil || !here {
		return reconcile.Result{RequeueAfter: again}, err
	}
	if a.look == nil && r.unchanged(ctx, cached, a) {
		outcome.Unchanged = true
		return reconcile.Result{RequeueAfter: r.kind.poll(a.resource)}, nil
	}
	ctx, span := tracing.Root(ctx, "reconcile", r.kind.Model.GroupVersionKind().GroupKind().String(), req.Namespace, req.Name)
	defer func() { span.End(err != nil) }()
	result, err := r.inner.Reconcile(ctx, req)
	if a.resource != nil && paused(a.resource) {
		key := r.kind.key(&a.resource.Unstructured)
		if token := a.resource.annotation(v1alpha1.AnnotationInterrupt); token != "" {
			r.kind.Scheduler.Interrupt(key, token)
		}
		r.kind.Scheduler.Reload(key)
	}
	switch {
	case err != nil:
		return reconcile.Result{}, err // managed.Reconciler returns both; the error wins
	case !a.retryAt.IsZero():
		// The scheduler or the pool, which count failures, will not retry earlier.
		return reconcile.Result{RequeueAfter: max(time.Until(a.retryAt), 10*time.Millisecond)}, nil
	case a.resource != nil && a.resource.holdStatus:
		// The scheduler wakes the resource when the operation ends or takes long.
		return reconcile.Result{RequeueAfter: r.kind.poll(a.resource)}, nil
	case a.comeBack && result.RequeueAfter > turns.ComeBackAfter:
		outcome.NotUrgent = r.kind.restReconciled(a)
		return reconcile.Result{RequeueAfter: turns.ComeBackAfter}, nil
	}
	outcome.Unchanged = r.kind.restReconciled(a)
	return result, err
}

// paused reports whether managed.Reconciler leaves a resource alone.
func paused(r *CustomResource) bool {
	return r.annotation(meta.AnnotationKeyReconciliationPaused) == "true" || len(r.GetManagementPolicies()) == 0
}

// Changed returns a predicate for the events that need a reconcile. It must hear every event of the cache.
func (r *Reconciler) Changed() predicate.TypedPredicate[*unstructured.Unstructured] {
	return desiredStateChanged(r.kind.namedBySpec(), func(u *unstructured.Unstructured, gone bool) {
		r.kind.tracked.heard(u, gone)
		r.kind.heard(u, gone)
	})
}

// cached returns a resource as the cache has it, which must not be changed; nil if there is no such resource. The attempt gets the number
// of events before.
func (r *Reconciler) cached(ctx context.Context, req reconcile.Request, a *attempt) *unstructured.Unstructured {
	a.events = r.kind.tracked.events.Load()
	u, err := r.kind.get(ctx, r.kind.reader, req.NamespacedName)
	if err != nil {
		return nil
	}
	return u
}

// desiredStateChanged returns a predicate for changes of spec, labels, annotations, finalizers and
// deletion, but not of the status, which this controller writes. heard is called with every event.
// named is set when the external name is part of the configuration.
func desiredStateChanged(named bool, heard func(u *unstructured.Unstructured, gone bool)) predicate.TypedPredicate[*unstructured.Unstructured] {
	return predicate.TypedFuncs[*unstructured.Unstructured]{
		CreateFunc: func(e event.TypedCreateEvent[*unstructured.Unstructured]) bool {
			heard(e.Object, false)
			return true
		},
		DeleteFunc: func(e event.TypedDeleteEvent[*unstructured.Unstructured]) bool {
			heard(e.Object, true)
			return true
		},
		UpdateFunc: func(e event.TypedUpdateEvent[*unstructured.Unstructured]) bool {
			heard(e.ObjectNew, false)
			return e.ObjectOld.GetGeneration() != e.ObjectNew.GetGeneration() ||
				!equality.Semantic.DeepEqual(e.ObjectOld.GetDeletionTimestamp(), e.ObjectNew.GetDeletionTimestamp()) ||
				!equality.Semantic.DeepEqual(e.ObjectOld.GetLabels(), e.ObjectNew.GetLabels()) ||
				named && e.ObjectOld.GetAnnotations()[meta.AnnotationKeyExternalName] != e.ObjectNew.GetAnnotations()[meta.AnnotationKeyExternalName] ||
				!sameAnnotations(e.ObjectOld.GetAnnotations(), e.ObjectNew.GetAnnotations()) ||
				(!e.ObjectNew.GetDeletionTimestamp().IsZero() && len(e.ObjectOld.GetFinalizers()) != len(e.ObjectNew.GetFinalizers()))
		},
	}
}

// sameAnnotations ignores the annotations that this controller writes itself.
func sameAnnotations(a, b map[string]string) bool {
	for k, v := range a {
		if b[k] != v && !ours[k] {
			return false
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok && !ours[k] {
			return false
		}
	}
	return true
}
