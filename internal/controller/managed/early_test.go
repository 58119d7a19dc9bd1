package managed_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
)

// New resources are queued and can be read before the cache has them. Others, and all that come later, are left to it.
func TestEarly(t *testing.T) {
	t.Parallel()
	k := things()
	c := clientOf(k)
	managed.NewReconciler(k, c, c)
	q := &requests{}
	k.Queue = q
	found := func(name string, change func(*unstructured.Unstructured)) {
		u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"n": int64(1)}, "status": map[string]any{"observedGeneration": int64(-1)}}}
		u.SetGroupVersionKind(k.Model.GroupVersionKind())
		u.SetNamespace("team")
		u.SetName(name)
		change(u)
		managed.FoundEarly(k, u)
	}
	read := func(name string) (*unstructured.Unstructured, bool) {
		u := &unstructured.Unstructured{}
		u.SetGroupVersionKind(k.Model.GroupVersionKind())
		err := managed.Reader(k).Get(t.Context(), types.NamespacedName{Namespace: "team", Name: name}, u)
		if err != nil && !kerrors.IsNotFound(err) {
			t.Fatal(err)
		}
		return u, err == nil
	}
	same := func(*unstructured.Unstructured) {}
	found("before", same)
	managed.BeginEarly(k)
	found("new", same)
	found("observed", func(u *unstructured.Unstructured) {
		_ = unstructured.SetNestedField(u.Object, int64(1), "status", "observedGeneration")
	})
	found("deleted", func(u *unstructured.Unstructured) {
		now := metav1.Now()
		u.SetDeletionTimestamp(&now)
	})
	u, ok := read("new")
	if n, _, _ := unstructured.NestedInt64(u.Object, "spec", "n"); !ok || n != 1 {
		t.Errorf("read %v", u.Object)
	}
	u.SetName("changed")
	if u, _ := read("new"); u.GetName() != "new" {
		t.Error("what is read is shared")
	}
	for _, name := range []string{"before", "observed"} {
		if _, ok := read(name); ok {
			t.Errorf("%s is read early", name)
		}
	}
	managed.EndEarly(k)
	found("after", same)
	for _, name := range []string{"new", "after"} {
		if _, ok := read(name); ok {
			t.Errorf("%s is not left to the cache", name)
		}
	}
	if diff := cmp.Diff(requests{"new"}, *q); diff != "" {
		t.Errorf("queued (-want +got):\n%s", diff)
	}
}
