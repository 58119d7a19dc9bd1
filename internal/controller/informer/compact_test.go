package informer_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"

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
