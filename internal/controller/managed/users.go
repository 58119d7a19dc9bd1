package managed

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
)

// Users returns the resources of the kind that use a provider configuration.
func (k *Kind) Users(ctx context.Context, reader client.Reader, ref providerconfig.Reference) ([]providerconfig.User, error) {
	using, err := k.users(ctx, reader, func(u *unstructured.Unstructured) bool {
		return ConfigurationOf(u) == ref || slices.Contains(namedConfigurationsOf(u), ref)
	}, client.InNamespace(ref.Namespace))
	var out []providerconfig.User
	for i := range using {
		key := k.key(&using[i])
		out = append(out, providerconfig.User{
			Key: key, AccountChanged: accountChanged(&using[i]),
			Wake: func() { k.disturb(key); k.Wake(key) },
		})
	}
	return out, err
}

// accountChanged reports whether the object of a resource is not known to be in the account of its
// provider configuration.
func accountChanged(u *unstructured.Unstructured) bool {
	return isSynced(u, "reason", string(v1alpha1.ReasonAccountChanged))
}

// ConfigurationOf returns the provider configuration that a resource uses.
func ConfigurationOf(u *unstructured.Unstructured) providerconfig.Reference {
	r := CustomResource{Unstructured: *u}
	return providerconfig.ReferenceOf(r.GetProviderConfigReference(), u.GetNamespace())
}

// namedConfigurationsOf returns the provider configurations that an instance of a module uses by
// name.
func namedConfigurationsOf(u *unstructured.Unstructured) (out []providerconfig.Reference) {
	r := CustomResource{Unstructured: *u}
	for _, ref := range r.providerConfigReferences() {
		out = append(out, providerconfig.ReferenceOf(ref, u.GetNamespace()))
	}
	return out
}

// AwaitsDeletion reports whether a resource is being deleted and waits for its controller.
func AwaitsDeletion(o metav1.Object) bool {
	return o.GetDeletionTimestamp() != nil && held(o)
}

// BeingDeleted returns the number of resources of the kind that are being deleted and wait for a
// controller. If the cache has none, the API server is asked, since a deletion reaches the cache
// late.
func (k *Kind) BeingDeleted(ctx context.Context) (int, error) {
	return BeingDeleted(ctx, k.Model.ListGroupVersionKind(), k.reader, k.live)
}

// BeingDeleted is Kind.BeingDeleted for any list kind.
func BeingDeleted(ctx context.Context, gvk schema.GroupVersionKind, cache, api client.Reader) (int, error) {
	cached, live := &unstructured.UnstructuredList{}, &metav1.PartialObjectMetadataList{}
	cached.SetGroupVersionKind(gvk)
	live.SetGroupVersionKind(gvk)
	if n, err := awaitingDeletion(ctx, cache, cached); n > 0 || err != nil {
		return n, err
	}
	return awaitingDeletion(ctx, api, live)
}

// awaitingDeletion lists resources and returns the number of those that AwaitsDeletion reports.
func awaitingDeletion(ctx context.Context, reader client.Reader, list client.ObjectList) (n int, _ error) {
	if err := reader.List(ctx, list, client.UnsafeDisableDeepCopy); err != nil {
		return 0, err
	}
	err := meta.EachListItem(list, func(o runtime.Object) error {
		if AwaitsDeletion(o.(metav1.Object)) {
			n++
		}
		return nil
	})
	return n, err
}
