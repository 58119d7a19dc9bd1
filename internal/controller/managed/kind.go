package managed

import (
	"context"
	"fmt"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/crossplane/crossplane-runtime/v2/pkg/logging"
	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/crossplane/crossplane-runtime/v2/pkg/resource"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/landbridge-io/landbridge/internal/controller/informer"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// ProviderConfigs finds what carries out operations for a resource's providerConfigRef.
type ProviderConfigs interface {
	Resolve(ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string) providerconfig.Handle[terraform.Executor]
}

// Kind is one kind of managed resource, and what its controller needs.
type Kind struct {
	Model           *model.Resource
	ProviderConfigs ProviderConfigs
	Neighbours      Neighbours
	Scheduler       scheduler.Interface
	Options         Options

	configurations *configurations
	written        *written
	troubles       *troubles
	lanes          *lanes
	queue          workqueue.TypedRateLimitingInterface[reconcile.Request]
	// reader is the cache, live the API server. listed is closed when it is known what all resources refer
	// to, claimed when it is known what they have.
	reader, live    client.Reader
	listed, claimed chan struct{}
}

// Options of the controllers of managed resources. They are the same for all kinds.
type Options struct {
	// Poll is how often an unchanged resource is looked at.
	Poll time.Duration
	// Workers is how many resources of a kind are looked at at once.
	Workers int
	// Timeout bounds one reconcile, in which remote objects are read and changes planned.
	Timeout time.Duration
	// MinBackoff and MaxBackoff bound the wait after failures in a row.
	MinBackoff, MaxBackoff time.Duration
	Recorder               event.Recorder
	Metrics                xpmanaged.MetricRecorder
	Logger                 logr.Logger
}

// Start runs the controller of the kind until ctx ends. It returns when the resources that
// exist already are known. The kind's CRD must be served.
func (k *Kind) Start(ctx context.Context, m manager.Manager) error {
	gvk := k.Model.GroupVersionKind()
	// A scheme of its own: the manager's is in use and must not be changed any more.
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(gvk, &CustomResource{})
	k.configurations = newConfigurations(m.GetAPIReader())
	k.written, k.troubles, k.lanes = newWritten(), newTroubles(), newLanes()
	k.reader, k.live = m.GetClient(), m.GetAPIReader()
	k.listed, k.claimed = make(chan struct{}), make(chan struct{})
	quiet := newQuietClient(m, gvk, k.written)
	quiet.gone = func(name types.NamespacedName) {
		k.Scheduler.Gone(store.Key{Group: gvk.Group, Kind: gvk.Kind, Namespace: name.Namespace, Name: name.Name})
	}
	log := k.Options.Logger.WithValues("kind", gvk.GroupKind().String())
	c := &connector{kind: k, client: quiet}
	inner := xpmanaged.NewReconciler(quietManager{Manager: m, client: quiet, scheme: scheme}, resource.ManagedKind(gvk),
		xpmanaged.WithExternalConnector(c),
		xpmanaged.WithManagementPolicies(),
		xpmanaged.WithInitializers(), // the external name is not made up from the resource's name
		xpmanaged.WithFinalizer(&finalizer{kind: k, client: quiet, connector: c}),
		xpmanaged.WithReferenceResolver(referrer{k, quiet}),
		xpmanaged.WithCriticalAnnotationUpdater(xpmanaged.CriticalAnnotationUpdateFn(noCreateProtocol)),
		xpmanaged.WithDeterministicExternalName(true), // whether a create is safe is for the journal to say
		xpmanaged.WithPollInterval(k.Options.Poll),
		xpmanaged.WithMinPollInterval(time.Second),
		xpmanaged.WithPollJitterHook(k.Options.Poll/10),
		xpmanaged.WithTimeout(k.Options.Timeout),
		xpmanaged.WithRecorder(quietRecorder{k.Options.Recorder, k.troubles}),
		xpmanaged.WithMetricRecorder(k.Options.Metrics),
		xpmanaged.WithLogger(debugLogger(log)),
	)
	backoff := workqueue.NewTypedItemExponentialFailureRateLimiter[reconcile.Request](k.Options.MinBackoff, k.Options.MaxBackoff)
	ctl, err := controller.NewUnmanaged("managed/"+gvk.GroupKind().String(), controller.Options{
		Reconciler:              &reconciler{inner: inner, kind: k, share: newShare(k.Options.Workers, k.add), poll: k.Options.Poll},
		MaxConcurrentReconciles: k.Options.Workers,
		RateLimiter:             backoff,
		// One logger for all reconciles: making one for each costs more than most of them log.
		LogConstructor:     func(*reconcile.Request) logr.Logger { return log },
		SkipNameValidation: ptr.To(true),
		NewQueue:           k.lanes.queue,
	})
	if err != nil {
		return fmt.Errorf("cannot make the controller of %s: %w", gvk.Kind, err)
	}
	// A CRD is established a little before it is discovered.
	err = wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		_, err := m.GetRESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
		return err == nil, nil
	})
	if err != nil {
		return fmt.Errorf("the kind %s is not served: %w", gvk.Kind, err)
	}
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(gvk)
	if err := informer.Start(ctx, m.GetCache(), obj, k.Options.Logger); err != nil {
		return fmt.Errorf("cannot watch %s: %w", gvk.Kind, err)
	}
	queued := make(chan struct{})
	err = ctl.Watch(source.Func(func(_ context.Context, q workqueue.TypedRateLimitingInterface[reconcile.Request]) error {
		k.queue = q
		close(queued)
		return nil
	}))
	if err == nil {
		err = ctl.Watch(source.Kind(informer.Only(m.GetCache()), obj, k.lanes.handler(), desiredStateChanged(k.namedBySpec(), func(u *unstructured.Unstructured, gone bool) {
			quiet.heard(u)
			k.heard(u, gone)
		})))
	}
	if err != nil {
		return fmt.Errorf("cannot watch %s: %w", gvk.Kind, err)
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
	case <-queued:
		go k.claimAll(ctx, m.GetCache(), c)
		return nil
	case err := <-failed:
		return fmt.Errorf("the controller of %s ended: %w", gvk.Kind, err)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// debugLogger logs what managed.Reconciler says, all of which is for debugging. It makes a
// logger for each reconcile, which is not free, so there is none if nobody wants to know.
func debugLogger(log logr.Logger) logging.Logger {
	if !log.V(1).Enabled() {
		return logging.NewNopLogger()
	}
	return logging.NewLogrLogger(log)
}

// few is how many resources may be waited for without making anybody hurry: more than people
// apply by hand, who then look for the external name of what is ready.
const few = 32

// namedBySpec reports whether the annotation of the external name is part of the configuration.
func (k *Kind) namedBySpec() bool {
	return k.Model.Settings.Argument != nil || k.Model.Settings.Functions.Configure != nil
}

// busy says whether many resources are waited for.
func (k *Kind) busy() bool { return k.queue.Len()+k.Scheduler.Running() > few }

// Listed is closed when it is known of all resources of the kind what they refer to.
func (k *Kind) Listed() <-chan struct{} { return k.listed }

// Wake has a resource reconciled now.
func (k *Kind) Wake(key store.Key) {
	req := reconcile.Request{NamespacedName: types.NamespacedName{Namespace: key.Namespace, Name: key.Name}}
	k.lanes.goOn(req)
	k.add(req)
}

func (k *Kind) add(req reconcile.Request) { k.queue.Add(req) }

func noCreateProtocol(context.Context, client.Object) error { return nil }
