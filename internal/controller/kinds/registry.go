package kinds

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	landbridgeschema "github.com/landbridge-io/landbridge/schema"
)

// Registry finds the running controller of a kind. The zero value is ready to use.
type Registry struct {
	references references.Graph
	startup    startup

	mu    sync.RWMutex
	kinds map[schema.GroupKind]*managed.Kind
	// unmanaged are the kinds of data sources, ephemeral resources and actions.
	unmanaged map[schema.GroupKind]*unmanagedKind
	// starting are kinds whose existing resources are not all known yet. New ones are reconciled
	// already.
	starting map[schema.GroupKind]*managed.Kind
	// configs are the provider configurations of each group.
	configs map[string]configurationsOf
}

// configurationsOf are the provider configurations of a group, and their provider. changed is
// called when a Secret has changed to which one refers, and users returns the resources that use
// one, and may use it.
type configurationsOf struct {
	provider *ServedProvider
	changed  func(providerconfig.Reference)
	users    func(providerconfig.Reference) []store.Key
}

// References returns the graph of references between resources.
func (r *Registry) References() *references.Graph { return &r.references }

// Served returns the kind by which a kind is listed (model.Resource.ListGroupVersionKind), and
// whether a controller of the kind runs.
func (r *Registry) Served(kind schema.GroupKind) (list string, ok bool) {
	if of := r.unmanagedOf(kind); of != nil {
		return of.Model.ListGroupVersionKind().Kind, true
	}
	k := r.Kind(kind)
	if k == nil {
		return "", false
	}
	return k.Model.ListGroupVersionKind().Kind, true
}

// Lacks returns why no object of a kind ever has a field at a path; nil if they may have it, or if
// the kind is not served.
func (r *Registry) Lacks(kind schema.GroupKind, path string) error {
	if of := r.unmanagedOf(kind); of != nil {
		return of.Lacks(path)
	}
	if k := r.Kind(kind); k != nil {
		return k.Lacks(path)
	}
	return nil
}

// Kind returns the running controller of a kind, or nil.
func (r *Registry) Kind(kind schema.GroupKind) *managed.Kind {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.kinds[kind]
}

// Wake reconciles a resource now, if a controller of its kind runs or starts.
func (r *Registry) Wake(key store.Key) {
	kind := schema.GroupKind{Group: key.Group, Kind: key.Kind}
	r.mu.RLock()
	k := r.kinds[kind]
	if k == nil {
		k = r.starting[kind]
	}
	of := r.unmanaged[kind]
	r.mu.RUnlock()
	switch {
	case k != nil:
		k.Wake(key)
	case of != nil:
		of.Wake(key)
	}
}

// SecretChanged is called when a Secret has changed that a resource or a provider configuration
// refers to.
func (r *Registry) SecretChanged(key store.Key) {
	if !references.IsConfiguration(key) {
		r.Wake(key)
		return
	}
	if changed := r.configurationsOf(key.Group).changed; changed != nil {
		changed(providerconfig.Reference{Kind: key.Kind, Namespace: key.Namespace, Name: key.Name})
	}
}

// UsersOf returns the resources that use a provider configuration, and may use it.
func (r *Registry) UsersOf(configuration store.Key) []store.Key {
	users := r.configurationsOf(configuration.Group).users
	if users == nil {
		return nil
	}
	return users(providerconfig.Reference{Kind: configuration.Kind, Namespace: configuration.Namespace, Name: configuration.Name})
}

func (r *Registry) configurationsOf(group string) configurationsOf {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.configs[group]
}

// Providers returns the providers that are served and have a resource type, whether or not it is
// activated.
func (r *Registry) Providers(resourceType string) (out []*ServedProvider) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, c := range r.configs {
		if c.provider != nil && c.provider.Model.Resources[resourceType] != nil {
			out = append(out, c.provider)
		}
	}
	return out
}

// Forget calls managed.Kind's method of that name for all kinds.
func (r *Registry) Forget(units []shard.Unit) {
	for _, k := range r.running() {
		k.Forget(units)
	}
}

// Moved wakes the resources of some units, which were moved to another shard.
func (r *Registry) Moved(ctx context.Context, units []shard.Unit) {
	for _, k := range r.running() {
		k.Moved(ctx, units)
	}
	for _, k := range r.runningUnmanaged() {
		k.Moved(ctx)
	}
}

// Activated reports whether managed.Kind's method of that name does so for all kinds, or for those
// of modules.
func (r *Registry) Activated(configurations []string, modules bool) bool {
	out := true
	for _, k := range r.running() {
		if !modules || k.HasObjectsOfAnyType() {
			out = k.Activated(configurations) && out
		}
	}
	return out
}

func (r *Registry) running() []*managed.Kind {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Collect(maps.Values(r.kinds))
}

func (r *Registry) addConfigs(group string, configs configurationsOf) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.configs == nil {
		r.configs = map[string]configurationsOf{}
	}
	r.configs[group] = configs
}

func (r *Registry) removeConfigs(group string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.configs, group)
	for _, kind := range []string{model.ProviderConfigKind, model.ClusterProviderConfigKind} {
		r.references.Drop(schema.GroupKind{Group: group, Kind: kind})
	}
}

// OldestChanges returns Kind.OldestChange of all kinds whose controllers run.
func (r *Registry) OldestChanges() map[schema.GroupKind]time.Duration {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make(map[schema.GroupKind]time.Duration, len(r.kinds))
	for kind, k := range r.kinds {
		out[kind] = k.OldestChange()
	}
	return out
}

// Marks calls a function with the marks of all resources at rest.
func (r *Registry) Marks(yield func(scheduler.Mark)) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, k := range r.kinds {
		k.Marks(yield)
	}
}

// Preview returns what an object, if it were applied, would change of its remote object; nil if no
// controller of its kind runs here.
func (r *Registry) Preview(ctx context.Context, kind schema.GroupKind, u *unstructured.Unstructured) []string {
	if k := r.Kind(kind); k != nil {
		return append(k.Preview(ctx, u), r.refusedTriggers(ctx, u)...)
	}
	return nil
}

// Exists reports whether the resource exists. If no controller of its kind runs, it may exist, so
// Exists returns true. It returns an error if the API server does not answer.
func (r *Registry) Exists(ctx context.Context, key store.Key, uid types.UID) (bool, error) {
	k := r.Kind(schema.GroupKind{Group: key.Group, Kind: key.Kind})
	if k == nil {
		return true, nil
	}
	return k.Exists(ctx, key, uid)
}

// Manages reports whether a resource exists and manages its object. Resources of kinds that are not
// served count as such.
func (r *Registry) Manages(ctx context.Context, key store.Key) (bool, error) {
	k := r.Kind(schema.GroupKind{Group: key.Group, Kind: key.Kind})
	if k == nil {
		return true, nil
	}
	return k.Manages(ctx, key)
}

// Having returns the kinds whose resources may have objects of a resource type: those of the type,
// and those of modules.
func (r *Registry) Having(resourceType string) (out []schema.GroupKind) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, of := range []map[schema.GroupKind]*managed.Kind{r.kinds, r.starting} {
		for kind, k := range of {
			if k.HasObjectsOfAnyType() || k.Model.Type == resourceType {
				out = append(out, kind)
			}
		}
	}
	return out
}

// ObjectsOf returns the schema of a resource, and scheduler.Request.Consists of it. The schema is
// nil if no controller of its kind runs or starts.
func (r *Registry) ObjectsOf(key store.Key) (*landbridgeschema.Resource, scheduler.Consists) {
	kind := schema.GroupKind{Group: key.Group, Kind: key.Kind}
	r.mu.RLock()
	defer r.mu.RUnlock()
	k := cmp.Or(r.kinds[kind], r.starting[kind])
	if k == nil {
		return nil, nil
	}
	return k.Model.Schema, k.Consists()
}

// start adds a kind that is starting.
func (r *Registry) start(k *managed.Kind) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.starting == nil {
		r.starting = map[schema.GroupKind]*managed.Kind{}
	}
	r.starting[k.Model.GroupVersionKind().GroupKind()] = k
}

// started adds a kind that has started, unless that failed.
func (r *Registry) started(k *managed.Kind, err error) {
	kind := k.Model.GroupVersionKind().GroupKind()
	defer r.startup.tell()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.starting, kind)
	if err != nil {
		return
	}
	if r.kinds == nil {
		r.kinds = map[schema.GroupKind]*managed.Kind{}
	}
	r.kinds[kind] = k
}

func (r *Registry) remove(k *managed.Kind) {
	kind := k.Model.GroupVersionKind().GroupKind()
	defer r.startup.tell()
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.kinds, kind)
	r.references.Drop(kind)
}
