package chart_test

import (
	"context"
	"testing"

	helm "helm.sh/helm/v3/pkg/chart"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/tools/release/chart"
)

// fieldOwner is the field manager of Helm.
const fieldOwner = client.FieldOwner("helm")

// install creates namespaces and, unless they exist, the chart's definitions, as Helm does before
// everything else.
func install(t *testing.T, c *clustertest.Cluster, loaded *helm.Chart, namespaces ...string) {
	t.Helper()
	for _, name := range namespaces {
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if err := c.Create(t.Context(), ns); err != nil && !kerrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
	}
	definitions, err := chart.CRDs(loaded)
	if err != nil {
		t.Fatal(err)
	}
	if len(definitions) != 3 {
		t.Fatalf("the chart has %d definitions", len(definitions))
	}
	for _, d := range definitions {
		if err := c.Create(t.Context(), d.Object.DeepCopy()); err != nil && !kerrors.IsAlreadyExists(err) {
			t.Fatal(err)
		}
		waittest.Eventually(t, d.Object.GetName()+" is served", func(context.Context) bool {
			list := &unstructured.UnstructuredList{}
			list.SetAPIVersion("landbridge.io/v1alpha1")
			kind, _, _ := unstructured.NestedString(d.Object.Object, "spec", "names", "kind")
			list.SetKind(kind + "List")
			return c.List(t.Context(), list) == nil
		})
	}
}
