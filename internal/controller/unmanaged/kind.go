package unmanaged

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/controller/turns"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// ProviderConfigs resolves a providerConfigRef to an executor that can do what the kind is for.
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
	// Wake queues a resource for an immediate reconcile.
	Wake(store.Key)
}

// Kind is what the controller of one kind needs.
type Kind struct {
	Model           *model.Resource
	ProviderConfigs ProviderConfigs
	Neighbours      Neighbours
	Options         managed.Options
	// Leads reports whether no other process can have taken over. It may be nil: none ever does.
	Leads func() bool
	// Clock is the real one by default.
	Clock clock.PassiveClock
	// Cached may lag behind, but for Secrets; Live must not. Prepare sets them.
	Cached, Live client.Reader

	turns *turns.Turns
	paths *references.Paths
}

// Prepare sets what the kind reads from. cached may lag behind, but for Secrets; live must not.
func (k *Kind) Prepare(cached, live client.Reader) {
	k.turns = turns.New(k.Options.Workers, func() int { return 0 })
	k.Cached, k.Live, k.paths = cached, live, &references.Paths{}
	if k.Clock == nil {
		k.Clock = clock.RealClock{}
	}
}

// Queue sets the work queue. Start does so by itself.
func (k *Kind) Queue(q turns.Queue) { k.turns.Use(q) }

// Lacks returns why no object of the kind ever has a field at a path; nil if they may have it.
func (k *Kind) Lacks(path string) error { return k.paths.Lacks(k.Model, path) }

// UsesSecrets records which Secrets an object reads: it is woken when one of them changes.
func (k *Kind) UsesSecrets(key store.Key, secrets []types.NamespacedName) {
	if k.Options.Secrets != nil {
		k.Options.Secrets.Uses(key, secrets)
	}
}

// Key returns the key of an object of the kind.
func (k *Kind) Key(name types.NamespacedName) store.Key {
	return store.Key{Group: k.Model.Group, Kind: k.Model.Kind, Namespace: name.Namespace, Name: name.Name}
}

// Wake queues an object for an immediate reconcile.
func (k *Kind) Wake(key store.Key) {
	k.turns.Wake(reconcile.Request{NamespacedName: types.NamespacedName{Namespace: key.Namespace, Name: key.Name}})
}

// WakeAll wakes the objects of the kind that a function selects; all if it is nil. why completes
// the sentence "Cannot list the objects that …".
func (k *Kind) WakeAll(ctx context.Context, why string, which func(*unstructured.Unstructured) bool) {
	all, err := k.List(ctx)
	if err != nil {
		k.Options.Logger.Error(err, "Cannot list the objects that "+why, "kind", k.Model.Kind)
	}
	for i := range all {
		if which == nil || which(&all[i]) {
			k.Wake(k.Key(client.ObjectKeyFromObject(&all[i])))
		}
	}
}

// Moved wakes all objects: some have been moved to another shard.
func (k *Kind) Moved(ctx context.Context) { k.WakeAll(ctx, "move to another replica", nil) }

// BeingDeleted returns the number of objects that are being deleted and wait for the controller.
func (k *Kind) BeingDeleted(ctx context.Context) (int, error) {
	return managed.BeingDeleted(ctx, k.Model.ListGroupVersionKind(), k.Cached, k.Live)
}

// UsersOf returns the objects of the kind that use a provider configuration and that a function
// selects; all that use it if it is nil.
func (k *Kind) UsersOf(
	ctx context.Context, ref providerconfig.Reference, which func(*unstructured.Unstructured) bool,
) ([]providerconfig.User, error) {
	all, err := k.List(ctx, client.InNamespace(ref.Namespace))
	var out []providerconfig.User
	for i := range all {
		if managed.ConfigurationOf(&all[i]) == ref && (which == nil || which(&all[i])) {
			key := k.Key(client.ObjectKeyFromObject(&all[i]))
			out = append(out, providerconfig.User{Key: key, Wake: func() { k.Wake(key) }})
		}
	}
	return out, err
}

// Users returns the objects of the kind that use a provider configuration.
func (k *Kind) Users(ctx context.Context, ref providerconfig.Reference) ([]providerconfig.User, error) {
	return k.UsersOf(ctx, ref, nil)
}

// Uses returns what the objects of the kind use.
func (k *Kind) Uses(ctx context.Context) (out []shard.Use, _ error) {
	all, err := k.List(ctx)
	for i := range all {
		out = append(out, k.use(&all[i]))
	}
	return out, err
}

// use returns what an object uses. It belongs with the resources of the type of the same name,
// whose owners are known there.
func (k *Kind) use(u *unstructured.Unstructured) shard.Use {
	r := managed.CustomResource{Unstructured: *u}
	return shard.Use{
		Configurations: k.ProviderConfigs.Names(r.GetProviderConfigReference(), nil, u.GetNamespace()),
		Types:          []string{k.Model.Type},
	}
}

// List returns the objects of the kind, which must not be changed.
func (k *Kind) List(ctx context.Context, o ...client.ListOption) ([]unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(k.Model.ListGroupVersionKind())
	err := k.Cached.List(ctx, list, append(o, client.UnsafeDisableDeepCopy)...)
	return list.Items, err
}

// Get returns an object of the kind, which must not be changed.
func (k *Kind) Get(ctx context.Context, from client.Reader, name types.NamespacedName) (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(k.Model.GroupVersionKind())
	return u, from.Get(ctx, name, u, client.UnsafeDisableDeepCopy)
}

// Handle resolves the provider configuration of an object. revision differs if a failure of the
// object's former requests says nothing about the next one.
func (k *Kind) Handle(ctx context.Context, o *Resource, revision string) providerconfig.Handle[terraform.Executor] {
	return k.ProviderConfigs.Resolve(ctx, o.GetProviderConfigReference(), o.GetNamespace()).For(provider.User{
		Namespace: o.GetNamespace(), Resource: k.Model.Kind + "." + k.Model.Group + "/" + o.GetName(),
	}, revision)
}

// Waiting precedes the references that cannot be resolved yet.
const Waiting = "waiting for other resources: "

// Resolve sets the referencing fields of an object in memory only. Values of the user stay. So the
// object follows its references. handle returns the provider that functions of references are of.
func (k *Kind) Resolve(ctx context.Context, o *Resource, handle func() providerconfig.Handle[terraform.Executor]) error {
	resolver := references.Resolver{
		Reader: k.Cached, Served: k.Neighbours.Served, Lacks: k.Neighbours.Lacks,
		Call: references.Caller(k.Model, func(ctx context.Context) (terraform.Executor, func(), error) {
			ex, release, diags := handle().Acquire(ctx)
			return ex, release, diags.Err()
		}),
	}
	found, err := resolver.ResolveAll(ctx, &o.Unstructured, k.Model)
	if err == nil && len(found.Missing) > 0 {
		err = fmt.Errorf(Waiting+"%s", strings.Join(found.Missing, "; "))
	}
	return err
}
