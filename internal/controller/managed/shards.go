package managed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// configurationNames returns the names of the configurations that a resource uses.
func (k *Kind) configurationNames(u *unstructured.Unstructured) []string {
	r := CustomResource{Unstructured: *u}
	return k.namesOf(r.GetProviderConfigReference(), r.providerConfigReferences(), u.GetNamespace())
}

func (k *Kind) namesOf(ref *xpv2.ProviderConfigReference, named map[string]*xpv2.ProviderConfigReference, namespace string) []string {
	if n, ok := k.ProviderConfigs.(NamingConfigs); ok {
		return n.Names(ref, named, namespace)
	}
	return nil
}

// objectType is the resource type of the kind's objects; shard.Any if they may be of any.
func (k *Kind) objectType() string {
	if _, ok := k.ProviderConfigs.(NamedProviderConfigs); ok {
		return shard.Any
	}
	return k.Model.Type
}

// Consists returns scheduler.Request.Consists of the resources of the kind.
func (k *Kind) Consists() scheduler.Consists {
	if named, ok := k.ProviderConfigs.(NamedProviderConfigs); ok {
		return named.Consists
	}
	return nil
}

// HasObjectsOfAnyType reports whether the kind is that of a module.
func (k *Kind) HasObjectsOfAnyType() bool { return k.objectType() == shard.Any }

// use returns what a resource uses. If it takes over the object of another one, that is what this
// one uses, too: both records are written by one process.
func (k *Kind) use(u *unstructured.Unstructured) shard.Use {
	out := shard.Use{Configurations: k.configurationNames(u), Types: []string{k.objectType()}}
	from, ok := moveSource(u, k.key(u))
	if !ok || out.Types[0] == shard.Any {
		return out
	}
	of := k.Neighbours.Kind(schema.GroupKind{Group: from.Group, Kind: from.Kind})
	if of == nil || of.objectType() == shard.Any {
		return out // nothing is taken over then
	}
	source, err := of.get(context.Background(), of.reader, types.NamespacedName{Namespace: from.Namespace, Name: from.Name})
	if err != nil {
		return out // it is not there, or not known yet
	}
	if t := of.objectType(); t != out.Types[0] {
		out.Types = append(out.Types, t)
	}
	for _, name := range of.configurationNames(source) {
		if !slices.Contains(out.Configurations, name) {
			out.Configurations = append(slices.Clone(out.Configurations), name)
		}
	}
	return out
}

// sourceMayUse reports whether the resource whose object a resource takes over, if any, may use its
// provider configurations. Only then are they put together with those of this one.
func (k *Kind) sourceMayUse(ctx context.Context, u *unstructured.Unstructured) bool {
	from, ok := moveSource(u, k.key(u))
	if !ok {
		return true
	}
	of := k.Neighbours.Kind(schema.GroupKind{Group: from.Group, Kind: from.Kind})
	if of == nil {
		return true
	}
	found, err := of.get(ctx, of.reader, types.NamespacedName{Namespace: from.Namespace, Name: from.Name})
	if err != nil {
		return true // it is no part of the use
	}
	source := &CustomResource{}
	source.assign(found)
	handle := of.resolve(ctx, source)
	return !handle.Denied && !handle.Missing
}

// Uses returns what the kind's resources use, each use once.
func (k *Kind) Uses(ctx context.Context) (out []shard.Use, _ error) {
	seen := map[string]bool{}
	_, err := k.users(ctx, k.reader, func(u *unstructured.Unstructured) bool {
		use := k.use(u)
		if id := fmt.Sprintf("%q", use); !seen[id] {
			seen[id] = true
			out = append(out, use)
		}
		return false
	})
	return out, err
}

// users returns the resources of the kind for which a function returns true. They must not be
// changed.
func (k *Kind) users(
	ctx context.Context, reader client.Reader, uses func(*unstructured.Unstructured) bool, o ...client.ListOption,
) ([]unstructured.Unstructured, error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(k.Model.ListGroupVersionKind())
	if err := reader.List(ctx, list, append(o, client.UnsafeDisableDeepCopy)...); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(u unstructured.Unstructured) bool { return !uses(&u) }), nil
}

// stillHere returns an error unless a resource, as the API server has it, belongs to this shard,
// and is not being deleted unless that is known. The cache may not have it yet that the resource
// has moved, and that another shard has released it.
func (k *Kind) stillHere(ctx context.Context, key store.Key, uid types.UID, deleted bool) error {
	u, err := k.get(ctx, k.live, types.NamespacedName{Namespace: key.Namespace, Name: key.Name})
	switch {
	case kerrors.IsNotFound(err), err == nil && u.GetUID() != uid:
		return errors.New("the resource is gone")
	case err != nil:
		return fmt.Errorf("cannot tell whether this resource still exists: %w", err)
	case !deleted && u.GetDeletionTimestamp() != nil:
		return errors.New("the resource is being deleted")
	case k.Options.Shards.Belong(k.use(u)) != Here:
		return errElsewhere
	}
	return nil
}
