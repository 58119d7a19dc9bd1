package turns_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

// New and changed resources are queued and can be read before the cache has them. Others, and all
// that come later, are left to it.
func TestEarly(t *testing.T) {
	t.Parallel()
	k, q := newTurns(1), &requests{}
	k.Use(q)
	gvk := schema.GroupVersionKind{Group: "example.org", Version: "v1alpha1", Kind: "Thing"}
	reader := k.Reader(fake.NewClientBuilder().Build(), gvk)
	found := func(name string, change func(*unstructured.Unstructured)) {
		u := &unstructured.Unstructured{
			Object: map[string]any{
				"spec": map[string]any{"n": int64(1)}, "status": map[string]any{"observedGeneration": int64(-1)},
			},
		}
		u.SetGroupVersionKind(gvk)
		u.SetNamespace("team")
		u.SetName(name)
		change(u)
		k.Found(u)
	}
	read := func(name string) (*unstructured.Unstructured, bool) {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(gvk)
		err := reader.Get(t.Context(), types.NamespacedName{Namespace: "team", Name: name}, u)
		if err != nil && !kerrors.IsNotFound(err) {
			t.Fatal(err)
		}
		return u, err == nil
	}
	same := func(*unstructured.Unstructured) {}
	found("before", same)
	k.Begin()
	found("new", same)
	observed := func(generation int64) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) {
			u.SetGeneration(generation)
			u.SetResourceVersion(fmt.Sprint(100 * generation))
			_ = unstructured.SetNestedField(u.Object, int64(1), "status", "observedGeneration")
		}
	}
	found("observed", observed(1))
	found("changed", observed(2))
	found("changed", observed(4))
	found("changed", observed(3))
	found("deleted", func(u *unstructured.Unstructured) {
		now := metav1.Now()
		u.SetDeletionTimestamp(&now)
	})
	u, ok := read("new")
	if n, _, _ := unstructured.NestedInt64(u.Object, "spec", "n"); !ok || n != 1 {
		t.Errorf("read %v", u.Object)
	}
	if u, _ := read("changed"); u.GetGeneration() != 4 {
		t.Errorf("generation %d of a changed resource is read, not the newest one", u.GetGeneration())
	}
	u.SetName("other")
	if u, _ := read("new"); u.GetName() != "new" {
		t.Error("what is read is shared")
	}
	for _, name := range []string{"before", "observed"} {
		if _, ok := read(name); ok {
			t.Errorf("%s is read early", name)
		}
	}
	for n := range 100 {
		found(fmt.Sprint("changed-", n), observed(2))
	}
	if _, ok := read("changed-99"); ok {
		t.Error("any number of changed resources is read early")
	}
	k.CacheFilled()
	found("after", same)
	for _, name := range []string{"new", "changed", "after"} {
		if _, ok := read(name); ok {
			t.Errorf("%s is not left to the cache", name)
		}
	}
	if diff := cmp.Diff(requests{"new", "changed", "changed"}, (*q)[:3]); diff != "" {
		t.Errorf("queued (-want +got):\n%s", diff)
	}
}
