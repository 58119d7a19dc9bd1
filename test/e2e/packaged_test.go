package e2e_test

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/controller/packaged"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// A program for one provider starts without any CRDs, serves each kind once its CRD exists, and
// creates no CRDs itself.
func TestPackaged(t *testing.T) {
	t.Parallel()
	presented := config.Provider{Group: "chance.example.org", Resources: map[string]config.Resource{"random_pet": {Kind: "Animal"}}}
	m, err := model.NewProvider("random", schematest.Provider(t, "random"), presented)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := m.Schema.Sum()
	if err != nil {
		t.Fatal(err)
	}
	c := alone(t)
	o := options(directory(t))
	o.Installer = nil
	o.Name = "provider-random"
	o.Packaged = &packaged.Provider{
		Name: "random", Config: presented, Launcher: &plugin.Launcher{Path: providertest.Binary(t, "random")},
		SchemaSum: strings.Repeat("0", 64),
	}
	err = controller.Run(t.Context(), rest.CopyConfig(c.Config), o)
	if err == nil || !strings.Contains(err.Error(), "the provider random has another schema than the one that the CRDs were generated from") {
		t.Fatalf("a provider of another schema: %v", err)
	}
	o.Packaged.SchemaSum = sum
	c.RunController(t, o)

	install := func(resource string) *apiextensionsv1.CustomResourceDefinition {
		t.Helper()
		d, err := crd.Resource(m.Resources[resource])
		if err == nil {
			err = c.Create(t.Context(), d)
		}
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	ready := func(kind, name string, spec map[string]any) *unstructured.Unstructured {
		t.Helper()
		u := resource("chance.example.org/v1alpha1", kind, "default", name, map[string]any{"forProvider": spec})
		c.MustCreate(t, u)
		c.WaitFor(t, u, "ready", func() bool { return isTrue(u, "Ready", "Synced") })
		return u
	}
	for _, d := range crd.ProviderConfig(m) {
		if err := c.Create(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	install("random_pet")
	first := ready("Animal", "first", map[string]any{"length": 2})

	// Another CRD is installed while the program runs.
	words := install("random_string")
	word := ready("String", "word", map[string]any{"length": 8})

	// It is deleted and installed again.
	c.Remove(t, word)
	gone := &unstructured.Unstructured{}
	gone.SetAPIVersion("apiextensions.k8s.io/v1")
	gone.SetKind("CustomResourceDefinition")
	gone.SetName(words.Name)
	c.Remove(t, gone)
	install("random_string")
	c.Remove(t, ready("String", "again", map[string]any{"length": 8}))

	// It changes, as with a new version of the package.
	animals := &apiextensionsv1.CustomResourceDefinition{}
	animals.Name = m.Resources["random_pet"].CRDName()
	if err := c.Patch(t.Context(), animals,
		client.RawPatch(types.MergePatchType, []byte(`{"spec":{"names":{"shortNames":["ani"]}}}`))); err != nil {
		t.Fatal(err)
	}
	c.Remove(t, ready("Animal", "second", map[string]any{"length": 3}))
	c.Remove(t, first)

	// The program created no CRDs.
	all := &apiextensionsv1.CustomResourceDefinitionList{}
	if err := c.List(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	if len(all.Items) != 4 {
		t.Errorf("there are %d CRDs, want the four installed ones", len(all.Items))
	}
}
