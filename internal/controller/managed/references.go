package managed

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/expression"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Neighbours gives access to the references between resources of all served kinds.
type Neighbours interface {
	// References returns the graph of references.
	References() *references.Graph
	// Served returns the list kind of a kind; ok is false if the kind is not served.
	Served(schema.GroupKind) (list string, ok bool)
	// Lacks returns why no object of a kind ever has a field at a path; nil if they may have it, or
	// if that is not known.
	Lacks(of schema.GroupKind, path string) error
	// Settled is closed when the kinds that were served before are served again, and the references
	// of all resources are known.
	Settled() <-chan struct{}
	// Claimed is closed when the remote objects of the resources of these kinds are claimed, too.
	Claimed() <-chan struct{}
	// ModulesClaimed is closed when those of the resources of modules are claimed, whose objects
	// may be of any type.
	ModulesClaimed() <-chan struct{}
	// Activated reports whether Kind.Activated does so for all served kinds, or for those of
	// modules.
	Activated(configurations []string, modules bool) bool
	// Kind returns the kind that is served; nil if it is not.
	Kind(schema.GroupKind) *Kind
	// Wake queues a resource for an immediate reconcile.
	Wake(store.Key)
	// UsersOf returns the resources that use a provider configuration, and may use it.
	UsersOf(configuration store.Key) []store.Key
}

// waitsForOthers precedes the references that cannot be resolved yet.
const waitsForOthers = "waiting for other resources: "

// referrer resolves the references of resources of a kind.
type referrer struct {
	kind   *Kind
	client *resourceClient
}

// resolveReferences sets the referencing fields of a resource. It returns an error while nothing
// may be done to its object.
func (f referrer) resolveReferences(ctx context.Context, r *CustomResource) error {
	if meta.WasDeleted(r) {
		return nil // what it refers to may be gone
	}
	changed, err := f.resolve(ctx, r)
	if waits := f.awaitReplacements(ctx, r); waits != nil {
		return waits
	}
	if changed {
		err = errors.Join(err, f.client.update(ctx, r, references.Owner))
	}
	if err == nil {
		f.followed(r)
	}
	if err != nil {
		r.reason, r.mistaken = v1alpha1.ReasonReferenceNotResolved, references.Mistaken(err)
	}
	return err
}

// resolve sets the referencing fields of a resource in memory, and reports whether it changed one.
func (f referrer) resolve(ctx context.Context, r *CustomResource) (changed bool, _ error) {
	graph, key := f.kind.Neighbours.References(), f.kind.key(&r.Unstructured)
	refs, err := references.Of(&r.Unstructured, f.kind.Model)
	writers, configuring := graph.Writers(key), f.kind.configuringOf(key, f.kind.configurationKeys(&r.Unstructured))
	if err != nil || len(refs)+len(writers)+len(configuring)+len(answersOf(&r.Unstructured)) == 0 {
		return false, err // received has recorded that there are none
	}
	graph.Awaits(key, references.Sources(refs)) // before the lookup, so that resources created meanwhile are noticed
	resolver := references.Resolver{
		Reader: f.client.cached, Served: f.kind.Neighbours.Served, Call: f.kind.caller(r),
		Lacks: f.kind.Neighbours.Lacks, Wrote: f.kind.wrote(r),
	}
	var still map[store.Key]*unstructured.Unstructured
	if r.released, still, err = f.kind.released(ctx, r); err != nil {
		return false, err
	}
	if len(r.released) > 0 {
		// The cache may not have the new object yet.
		resolver.Reader, resolver.Replaced = f.client.live, func(of store.Key) bool { return r.released[of] }
	}
	before := r.unresolved()
	found, err := resolver.Resolve(ctx, &r.Unstructured, refs)
	f.kind.wake(graph.Refers(key, found.Targets))
	sources := slices.Concat(found.Targets, writers)
	r.configuring = slices.DeleteFunc(configuring, func(of store.Key) bool { return slices.Contains(sources, of) })
	if slices.ContainsFunc(r.configuring, func(of store.Key) bool { return r.released[of] }) {
		f.kind.reread(r)
	}
	sources = append(sources, r.configuring...)
	r.replaced = f.kind.replacements(ctx, sources)
	if IsClosed(f.kind.Neighbours.Settled()) { // all writers of Secrets are known
		maps.DeleteFunc(still, func(of store.Key, _ *unstructured.Unstructured) bool { return !slices.Contains(sources, of) })
	}
	maps.Copy(r.replaced, still)
	for of := range r.replaced {
		found.Awaited = append(found.Awaited, references.Where{Key: of})
	}
	changing, unknown := f.changing(ctx, r, before, found.Targets)
	for _, of := range changing {
		found.Awaited = append(found.Awaited, references.Where{Key: of})
	}
	graph.Awaits(key, found.Awaited)
	r.differs, r.unwritten = found.Differs, found.Unwritten
	if err == nil && unknown != nil {
		return false, unknown
	}
	if err == nil && len(changing) > 0 {
		return false, f.waitsFor(r, changing)
	}
	if err == nil && len(found.Missing) > 0 {
		err = fmt.Errorf(waitsForOthers+"%s", strings.Join(found.Missing, "; "))
	}
	return found.Changed, err
}

// Lacks returns why no resource of the kind ever has a field at a path; nil if they may have it.
func (k *Kind) Lacks(path string) error { return k.paths.Lacks(k.Model, path) }

// caller returns what calls the functions of the provider, with the provider configuration of a
// resource.
func (k *Kind) caller(r *CustomResource) expression.Caller {
	return references.Caller(k.Model, func(ctx context.Context) (terraform.Executor, func(), error) {
		ex, release, diags := k.resolve(ctx, r).Acquire(ctx)
		return ex, release, diags.Err()
	})
}

// wrote returns Resolver.Wrote of a resource. What the cache has of a resource has no managed
// fields, so it is read anew.
func (k *Kind) wrote(r *CustomResource) func(context.Context, string) (bool, error) {
	var read *unstructured.Unstructured
	return func(ctx context.Context, path string) (bool, error) {
		if read == nil {
			u, err := k.get(ctx, k.live, client.ObjectKeyFromObject(r))
			if err != nil {
				return false, err
			}
			read = u
		}
		return references.SetByResolver(read, path), nil
	}
}

// resolver returns what resolves the references of a resource from the cache.
func (k *Kind) resolver(r *CustomResource) references.Resolver {
	return references.Resolver{Reader: k.reader, Served: k.Neighbours.Served, Call: k.caller(r)}
}

// mayGo returns an error if other resources refer to a resource before it is destroyed. It waits
// until all references are known.
func (k *Kind) mayGo(ctx context.Context, r *CustomResource) error {
	if err := k.referencesKnown(ctx, r); err != nil {
		return err
	}
	by := k.Neighbours.References().Referrers(k.key(&r.Unstructured))
	if len(by) == 0 {
		return nil
	}
	var names []string
	for _, b := range by {
		if name := nameOf(b, r.GetNamespace()); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	r.reason = v1alpha1.ReasonStillReferredTo
	return fmt.Errorf("the object is destroyed when nothing refers to it any more: %s", listed(names))
}

// referencesKnown returns an error until it is known which resources refer to a resource.
func (k *Kind) referencesKnown(ctx context.Context, r *CustomResource) error {
	if !awaited(ctx, k.Neighbours.Settled()) {
		return errors.New("it is not known yet whether other resources refer to this one")
	}
	for _, by := range k.Neighbours.References().Selecting(k.key(&r.Unstructured)) {
		if of := k.Neighbours.Kind(schema.GroupKind{Group: by.Group, Kind: by.Kind}); of != nil {
			if err := of.refers(ctx, by); err != nil {
				return fmt.Errorf("it is not known yet whether %s %s refers to this one: %w", by.Kind,
					cache.ObjectName{Namespace: by.Namespace, Name: by.Name}, err)
			}
		}
	}
	return nil
}

// refers records what a resource refers to. That is known of each resource that was reconciled
// since the start, but for those that were being deleted: their references are not resolved any
// more.
func (k *Kind) refers(ctx context.Context, key store.Key) error {
	r := &CustomResource{}
	r.SetGroupVersionKind(k.Model.GroupVersionKind())
	if err := k.reader.Get(ctx, client.ObjectKey{Namespace: key.Namespace, Name: key.Name}, &r.Unstructured); err != nil {
		return client.IgnoreNotFound(err)
	}
	refs, err := references.Of(&r.Unstructured, k.Model)
	if err != nil {
		return nil // its own condition tells
	}
	found, _ := k.resolver(r).Resolve(ctx, &r.Unstructured, refs) // a mistake in a reference is told by its own condition, too
	k.Neighbours.References().Refers(key, found.Targets)
	return nil
}

// received is called with every resource of the kind, and with deleted ones.
func (k *Kind) received(u *unstructured.Unstructured, gone bool) {
	graph, key := k.Neighbours.References(), k.key(u)
	if !gone {
		graph.Permits(key, u.GetAnnotations()[v1alpha1.AnnotationReferableFrom])
	}
	k.hearSecrets(u, gone)
	refs, err := references.Of(u, k.Model)
	switch {
	case gone || err == nil && len(refs) == 0 && len(graph.Writers(key)) == 0 && len(k.configuringOf(key, k.configurationKeys(u))) == 0:
		graph.Awaits(key, nil)
		k.wake(graph.Refers(key, nil))
	case err == nil && (!graph.Knows(key) || !k.resolvesHere(u)):
		k.wake(graph.Refers(key, references.Keys(refs))) // until they are resolved, which is not here for those of other shards
	}
	k.wake(graph.Waiting(key, u.GetLabels()))
	k.wakeDependents(u)
	if gone {
		graph.Permits(key, "")
		k.Scheduler.Deleted(u.GetUID())
	}
}

// resolvesHere reports whether the references of a resource are resolved by this controller.
func (k *Kind) resolvesHere(u *unstructured.Unstructured) bool {
	return k.Options.Shards == nil || k.Options.Shards.Belong(k.use(u)) == Here
}

func (k *Kind) wake(keys []store.Key) {
	for _, key := range keys {
		k.Neighbours.Wake(key)
	}
}

func (k *Kind) key(u *unstructured.Unstructured) store.Key {
	return k.keyOf(types.NamespacedName{Namespace: u.GetNamespace(), Name: u.GetName()})
}

func (k *Kind) keyOf(name types.NamespacedName) store.Key {
	return store.Key{Group: k.Model.Group, Kind: k.Model.Kind, Namespace: name.Namespace, Name: name.Name}
}
