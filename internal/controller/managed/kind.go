package managed

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/halt"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/turns"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// ProviderConfigs resolves a resource's providerConfigRef to an executor of operations.
type ProviderConfigs interface {
	Resolve(ctx context.Context, ref *xpv2.ProviderConfigReference, namespace string) providerconfig.Handle[terraform.Executor]
}

// NamedProviderConfigs is implemented by ProviderConfigs of resources with several configurations
// (spec.providerConfigRefs).
type NamedProviderConfigs interface {
	ResolveNamed(
		ctx context.Context, ref *xpv2.ProviderConfigReference, named map[string]*xpv2.ProviderConfigReference,
		namespace string,
	) providerconfig.Handle[terraform.Executor]
	// Consists returns the remote objects that an instance consists of, and those that an
	// interrupted operation may have created.
	Consists(instance.Instance) (held, begun []terraform.Object)
}

// Kind is one kind of managed resource, with the dependencies of its controller.
type Kind struct {
	Model           *model.Resource
	ProviderConfigs ProviderConfigs
	Neighbours      Neighbours
	Scheduler       scheduler.Interface
	Options         Options
	// ProviderAddress is the address of the provider, such as registry.terraform.io/hashicorp/null.
	// Providers see it when objects are moved.
	ProviderAddress string
	// ProviderVersion is the version of the provider, for the change record; empty if it is not
	// known.
	ProviderVersion string
	// Release identifies the provider's release together with its configuration in Landbridge, for
	// the marks of resources. They have none if it is empty.
	Release string
	// Providers are the names of the TerraformProvider, or of the TerraformModule and of its
	// TerraformProviders.
	Providers []string
	// DestroyLimit returns how much may be destroyed in an account within a minute. It may be nil:
	// nothing limits it.
	DestroyLimit func() brake.Limit
	// Poll returns the poll interval of the provider or module; 0 is that of Options. It may be
	// nil.
	Poll func() time.Duration
	// Upgrades returns which upgrades of stored objects are confirmed. It may be nil: those that
	// are older than scheduler.DefaultConfirmAfter.
	Upgrades func() scheduler.Upgrades
	// ReplacesDependents reports whether spec.lifecycle.replaceDependents is Automatic by default.
	// It may be nil.
	ReplacesDependents func() bool

	// activations are used with Options.Shards only. lifetime is that of the controller.
	activations *activations
	lifetime    context.Context
	// handles are the handles of objects that the configuration adds.
	handles *ownership.Handles
	tracked *resources
	turns   *turns.Turns

	// reader is the cache, live the API server. listed is closed when the references of all
	// resources are known, claimed when their remote objects are.
	reader, live    client.Reader
	listed, claimed chan struct{}
	// paths has why resources of the kind have no field at a path, by the paths that references
	// have asked for.
	paths *references.Paths
	// sought is the number of writes for which rivals were sought before all objects were claimed.
	sought *atomic.Int32
}

// Options configure the controllers of all kinds of managed resources.
type Options struct {
	// Poll is the interval between reconciles of an unchanged resource.
	Poll time.Duration
	// Jitter returns a duration below a limit, by which the interval differs from one time to the
	// next. Defaults to a random one.
	Jitter func(limit time.Duration) time.Duration
	// Workers is the maximum of concurrent reconciles per kind.
	Workers int
	// Timeout bounds one reconcile, which reads the remote object and plans changes.
	Timeout time.Duration
	// MinBackoff and MaxBackoff bound the delay after consecutive failures.
	MinBackoff, MaxBackoff time.Duration
	// Stored returns what is stored of a resource. It must not be the scheduler's store. It may be
	// nil, and there are no previews, and nothing is replaced that others refer to.
	Stored func(context.Context, store.Key, *schema.Resource) (store.Record, error)
	// EachStored calls a function with the keys of the stored instances of a kind, some at a time,
	// whose records the scheduler loads without a request each meanwhile. It may leave some out. It
	// may be nil: each record is loaded by itself.
	EachStored func(context.Context, runtimeschema.GroupKind, func([]store.Key)) error
	// Naming returns the keys of the records of a kind that may name one of the objects sought, at
	// most a number of them; few is false if there are more. It may be nil: all records have to be
	// loaded to know them.
	Naming func(ctx context.Context, kind runtimeschema.GroupKind, of scheduler.Sought, most int) (keys []store.Key, few bool, _ error)
	// Marked reports whether an earlier process has left a mark. It may be nil: there are none.
	Marked func(scheduler.Mark) bool
	// Since returns a resource version at which an earlier process still worked; empty if it is not
	// known. It may be nil.
	Since func() string
	// Policies returns the PlanPolicies. It may be nil, and there are none.
	Policies func(context.Context) ([]*policy.Policy, error)
	// Paused returns why nothing may begin for a resource; empty if it may. It may be nil, and
	// nothing is paused.
	Paused func(halt.Subject) string
	// DestroysOf returns the number of destroys per minute that a namespace has a limit of its own
	// for; false if it has none. It may be nil: none has.
	DestroysOf func(ctx context.Context, namespace string) (int, bool)
	Recorder   event.Recorder
	// Metrics may be nil: there are none.
	Metrics *Metrics
	Logger  logr.Logger
	// Shards decides which resources are worked on. It may be nil: all are.
	Shards Shards
	// Secrets watches the Secrets that resources refer to. It may be nil: then changes are noticed
	// at the next poll.
	Secrets SecretWatch
}

// SecretWatch wakes resources when Secrets change.
type SecretWatch interface {
	// Uses records which Secrets a resource refers to; none if it is gone.
	Uses(k store.Key, secrets []types.NamespacedName)
}

func (k *Kind) usesSecrets(key store.Key, secrets []types.NamespacedName) {
	if k.Options.Secrets != nil {
		k.Options.Secrets.Uses(key, secrets)
	}
}

// get reads a resource of the kind, which must not be changed: it may be that of a cache.
func (k *Kind) get(ctx context.Context, reader client.Reader, name types.NamespacedName) (*unstructured.Unstructured, error) {
	version, kind := k.Model.GroupVersionKind().ToAPIVersionAndKind()
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": version, "kind": kind}}
	return u, reader.Get(ctx, name, u, client.UnsafeDisableDeepCopy)
}

// namedBySpec reports whether the annotation of the external name is part of the configuration.
func (k *Kind) namedBySpec() bool {
	return k.Model.Settings.Argument != nil || k.Model.Settings.Functions.Configure != nil
}

// Listed returns a channel that is closed when the references of all resources of the kind are
// known.
func (k *Kind) Listed() <-chan struct{} { return k.listed }

// ObjectsClaimed returns a channel that is closed when the remote objects of all resources of the
// kind are claimed.
func (k *Kind) ObjectsClaimed() <-chan struct{} { return k.claimed }

// Wake queues a resource for an immediate reconcile.
func (k *Kind) Wake(key store.Key) {
	k.turns.Wake(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: key.Namespace, Name: key.Name}})
}

// OldestChange returns how long ago the controller received the oldest change or new resource of
// the kind that no reconcile has answered; 0 if there is none.
func (k *Kind) OldestChange() time.Duration { return k.turns.OldestChange() }
