package informer_test

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/controller/informer"
)

func TestCompact(t *testing.T) {
	made := func(i int) *unstructured.Unstructured {
		u := &unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": fmt.Sprint("n", i)},
			"spec":     map[string]any{"list": []any{int64(1), 1.5, true, nil, "x", map[string]any{}}, "empty": []any{}},
		}}
		return u
	}
	in := made(1)
	in.Object["metadata"].(map[string]any)["managedFields"] = []any{map[string]any{"manager": "somebody"}}
	out, err := informer.Compact(in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made(1), out); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	tombstone := cache.DeletedFinalStateUnknown{Key: "a/b"}
	if out, err := informer.Compact(tombstone); err != nil || out != any(tombstone) {
		t.Errorf("got %v, %v", out, err)
	}
}

// resource returns the n-th of many resources.
func resource(n int) *unstructured.Unstructured {
	condition := func(kind string) any {
		return map[string]any{"type": kind, "status": "True", "reason": kind, "observedGeneration": int64(1), "lastTransitionTime": "2026-01-02T03:04:05Z"}
	}
	id := fmt.Sprintf("id-%d", n)
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "test.landbridge.io/v1alpha1", "kind": "Thing",
		"metadata": map[string]any{
			"name": fmt.Sprintf("thing-%d", n), "namespace": "team", "uid": "uid-" + id, "resourceVersion": fmt.Sprint(1000 + n), "generation": int64(1),
			"creationTimestamp": "2026-01-02T03:04:05Z", "labels": map[string]any{"team": "one"}, "finalizers": []any{"finalizer.managedresource.crossplane.io"},
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

func compacted(tb testing.TB, u *unstructured.Unstructured) *unstructured.Unstructured {
	tb.Helper()
	out, err := informer.Compact(u)
	if err != nil {
		tb.Fatal(err)
	}
	return out.(*unstructured.Unstructured)
}

// Equal parts of two objects are the same in memory, and parts that differ are not.
func TestCompactShares(t *testing.T) {
	a, b := compacted(t, resource(1)), compacted(t, resource(2))
	for _, u := range []*unstructured.Unstructured{a, b} {
		if diff := cmp.Diff(resource(map[*unstructured.Unstructured]int{a: 1, b: 2}[u]), u); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
	for path, shared := range map[[2]string]bool{
		{"spec"}: true, {"metadata", "labels"}: true, {"metadata", "finalizers"}: true, {"status", "conditions"}: true,
		{"metadata", "annotations"}: false, {"status", "atProvider"}: false,
	} {
		part := func(u *unstructured.Unstructured) uintptr {
			v := u.Object[path[0]]
			if path[1] != "" {
				v = v.(map[string]any)[path[1]]
			}
			return reflect.ValueOf(v).Pointer()
		}
		if (part(a) == part(b)) != shared {
			t.Errorf("%v: shared %t", path, !shared)
		}
	}
}

// Objects are equal to what they were before, whatever was compacted earlier.
func TestCompactIsTheSame(t *testing.T) {
	scalar := rapid.OneOf(
		rapid.Map(rapid.SampledFrom([]string{"", "a", "b"}), func(s string) any { return s }),
		rapid.Map(rapid.Int64Range(0, 2), func(n int64) any { return n }),
		rapid.Map(rapid.SampledFrom([]float64{0, 1, 1.5}), func(f float64) any { return f }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
	)
	value := rapid.Custom(func(t *rapid.T) any {
		e := scalar
		for range rapid.IntRange(0, 3).Draw(t, "depth") {
			inner := e
			e = rapid.OneOf(inner,
				rapid.Map(rapid.SliceOfN(inner, 0, 3), func(s []any) any { return s }),
				rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"", "a", "b", "status", "metadata"}), inner, 0, 3), func(m map[string]any) any { return m }))
		}
		return e.Draw(t, "value")
	})
	rapid.Check(t, func(t *rapid.T) {
		for range 3 {
			u := &unstructured.Unstructured{Object: map[string]any{"spec": value.Draw(t, "spec"), "status": value.Draw(t, "status")}}
			want := u.DeepCopy()
			out, err := informer.Compact(u)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, out); diff != "" {
				t.Fatalf("-want +got:\n%s", diff)
			}
		}
	})
}

// BenchmarkCompact reports the memory that a resource takes in a cache, of which many parts are those of others.
func BenchmarkCompact(b *testing.B) {
	const many = 10_000
	cached := make([]*unstructured.Unstructured, many)
	before := heap()
	for i := range cached {
		cached[i] = compacted(b, resource(i))
	}
	taken := (heap() - before) / many
	for i := 0; b.Loop(); i++ {
		compacted(b, resource(i))
	}
	b.ReportMetric(taken, "B/resource")
	runtime.KeepAlive(cached)
}

func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
