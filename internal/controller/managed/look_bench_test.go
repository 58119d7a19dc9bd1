package managed_test

import (
	"context"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
)

// cache is a client that returns one resource without copying it, as a cache does if asked.
type cache struct {
	client.Client
	of *unstructured.Unstructured
}

func (c cache) Get(_ context.Context, _ client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	*obj.(*unstructured.Unstructured) = *c.of
	return nil
}

// BenchmarkLook measures looks at resources that are unchanged, without what the scheduler and the
// cache do.
func BenchmarkLook(b *testing.B) {
	for name, tc := range map[string]struct {
		change func(*atRest)
		want   string
	}{
		"by name": {nil, "looked at by its name"},
		"resting": {func(h *atRest) {
			h.u.SetAnnotations(map[string]string{v1alpha1.AnnotationMoveFrom: "Thing/other"})
		}, "looked at"},
	} {
		b.Run(name, func(b *testing.B) {
			h := newAtRest(b, tc.change)
			managed.Readers(h.k, cache{h.c, h.u}, h.c)
			h.after("at rest", "looked at")
			h.after("at rest", tc.want)
			ctx, req := b.Context(), reconcile.Request{NamespacedName: types.NamespacedName{Namespace: "team", Name: "x"}}
			b.ReportAllocs()
			for b.Loop() {
				h.s.calls = h.s.calls[:0]
				if _, err := h.r.Reconcile(ctx, req); err != nil || h.s.calls[0] != tc.want {
					b.Fatal(h.s.calls, err)
				}
			}
		})
	}
}
