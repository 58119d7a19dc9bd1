package controller

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// onlyMetadata asks the API server to answer with the metadata of an object.
const onlyMetadata = "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1," +
	"application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

// statusClient is a client that gets only the metadata of an unstructured object when it updates
// its status. The rest of an answer would be what was sent, and the API server would encode and the
// controller decode it for each resource.
type statusClient struct {
	client.Client
	rest rest.Interface
	// mappings are those of the kinds that were written. The mapper looks through all groups for
	// each, and client.Client keeps its own, too.
	mappings *sync.Map // schema.GroupVersionKind -> *meta.RESTMapping
}

// newClient implements client.NewClientFunc. The options have an HTTP client.
func newClient(config *rest.Config, o client.Options) (client.Client, error) {
	whole, err := client.New(config, o)
	if err != nil {
		return nil, err
	}
	of, err := rest.UnversionedRESTClientForConfigAndClient(metadata.ConfigFor(config), o.HTTPClient)
	return statusClient{whole, of, &sync.Map{}}, err
}

// mapping returns the resource of a kind.
func (c statusClient) mapping(gvk schema.GroupVersionKind) (*meta.RESTMapping, error) {
	if known, ok := c.mappings.Load(gvk); ok {
		return known.(*meta.RESTMapping), nil
	}
	mapping, err := c.RESTMapper().RESTMapping(gvk.GroupKind(), gvk.Version)
	if err == nil {
		c.mappings.Store(gvk, mapping)
	}
	return mapping, err
}

// Status implements client.StatusClient.
func (c statusClient) Status() client.SubResourceWriter {
	return statusWriter{c.Client.Status(), c}
}

type statusWriter struct {
	client.SubResourceWriter
	client statusClient
}

// Update implements client.SubResourceWriter. Of an unstructured object, it sets the resource
// version.
func (w statusWriter) Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok || len(opts) > 0 {
		return w.SubResourceWriter.Update(ctx, obj, opts...)
	}
	gvk := u.GroupVersionKind()
	mapping, err := w.client.mapping(gvk)
	if err != nil {
		return err
	}
	body, err := u.MarshalJSON()
	if err != nil {
		return err
	}
	written, err := w.client.rest.Put().AbsPath("/apis", gvk.Group, gvk.Version).
		NamespaceIfScoped(u.GetNamespace(), mapping.Scope.Name() == meta.RESTScopeNameNamespace).
		Resource(mapping.Resource.Resource).Name(u.GetName()).SubResource("status").
		SetHeader("Accept", onlyMetadata).SetHeader("Content-Type", runtime.ContentTypeJSON).Body(body).
		Do(ctx).Get()
	if err != nil {
		return err
	}
	answer, ok := written.(*metav1.PartialObjectMetadata)
	if !ok {
		return fmt.Errorf("the API server answers the update of a status with %T, not with metadata", written)
	}
	u.SetResourceVersion(answer.ResourceVersion)
	return nil
}
