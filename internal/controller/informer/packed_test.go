package informer_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/controller/informer"
)

// resource returns the n-th of many resources.
func resource(n int) *unstructured.Unstructured {
	condition := func(kind string) any {
		return map[string]any{
			"type": kind, "status": "True", "reason": kind, "observedGeneration": int64(1),
			"lastTransitionTime": "2026-01-02T03:04:05Z",
		}
	}
	id := fmt.Sprintf("id-%d", n)
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "test.landbridge.io/v1alpha1", "kind": "Thing",
		"metadata": map[string]any{
			"name": fmt.Sprintf("thing-%d", n), "namespace": "team", "uid": "uid-" + id,
			"resourceVersion": fmt.Sprint(1000 + n), "generation": int64(1),
			"creationTimestamp": "2026-01-02T03:04:05Z", "labels": map[string]any{"team": "one"}, "finalizers": []any{
				"finalizer.managedresource.crossplane.io",
			},
			"annotations": map[string]any{"crossplane.io/external-name": id},
		},
		"spec": map[string]any{
			"forProvider": map[string]any{"length": int64(16)}, "managementPolicies": []any{"*"},
			"providerConfigRef": map[string]any{"kind": "ProviderConfig", "name": "default"},
		},
		"status": map[string]any{
			"atProvider": map[string]any{"id": id, "length": int64(16), "lower": true, "result": "result-" + id},
			"conditions": []any{condition("Synced"), condition("Ready")}, "observedGeneration": int64(1), "state": "Full",
		},
	}}
}

// An object is equal to what it was before, and is the same as long as it is in use.
func TestPack(t *testing.T) {
	scalar := rapid.OneOf(
		rapid.Map(rapid.SampledFrom([]string{"", "a", "<&>", "\u2028"}), func(s string) any { return s }),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.SampledFrom([]float64{1.5, 1e300, -0.1}), func(f float64) any { return f }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
	)
	value := rapid.Custom(func(t *rapid.T) any {
		e := scalar
		for range rapid.IntRange(0, 3).Draw(t, "depth") {
			inner := e
			e = rapid.OneOf(inner,
				rapid.Map(rapid.SliceOfN(inner, 0, 3), func(s []any) any { return s }),
				rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"", "a", "b", "status", "metadata"}), inner, 0, 3),
					func(m map[string]any) any { return m }))
		}
		return e.Draw(t, "value")
	})
	rapid.Check(t, func(t *rapid.T) {
		u := resource(1)
		u.Object["spec"], u.Object["status"] = value.Draw(t, "spec"), value.Draw(t, "status")
		want := u.DeepCopy()
		u.Object["metadata"].(map[string]any)["managedFields"] = []any{map[string]any{"manager": "somebody"}}
		p, err := informer.Pack(u)
		if err != nil {
			t.Fatal(err)
		}
		if informer.Unpacked(p) != any(u) {
			t.Error("an object in use is unpacked again")
		}
		informer.Unused(p)
		if diff := cmp.Diff(want, informer.Unpacked(p)); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
		if again, err := informer.Pack(p); again != p || err != nil {
			t.Errorf("packed twice: %v, %v", again, err)
		}
		m, err := meta.Accessor(p)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := []string{m.GetNamespace(), m.GetName(), m.GetResourceVersion()},
			[]string{"team", "thing-1", "1001"}; !cmp.Equal(got, want) {
			t.Errorf("metadata %v, want %v", got, want)
		}
		if gone, ok := informer.Unpacked(cache.DeletedFinalStateUnknown{Key: "a",
			Obj: p}).(cache.DeletedFinalStateUnknown); !ok || !cmp.Equal(gone.Obj, any(want)) {
			t.Errorf("unpacked %v of a tombstone", gone)
		}
	})
}

// An object is packed while those read it that have heard of it early.
func TestPackDoesNotChangeAnObject(t *testing.T) {
	u := resource(1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for range 1000 {
			u.DeepCopy()
		}
	}()
	for range 1000 {
		if _, err := informer.Pack(u); err != nil {
			t.Fatal(err)
		}
	}
	<-read
}

// BenchmarkPack reports the memory that a resource takes in a cache, and the time in which it is
// unpacked.
func BenchmarkPack(b *testing.B) {
	const many = 10_000
	for name, pack := range map[string]func(any) (any, error){
		"packed": informer.Pack,
		"maps":   func(o any) (any, error) { return o, nil },
	} {
		b.Run(name, func(b *testing.B) {
			cached := make([]any, many)
			before := heap()
			for i := range cached {
				var err error
				if cached[i], err = pack(resource(i)); err != nil {
					b.Fatal(err)
				}
			}
			taken := (heap() - before) / many
			for i := 0; b.Loop(); i++ {
				informer.Unpacked(cached[i%many])
			}
			runtime.KeepAlive(cached)
			b.ReportMetric(float64(taken), "B/resource")
		})
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
