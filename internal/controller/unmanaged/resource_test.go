package unmanaged_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
)

// What was read is in the cache of the controller, whose watches read it at the same time.
func TestWriteKeepsWhatWasRead(t *testing.T) {
	t.Parallel()
	read := &unstructured.Unstructured{Object: map[string]any{
		"metadata": map[string]any{"namespace": "team", "name": "x", "resourceVersion": "1", "labels": map[string]any{"a": "b"}},
		"spec":     map[string]any{"forProvider": map[string]any{"name": "x"}}, "status": map[string]any{"phase": "Pending"},
	}}
	read.SetGroupVersionKind(kschema.GroupVersionKind{Group: "cloud.landbridge.io", Version: "v1alpha1", Kind: "Thing"})
	before := read.DeepCopy()
	c := fake.NewClientBuilder().WithScheme(runtime.NewScheme()).WithInterceptorFuncs(interceptor.Funcs{
		// As the controller's client takes the answer of the API server.
		SubResourceUpdate: func(_ context.Context, _ client.Client, _ string, o client.Object, _ ...client.SubResourceUpdateOption) error {
			o.SetResourceVersion("2")
			o.SetManagedFields(nil)
			return nil
		},
	}).Build()
	o := unmanaged.NewResource(read, nil)
	o.Set("Running", "status", "phase")
	if err := o.Write(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before.Object, read.Object); diff != "" {
		t.Errorf("what was read (-before +after):\n%s", diff)
	}
	if got := o.GetResourceVersion(); got != "2" {
		t.Errorf("the resource version is %s", got)
	}
	if got := unmanaged.TextOf(o.Read, "status", "phase"); got != "Running" {
		t.Errorf("the phase of what is written is %q", got)
	}
}
