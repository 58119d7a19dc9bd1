package managed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/apis/managed"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A provider configuration may read the connection Secret of a resource: the endpoint of a
// database, for example. What uses this configuration waits while the object is replaced, and goes
// on with the new values. It is not planned with the replacement, since no provider plans with a
// configuration that is not known, and it is neither destroyed nor asked whether it agrees.

// RereadingConfigs is implemented by ProviderConfigs that keep what they have read.
type RereadingConfigs interface {
	// Reread has the Secrets of the provider configurations read again that a resource uses.
	Reread(ref *xpv2.ProviderConfigReference, named map[string]*xpv2.ProviderConfigReference, namespace string)
}

// configurations are the provider configurations of resources, as the caches have them.
type configurations struct{ Neighbours }

// Of implements references.Configurations.
func (c configurations) Of(resource store.Key) []store.Key {
	k := c.Kind(schema.GroupKind{Group: resource.Group, Kind: resource.Kind})
	if k == nil {
		return nil
	}
	u, err := k.get(context.Background(), k.reader, types.NamespacedName{Namespace: resource.Namespace, Name: resource.Name})
	if err != nil {
		return nil // it is gone
	}
	return k.configurationKeys(u)
}

// Users implements references.Configurations. The kind of a module has configurations of several
// providers.
func (c configurations) Users(configuration store.Key) []store.Key {
	return slices.DeleteFunc(c.UsersOf(configuration), func(x store.Key) bool { return !slices.Contains(c.Of(x), configuration) })
}

// configurationKeys returns the provider configurations that a resource uses.
func (k *Kind) configurationKeys(u *unstructured.Unstructured) []store.Key {
	return keysOfConfigurations(k.configurationNames(u))
}

func keysOfConfigurations(names []string) (out []store.Key) {
	for _, name := range names {
		if part := strings.Split(name, "/"); len(part) == 4 { // as providerconfig.Resolver names it
			out = append(out, store.Key{Group: part[0], Kind: part[1], Namespace: part[2], Name: part[3]})
		}
	}
	return out
}

// configuringOf returns the other resources from whose objects the provider configurations of a
// resource take values.
func (k *Kind) configuringOf(resource store.Key, configurations []store.Key) (out []store.Key) {
	for _, configuration := range configurations {
		for _, writer := range k.Neighbours.References().Writers(configuration) {
			if writer != resource && !slices.Contains(out, writer) {
				out = append(out, writer)
			}
		}
	}
	return out
}

// reread has the provider configurations of a resource read again: they have other values after a
// replacement.
func (k *Kind) reread(r *CustomResource) {
	if configs, ok := k.ProviderConfigs.(RereadingConfigs); ok {
		configs.Reread(r.GetProviderConfigReference(), r.providerConfigReferences(), r.GetNamespace())
	}
}

// configuredEffect is the effect on a resource which only uses a provider configuration that takes
// values from the objects that are replaced.
func (k *Kind) configuredEffect(ctx context.Context, r *CustomResource) effect {
	if k.Options.Stored == nil {
		return refusal("it is not known here whether an operation was begun")
	}
	rec, err := k.Options.Stored(ctx, k.key(&r.Unstructured), k.Model.Schema)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return effect{action: string(terraform.NoOp)}
	case err != nil:
		return refusal("what is stored of the object cannot be read")
	}
	return effect{action: string(terraform.NoOp), operates: rec.Instance.Operation != nil}
}

// called returns how messages of a resource call one whose object is replaced: of another
// namespace, it knows the provider configuration only.
func (k *Kind) called(r *CustomResource, of store.Key) string {
	if !slices.Contains(r.configuring, of) {
		return nameOf(of, r.GetNamespace())
	}
	by := k.configurationWith(r, of)
	if of.Namespace != r.GetNamespace() {
		return fmt.Sprintf("the resource from which %s %s takes values", by.Kind, by.Name)
	}
	return fmt.Sprintf("%s, from which %s %s takes values,", nameOf(of, r.GetNamespace()), by.Kind, by.Name)
}

// configurationWith returns a provider configuration of a resource that takes values from the
// object of another one.
func (k *Kind) configurationWith(r *CustomResource, of store.Key) store.Key {
	for _, configuration := range k.configurationKeys(&r.Unstructured) {
		if slices.Contains(k.Neighbours.References().Writers(configuration), of) {
			return configuration
		}
	}
	return of
}

// newAnswer returns the answer to the replacement of the object of another resource. It names the
// provider configuration instead of a resource of another namespace on which that depends.
func (k *Kind) newAnswer(r *CustomResource, of store.Key, uid types.UID) managed.AwaitedReplacement {
	if of.Namespace != r.GetNamespace() && slices.Contains(r.configuring, of) {
		of = k.configurationWith(r, of)
	}
	return managed.AwaitedReplacement{Group: of.Group, Kind: of.Kind, Namespace: of.Namespace, Name: of.Name, UID: string(uid)}
}

// keyOfAnswer returns the resource to whose replacement a dependent has answered; the provider
// configuration that the answer names if that takes no value from it any more.
func (k *Kind) keyOfAnswer(a managed.AwaitedReplacement) store.Key {
	key := store.Key{Group: a.Group, Kind: a.Kind, Namespace: a.Namespace, Name: a.Name}
	if !references.IsConfiguration(key) {
		return key
	}
	for _, writer := range k.Neighbours.References().Writers(key) {
		if u, err := k.target(context.Background(), writer, false); err == nil && u != nil && string(u.GetUID()) == a.UID {
			return writer
		}
	}
	return key
}
