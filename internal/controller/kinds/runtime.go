package kinds

import (
	"context"
	"sync"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/go-logr/logr"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset/typed/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	admissionregistration "k8s.io/client-go/kubernetes/typed/admissionregistration/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	rbac "k8s.io/client-go/kubernetes/typed/rbac/v1"
	"k8s.io/client-go/openapi"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/action"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/queue"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

const (
	// Resync is the interval at which an object is reconciled without a change.
	Resync = 10 * time.Minute
	// Workers bounds how many CRDs are installed and controllers are started at once. With more,
	// the API server's own CRD controllers conflict with each other and take longer.
	Workers = 8
)

// minBackoff and maxBackoff bound the delay after consecutive failures.
const (
	minBackoff = time.Second
	maxBackoff = 5 * time.Minute
)

// Runtime has the dependencies that all controllers of kinds share. All fields but OtherUsers and
// OthersBeingDeleted are required.
type Runtime struct {
	Manager   manager.Manager
	CRDs      apiextensions.CustomResourceDefinitionInterface
	Policies  admissionregistration.AdmissionregistrationV1Interface
	OpenAPI   openapi.Client
	Pool      *pool.Pool
	Scheduler scheduler.Interface
	Registry  *Registry
	Managed   managed.Options
	Recorder  event.Recorder
	Logger    logr.Logger
	// Lifetime is the context of all controllers of kinds: they run longer than one reconcile.
	Lifetime context.Context
	// Roles are the cluster's ClusterRoles.
	Roles rbac.ClusterRoleInterface
	// Admission decides which namespaces may use a ClusterProviderConfig.
	Admission *providerconfig.Admission
	// AccountKey is the key of the hashes of provider configurations' contents.
	AccountKey providerconfig.AccountKey
	// DestroysPerMinute is how many objects of an account may be destroyed within a minute by
	// default; 0 for no limit.
	DestroysPerMinute int
	// OwnedElsewhere is results.Kind's function of that name. It may be nil.
	OwnedElsewhere func(ctx context.Context, namespace string, by ownership.Access, of *schema.Resource, data cty.Value) bool
	// Leases are the Secrets of Landbridge's own namespace, see results.Leases.
	Leases typedcorev1.SecretInterface
	// Runs are the attempts of actions, and PlanKey is the key of the hashes of their plans.
	Runs    *action.Runs
	PlanKey []byte
	// Recorded is that of action.Kind.
	Recorded func(store.Key, history.Entry)
	// Follows is set if another replica installs CRDs and whatever else is not of one shard. Then
	// this one waits for it.
	Follows bool
	// OtherUsers returns the resources, other than those of the provider's own kinds, that use one
	// of its configurations. provider is the name of a TerraformProvider.
	OtherUsers func(ctx context.Context, provider string, ref providerconfig.Reference) []providerconfig.User
	// OthersBeingDeleted returns the number of resources, other than those of the provider's own
	// kinds, that use the provider, are being deleted, and wait for a controller. provider is the
	// name of a TerraformProvider.
	OthersBeingDeleted func(ctx context.Context, provider string) (int, error)

	mu sync.Mutex
	// pruned has the times at which CRDs were deleted, by their names.
	pruned map[string]time.Time
	// defaults has those of TerraformProviders and TerraformModules, by owner.
	defaults map[string]Defaults
}

// Backoff returns the rate limiter for retries after failures.
func Backoff[T comparable]() workqueue.TypedRateLimiter[T] { return BackoffUpTo[T](maxBackoff) }

// BackoffUpTo is Backoff with another bound of the delay.
func BackoffUpTo[T comparable](most time.Duration) workqueue.TypedRateLimiter[T] {
	return workqueue.NewTypedItemExponentialFailureRateLimiter[T](min(minBackoff, most), most)
}

// ControllerOptions returns the options of a controller that reconciles up to n objects at once.
func ControllerOptions(n int) controller.Options {
	return controller.Options{
		MaxConcurrentReconciles: n,
		SkipNameValidation:      ptr.To(true), // Run may be called more than once in a process
		RateLimiter:             Backoff[reconcile.Request](),
		NewQueue:                queue.New[reconcile.Request],
	}
}

// Each calls f for all items, up to Workers at once, and returns the errors.
func Each[T any](items []T, f func(T) error) (errs []error) {
	var mu sync.Mutex
	group := errgroup.Group{}
	group.SetLimit(Workers)
	for _, item := range items {
		group.Go(func() error {
			if err := f(item); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs = append(errs, err)
			}
			return nil
		})
	}
	_ = group.Wait()
	return errs
}

// Kind is a kind whose controller runs.
type Kind struct {
	*managed.Kind
	runtime *Runtime
	cancel  context.CancelFunc
}

// StartKind runs the controller of a kind whose CRD is served. configs finds its provider
// configurations.
func (rt *Runtime) StartKind(k *managed.Kind) (*Kind, error) {
	k.Neighbours, k.Scheduler, k.Options = rt.Registry, rt.Scheduler, rt.Managed
	ctx, cancel := context.WithCancel(rt.Lifetime)
	err := k.Start(ctx, rt.Manager, func() { rt.Registry.start(k) })
	rt.Registry.started(k, err)
	if err != nil {
		cancel()
		return nil, err
	}
	return &Kind{k, rt, cancel}, nil
}

// Stop stops the controller. Operations that are running are still completed and recorded.
func (k *Kind) Stop(ctx context.Context) {
	k.cancel()
	k.runtime.Registry.remove(k.Kind)
	k.runtime.stopWatching(ctx, k.Model.GroupVersionKind())
}

// UsersOf returns the resources of the kind that use a provider configuration.
func (k *Kind) UsersOf(ctx context.Context, ref providerconfig.Reference) ([]providerconfig.User, error) {
	return k.Users(ctx, k.runtime.Manager.GetClient(), ref)
}

func (rt *Runtime) stopWatching(ctx context.Context, kind kschema.GroupVersionKind) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(kind)
	if err := rt.Manager.GetCache().RemoveInformer(ctx, u); err != nil {
		rt.Logger.Error(err, "Cannot stop watching a kind", "kind", kind.Kind, "group", kind.Group)
	}
}
