package managed

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Users returns the resources of the kind that use a provider configuration.
func (k *Kind) Users(ctx context.Context, reader client.Reader, ref providerconfig.Reference) ([]store.Key, error) {
	list := &unstructured.UnstructuredList{}
	gvk := k.Model.GroupVersionKind()
	gvk.Kind = k.Model.ListKind
	list.SetGroupVersionKind(gvk)
	if err := reader.List(ctx, list, client.InNamespace(ref.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, err
	}
	var out []store.Key
	for i := range list.Items {
		u := &list.Items[i]
		if ConfigurationOf(u) == ref {
			out = append(out, store.Key{Group: k.Model.Group, Kind: k.Model.Kind, Namespace: u.GetNamespace(), Name: u.GetName()})
		}
	}
	return out, nil
}

// ConfigurationOf returns the provider configuration that a resource uses.
func ConfigurationOf(u *unstructured.Unstructured) providerconfig.Reference {
	r := CustomResource{Unstructured: *u}
	return providerconfig.ReferenceOf(r.GetProviderConfigReference(), u.GetNamespace())
}

// AwaitsDeletion reports whether a resource is being deleted and waits for its controller.
func AwaitsDeletion(o metav1.Object) bool {
	return o.GetDeletionTimestamp() != nil && held(o)
}

// BeingDeleted returns the number of resources of the kind that are being deleted and wait for a controller. If the
// cache has none, the API server is asked, since a deletion reaches the cache late.
func (k *Kind) BeingDeleted(ctx context.Context) (n int, err error) {
	gvk := k.Model.GroupVersionKind()
	gvk.Kind = k.Model.ListKind
	cached := &unstructured.UnstructuredList{}
	cached.SetGroupVersionKind(gvk)
	if err := k.reader.List(ctx, cached, client.UnsafeDisableDeepCopy); err != nil {
		return 0, err
	}
	for i := range cached.Items {
		if AwaitsDeletion(&cached.Items[i]) {
			n++
		}
	}
	if n > 0 {
		return n, nil
	}
	live := &metav1.PartialObjectMetadataList{}
	live.SetGroupVersionKind(gvk)
	if err := k.live.List(ctx, live); err != nil {
		return 0, err
	}
	for i := range live.Items {
		if AwaitsDeletion(&live.Items[i]) {
			n++
		}
	}
	return n, nil
}
