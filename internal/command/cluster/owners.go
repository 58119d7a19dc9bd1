package cluster

import (
	"context"
	"encoding/json"

	xpmeta "github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/zclconf/go-cty/cty"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/discover"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// ManagedResource identifies a custom resource and its remote object.
type ManagedResource struct {
	discover.Owner
	// Configuration is the kind and name of its provider configuration.
	ConfigurationKind, ConfigurationName string
}

// Configuration returns the resource's provider configuration.
func (r ManagedResource) Configuration() ConfigurationReference {
	out := ConfigurationReference{Kind: r.ConfigurationKind, Name: r.ConfigurationName}
	if out.Kind == model.ProviderConfigKind {
		out.Namespace = r.Namespace
	}
	return out
}

// Resources returns the custom resources of a kind in all namespaces; none if it is not served.
func (c *Reader) Resources(ctx context.Context, r *model.Resource) ([]ManagedResource, error) {
	return listed(ctx, c.Client, r.ListGroupVersionKind(), func(u *unstructured.Unstructured) ([]ManagedResource, error) {
		return []ManagedResource{resource(r, u)}, nil
	})
}

// listed returns what is made of the objects of a list kind in all namespaces; nothing if it is not
// served.
func listed[T any](ctx context.Context, reader client.Reader, kind kschema.GroupVersionKind, of func(*unstructured.Unstructured) ([]T, error)) (out []T, _ error) {
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
		Owner:             discover.Owner{Kind: r.Kind, Namespace: u.GetNamespace(), Name: u.GetName(), ExternalName: xpmeta.GetExternalName(u), Identity: identity(r, u)},
		ConfigurationKind: model.ClusterProviderConfigKind, ConfigurationName: providerconfig.DefaultName,
	}
	if ref, ok, _ := unstructured.NestedStringMap(u.Object, "spec", "providerConfigRef"); ok {
		out.ConfigurationKind, out.ConfigurationName = ref["kind"], ref["name"]
	}
	if id, _, _ := unstructured.NestedString(u.Object, "spec", "import", "id"); out.ExternalName == "" {
		out.ExternalName = id
	}
	return out
}

// identity returns the identity of the resource's object: from its status, its annotation or
// spec.import. cty.NilVal if none of them can be read.
func identity(r *model.Resource, u *unstructured.Unstructured) cty.Value {
	if r.Schema.Identity == nil {
		return cty.NilVal
	}
	var said []map[string]any
	if m, ok, _ := unstructured.NestedMap(u.Object, "status", "identity"); ok {
		said = append(said, m)
	}
	if raw := u.GetAnnotations()[v1alpha1.AnnotationIdentity]; raw != "" {
		var m map[string]any
		if json.Unmarshal([]byte(raw), &m) == nil {
			said = append(said, m)
		}
	}
	if m, ok, _ := unstructured.NestedMap(u.Object, "spec", "import", "identity"); ok {
		said = append(said, m)
	}
	for _, m := range said {
		// An identity of an older provider version may not fit the schema.
		if v, diags := translate.ImportIdentity(r, m); !diags.HasErrors() {
			return v
		}
	}
	return cty.NilVal
}
