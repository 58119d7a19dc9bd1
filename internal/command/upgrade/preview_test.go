package upgrade_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kubernetesfake "k8s.io/client-go/kubernetes/fake"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/cluster"
	commandupgrade "github.com/landbridge-io/landbridge/internal/command/upgrade"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// A resource is previewed only with a provider configuration that its namespace may use, as in the
// controller.
func TestAllowedNamespaces(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("random", schematest.Provider(t, "random"), config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	pet := p.Resources["random_pet"]
	definition := &apiextensionsv1.CustomResourceDefinition{}
	definition.Name = pet.CRDName()
	definition.Labels = map[string]string{v1alpha1.LabelProvider: "random"}
	definition.Annotations = map[string]string{v1alpha1.AnnotationResourceType: "random_pet"}
	allowed := objecttest.New(p.Group+"/"+p.Version, model.ClusterProviderConfigKind, "", "default", map[string]any{
		model.AllowedNamespaces: map[string]any{"names": []any{"team-a"}},
	})
	allowed.SetUID("1")
	objects := []client.Object{definition, allowed}
	for _, namespace := range []string{"team-a", "team-b"} {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(pet.GroupVersionKind())
		u.SetNamespace(namespace)
		u.SetName("pet")
		u.Object["spec"] = map[string]any{"forProvider": map[string]any{}}
		objects = append(objects, u)
	}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, apiextensionsv1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
	stored := kubernetesfake.NewClientset()
	of := &cluster.InstalledProvider{Name: "random", Model: p, Launcher: &plugin.Launcher{Path: "/nowhere/provider"}}
	report, err := commandupgrade.Preview(t.Context(), commandupgrade.Options{
		Client: c, Stored: &store.Secrets{Client: stored.CoreV1().Secrets("system")}, Installed: of, New: of, Examples: 5,
	})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := report.Text(&out); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for _, row := range report.Rows {
		if strings.Contains(row.Cause.Detail, "Resources of namespace team-b may not use the ClusterProviderConfig") {
			refused += row.Count
		}
	}
	if refused != 1 || strings.Contains(out.String(), "namespace team-a may not") {
		t.Errorf("%d resources may not use their provider configuration, want 1:\n%s", refused, &out)
	}
}
