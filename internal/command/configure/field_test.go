package configure_test

import (
	"context"
	"strings"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/command/configure"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

// TestUnknownField checks that a real API server refuses an unknown field, and that the error names
// it.
func TestUnknownField(t *testing.T) {
	t.Parallel()
	server := playgroundtest.New(t, playgroundtest.Options{})
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	c, err := client.New(server.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	object := func(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	of := object(map[string]apiextensionsv1.JSONSchemaProps{
		"spec": object(map[string]apiextensionsv1.JSONSchemaProps{"endpoint": {Type: "string"}}),
	})
	if err := c.Create(t.Context(), &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "clusterproviderconfigs.cloud.landbridge.io"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "cloud.landbridge.io", Scope: apiextensionsv1.ClusterScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Kind: "ClusterProviderConfig", ListKind: "ClusterProviderConfigList",
				Plural: "clusterproviderconfigs", Singular: "clusterproviderconfig",
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1alpha1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &of},
			}},
		},
	}); err != nil {
		t.Fatal(err)
	}
	apply := func(spec string, limit time.Duration) error {
		t.Helper()
		objects, err := configure.Read("file",
			[]byte("apiVersion: cloud.landbridge.io/v1alpha1\nkind: ClusterProviderConfig\nmetadata: {name: "+
				"default}\nspec: "+spec+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		return configure.Apply(ctx, c, objects, func(*unstructured.Unstructured) {})
	}
	if err := apply("{endpoint: x}", time.Minute); err != nil { // as soon as the kind is served
		t.Fatal(err)
	}
	if err := apply("{endpoint: x, endpiont: y}", 5*time.Second); err == nil ||
		!strings.Contains(err.Error(), "the kind has no field spec.endpiont; correct its name") {
		t.Errorf("got %v", err)
	}
}
