package statetest

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/schema"
)

const (
	// ResourceType is the type that Serve serves.
	ResourceType = "one_thing"
	// Group is the API group it is served in, as v1alpha1.
	Group = "one.landbridge.io"
	// Kind is the kind it is served as.
	Kind = "Thing"
	// System is the namespace of the Secrets.
	System = "landbridge-system"
	// Finalizer is that of a controller.
	Finalizer = "finalizer.managedresource.crossplane.io"
	// Paused is the annotation that pauses a resource.
	Paused = "crossplane.io/paused"
)

// Serve starts an API server that serves resource, and the ProviderConfig of its provider.
func Serve(ctx context.Context, resource *schema.Resource, configuration *schema.Block) (*playgroundtest.Server, *state.Cluster, error) {
	server, err := playgroundtest.Run(ctx, playgroundtest.Options{})
	if err != nil {
		return nil, nil, err
	}
	c, err := state.Open(server.Config, System)
	if err != nil {
		return nil, nil, err
	}
	if err := c.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: System}}); err != nil {
		return nil, nil, err
	}
	provider, err := model.NewProvider("one", &schema.Provider{
		Resources: map[string]*schema.Resource{ResourceType: resource}, Config: configuration,
		Actions: map[string]*schema.Block{"one_action": {}}, // so that resources have actions
	}, config.Provider{})
	if err != nil {
		return nil, nil, err
	}
	definition, err := crd.Resource(provider.Resources[ResourceType])
	if err != nil {
		return nil, nil, err
	}
	for _, d := range append([]*apiextensionsv1.CustomResourceDefinition{definition}, crd.ProviderConfig(provider)...) {
		if err := c.Create(ctx, d); err != nil {
			return nil, nil, err
		}
	}
	err = waittest.Succeed(ctx, func(ctx context.Context) error {
		kinds, err := c.Kinds(ctx)
		if err != nil || len(kinds) != 1 {
			return errors.Join(err, fmt.Errorf("%d kinds are served", len(kinds)))
		}
		return c.Create(ctx, Object("default", "probe", map[string]any{}), client.DryRunAll)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("the kind is not served: %w", err)
	}
	return server, c, nil
}

// Object returns a resource of the served kind.
func Object(namespace, name string, forProvider map[string]any) *unstructured.Unstructured {
	return objecttest.New(Group+"/v1alpha1", Kind, namespace, name, map[string]any{"forProvider": forProvider})
}
