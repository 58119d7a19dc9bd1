package managed_test

import (
	"context"
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// A resource that exists manages its object, unless it only observes it. A mistake in its spec
// changes nothing of that. The API server tells, and not a cache.
func TestManages(t *testing.T) {
	t.Parallel()
	policies := func(p ...any) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) { u.Object["spec"].(m)["managementPolicies"] = p }
	}
	for name, x := range map[string]struct {
		change  func(*unstructured.Unstructured)
		missing bool
		fails   error
		want    bool
	}{
		"all actions": {change: func(*unstructured.Unstructured) {}, want: true},
		"one action":  {change: policies("Observe", "Delete"), want: true},
		"observed":    {change: policies("Observe")},
		"a mistake in the spec": {change: func(u *unstructured.Unstructured) {
			u.Object["spec"].(m)["lifecycle"] = m{"timeouts": m{"create": "soon"}}
		}, want: true},
		"paused": {change: func(u *unstructured.Unstructured) {
			u.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
		}, want: true},
		"missing":                 {change: func(*unstructured.Unstructured) {}, missing: true},
		"no answer of the server": {change: func(*unstructured.Unstructured) {}, fails: errors.New("timeout")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := kind(t)
			u := using(k, "a", "one")
			x.change(u)
			build := fake.NewClientBuilder().WithInterceptorFuncs(interceptor.Funcs{
				Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, obj client.Object, o ...client.GetOption) error {
					if x.fails != nil {
						return x.fails
					}
					return c.Get(ctx, key, obj, o...)
				},
			})
			if !x.missing {
				build = build.WithObjects(u)
			}
			managed.Readers(k, fake.NewClientBuilder().Build(), build.Build())
			got, err := k.Manages(t.Context(), store.Key{Group: k.Model.Group, Kind: k.Model.Kind, Namespace: u.GetNamespace(), Name: "a"})
			if got != x.want || !errors.Is(err, x.fails) {
				t.Errorf("got %t and %v, want %t and %v", got, err, x.want, x.fails)
			}
		})
	}
}
