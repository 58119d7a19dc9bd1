package cluster

import (
	"context"

	xpv2 "github.com/crossplane/crossplane/apis/v2/core/v2"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/discovery"
	"github.com/landbridge-io/landbridge/internal/model"
)

// ManagedResource identifies a custom resource and its remote object.
type ManagedResource struct {
	discovery.Owner
	// Configuration is the kind and name of its provider configuration.
	ConfigurationKind, ConfigurationName string
}

// Configuration returns the resource's provider configuration.
func (r ManagedResource) Configuration() providerconfig.Reference {
	return providerconfig.ReferenceOf(&xpv2.ProviderConfigReference{Kind: r.ConfigurationKind, Name: r.ConfigurationName}, r.Namespace)
}

// Resources returns the custom resources of a kind in all namespaces; none if it is not served.
func (c *Reader) Resources(ctx context.Context, r *model.Resource) ([]ManagedResource, error) {
	return listed(ctx, c.Client, r.ListGroupVersionKind(), func(u *unstructured.Unstructured) ([]ManagedResource, error) {
		return []ManagedResource{resource(r, u)}, nil
	})
}

// listed returns what is made of the objects of a list kind in all namespaces; nothing if it is not
// served.
func listed[T any](
	ctx context.Context, reader client.Reader, kind kschema.GroupVersionKind,
	of func(*unstructured.Unstructured) ([]T, error),
) (out []T, _ error) {
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(kind)
	for {
		err := reader.List(ctx, list, client.Limit(500), client.Continue(list.GetContinue()))
		if meta.IsNoMatchError(err) || kerrors.IsNotFound(err) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		for i := range list.Items {
			more, err := of(&list.Items[i])
			if err != nil {
				return nil, err
			}
			out = append(out, more...)
		}
		if list.GetContinue() == "" {
			return out, nil
		}
	}
}

func resource(r *model.Resource, u *unstructured.Unstructured) ManagedResource {
	out := ManagedResource{
		Owner:             discovery.OwnerOf(r, u),
		ConfigurationKind: model.ClusterProviderConfigKind, ConfigurationName: providerconfig.DefaultName,
	}
	if ref, ok, _ := unstructured.NestedStringMap(u.Object, "spec", "providerConfigRef"); ok {
		out.ConfigurationKind, out.ConfigurationName = ref["kind"], ref["name"]
	}
	return out
}
