package managed

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/model"
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
		kind, name := model.ClusterProviderConfigKind, providerconfig.DefaultName
		if r, ok, _ := unstructured.NestedStringMap(u.Object, "spec", "providerConfigRef"); ok {
			kind, name = r["kind"], r["name"]
		}
		if kind == ref.Kind && name == ref.Name {
			out = append(out, store.Key{Group: k.Model.Group, Kind: k.Model.Kind, Namespace: u.GetNamespace(), Name: u.GetName()})
		}
	}
	return out, nil
}
