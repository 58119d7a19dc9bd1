package managed_test

import (
	"context"
	"testing"

	xpmanaged "github.com/crossplane/crossplane-runtime/v2/pkg/reconciler/managed"
	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
)

type m = map[string]any

// lagging is a client whose cache does not get to know of writes.
type lagging struct {
	client.Client
	cached *unstructured.Unstructured
	// version is the resource version that the API server returns for an update.
	version string
}

func (c lagging) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	c.cached.DeepCopyInto(obj.(*unstructured.Unstructured))
	return nil
}

func (c lagging) Update(_ context.Context, obj client.Object, _ ...client.UpdateOption) error {
	obj.SetResourceVersion(c.version)
	return nil
}

// A cache that lags behind does not make the controller work on a resource it has let go:
// it would find its remote object gone, or another in its place.
func TestReadOwnWrites(t *testing.T) {
	const finalizer = xpmanaged.FinalizerName
	thing := func(version string, deleted bool, finalizers ...any) *unstructured.Unstructured {
		metadata := m{"name": "x", "namespace": "ns", "uid": "1", "resourceVersion": version, "finalizers": finalizers}
		if deleted {
			metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z"
		}
		return &unstructured.Unstructured{Object: m{"apiVersion": "x.io/v1", "kind": "Thing", "metadata": metadata}}
	}
	for name, x := range map[string]struct {
		cached     *unstructured.Unstructured
		finalizers []string
		version    string
		found      bool
		want       []string
	}{
		"an added finalizer is read back": {
			cached: thing("5", false), finalizers: []string{finalizer}, version: "6", found: true, want: []string{finalizer},
		},
		"removing the last finalizer deletes the object": {
			cached: thing("5", true, finalizer), finalizers: nil, version: "5",
		},
		"ours removed, others left": {
			cached: thing("5", true, finalizer, "other"), finalizers: []string{"other"}, version: "6",
		},
		"others removed, ours left": {
			cached: thing("5", true, finalizer, "other"), finalizers: []string{finalizer}, version: "6", found: true, want: []string{finalizer},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := managed.NewResourceClient(lagging{cached: x.cached, version: x.version}, schema.FromAPIVersionAndKind("x.io/v1", "Thing"))
			key := client.ObjectKeyFromObject(x.cached)
			r, err := c.Read(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			r.SetFinalizers(x.finalizers)
			if err := c.Update(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			again, err := c.Read(t.Context(), key)
			if !x.found {
				if !kerrors.IsNotFound(err) {
					t.Fatalf("error %v, want not found", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(x.want, again.GetFinalizers()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What was written is kept as small as the cache keeps it, and exactly as long as the cache lags
// behind.
func TestKeptWrites(t *testing.T) {
	version := func(v string) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: m{"apiVersion": "x.io/v1", "kind": "Thing", "metadata": m{
			"name": "x", "namespace": "ns", "uid": "1", "resourceVersion": v,
		}}}
	}
	c := managed.NewResourceClient(lagging{cached: version("5"), version: "7"}, schema.FromAPIVersionAndKind("x.io/v1", "Thing"))
	r, err := c.Read(t.Context(), client.ObjectKey{Namespace: "ns", Name: "x"})
	if err != nil {
		t.Fatal(err)
	}
	r.SetLabels(map[string]string{"a": "b"})
	r.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "somebody"}})
	if err := c.Update(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	written := version("7")
	written.SetLabels(map[string]string{"a": "b"})
	managed.Received(c, version("6"))
	managed.Forget(c, client.ObjectKeyFromObject(r))
	if diff := cmp.Diff([]*unstructured.Unstructured{written}, managed.Kept(c)); diff != "" {
		t.Errorf("while the cache lags behind: -want +got:\n%s", diff)
	}
	managed.Received(c, version("7"))
	if kept := managed.Kept(c); len(kept) != 0 {
		t.Errorf("when the cache has it, kept is %v", kept)
	}
}
