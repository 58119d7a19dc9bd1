package results

import (
	"context"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/managed/turns"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// ProviderConfigs resolves a providerConfigRef to an executor that is a terraform.DataReader and a
// terraform.EphemeralOpener.
type ProviderConfigs interface {
	managed.ProviderConfigs
	managed.NamingConfigs
}

// Neighbours gives access to the other kinds that are served.
type Neighbours interface {
	// References returns the graph of references.
	References() *references.Graph
	// Served returns the list kind of a kind; ok is false if the kind is not served.
	Served(kschema.GroupKind) (list string, ok bool)
	// Lacks returns why no object of a kind ever has a field at a path; nil if they may have it, or
	// if that is not known.
	Lacks(of kschema.GroupKind, path string) error
	// Claimed is closed when the remote objects of the resources of all kinds are claimed.
	Claimed() <-chan struct{}
	// Wake queues a resource for an immediate reconcile.
	Wake(store.Key)
}

// Kind is the kind of one data source or ephemeral resource, with the dependencies of its
// controller.
type Kind struct {
	Model *model.Resource
	// Objects is the resource type of the same name; nil if there is none.
	Objects         *schema.Resource
	ProviderConfigs ProviderConfigs
	Neighbours      Neighbours
	Options         managed.Options
	// HashKey is the key of the hashes of arguments in status. Without it, a hash would let
	// sensitive arguments be guessed.
	HashKey []byte
	// OwnedElsewhere reports whether a resource of another namespace owns the object of Objects
	// that was read. It may be nil: none does.
	OwnedElsewhere func(ctx context.Context, namespace string, by ownership.Access, of *schema.Resource, data cty.Value) bool

	// Leases has what is open of ephemeral resources. It is not needed for a data source.
	Leases Leases
	// Clock is the real one by default.
	Clock clock.PassiveClock

	turns        *turns.Turns
	reader, live client.Reader
	paths        references.Paths

	mu sync.Mutex
	// looks has what is remembered of each object.
	looks map[types.NamespacedName]look
}

// look is what is remembered of an object between reconciles.
type look struct {
	uid types.UID
	// last is the last read that succeeded in this process.
	last read
	// opening and closing are the attempts to do so that have failed.
	opening, closing attempts
}

// Lacks returns why no object of the kind ever has a field at a path; nil if they may have it.
func (k *Kind) Lacks(path string) error { return k.paths.Lacks(k.Model, path) }

func (k *Kind) recall(o *object) look {
	k.mu.Lock()
	defer k.mu.Unlock()
	if known := k.looks[client.ObjectKeyFromObject(o)]; known.uid == o.GetUID() {
		return known
	}
	return look{uid: o.GetUID()}
}

func (k *Kind) remember(o *object, l look) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.looks[client.ObjectKeyFromObject(o)] = l
}

// gone forgets an object that no longer exists.
func (k *Kind) gone(name types.NamespacedName) {
	k.mu.Lock()
	delete(k.looks, name)
	k.mu.Unlock()
	k.usesSecrets(k.key(name), nil)
}

func (k *Kind) usesSecrets(key store.Key, secrets []types.NamespacedName) {
	if k.Options.Secrets != nil {
		k.Options.Secrets.Uses(key, secrets)
	}
}

func (k *Kind) key(name types.NamespacedName) store.Key {
	return store.Key{Group: k.Model.Group, Kind: k.Model.Kind, Namespace: name.Namespace, Name: name.Name}
}

// Wake queues an object for an immediate reconcile.
func (k *Kind) Wake(key store.Key) {
	k.turns.Wake(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: key.Namespace, Name: key.Name}})
}

// BeingDeleted returns the number of objects that are being deleted and wait for the controller.
func (k *Kind) BeingDeleted(ctx context.Context) (int, error) {
	return managed.BeingDeleted(ctx, k.Model.ListGroupVersionKind(), k.reader, k.live)
}

func (k *Kind) now() time.Time { return k.Clock.Now() }

// Users returns the objects of the kind that use a provider configuration.
func (k *Kind) Users(ctx context.Context, ref providerconfig.Reference) ([]providerconfig.User, error) {
	all, err := k.list(ctx, client.InNamespace(ref.Namespace))
	var out []providerconfig.User
	for i := range all {
		if managed.ConfigurationOf(&all[i]) == ref {
			key := k.key(client.ObjectKeyFromObject(&all[i]))
			out = append(out, providerconfig.User{Key: key, Wake: func() { k.Wake(key) }})
		}
	}
	return out, err
}

// Uses returns what the objects of the kind use.
func (k *Kind) Uses(ctx context.Context) (out []shard.Use, _ error) {
	all, err := k.list(ctx)
	for i := range all {
		out = append(out, k.use(&all[i]))
	}
	return out, err
}

// Moved wakes all objects: some have been moved to another shard.
func (k *Kind) Moved(ctx context.Context) {
	all, err := k.list(ctx)
	if err != nil {
		k.Options.Logger.Error(err, "Cannot list the data sources that move to another replica", "kind", k.Model.Kind)
	}
	for i := range all {
		k.Wake(k.key(client.ObjectKeyFromObject(&all[i])))
	}
}

// use returns what an object uses. It belongs with the resources of the type of the same name,
// whose owners are known there.
func (k *Kind) use(u *unstructured.Unstructured) shard.Use {
	return shard.Use{Configurations: k.ProviderConfigs.Names(configReference(u), nil, u.GetNamespace()), Types: []string{k.Model.Type}}
}

// list returns the objects of the kind, which must not be changed.
func (k *Kind) list(ctx context.Context, o ...client.ListOption) ([]unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(k.Model.ListGroupVersionKind())
	err := k.reader.List(ctx, list, append(o, client.UnsafeDisableDeepCopy)...)
	return list.Items, err
}

// get returns an object of the kind, which must not be changed.
func (k *Kind) get(ctx context.Context, name types.NamespacedName) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(k.Model.GroupVersionKind())
	return u, k.reader.Get(ctx, name, u, client.UnsafeDisableDeepCopy)
}
