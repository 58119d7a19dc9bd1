package managed_test

import (
	"testing"
	"time"

	xpevent "github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// hearing is a scheduler that records what it is told of a paused resource.
type hearing struct {
	scheduler.Interface
	received *[]string
}

func (s hearing) Interrupt(_ store.Key, token string) {
	*s.received = append(*s.received, "interrupt "+token)
}

func (s hearing) Reload(store.Key) { *s.received = append(*s.received, "reload") }

// A paused resource is not observed, but its running operation can be interrupted.
func TestPausedResourceIsInterrupted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		annotations map[string]any
		policies    []any
		want        []string
	}{
		"by annotation": {annotations: m{"crossplane.io/paused": "true"}, want: []string{"reload"}},
		"by annotation, interrupted": {
			annotations: m{"crossplane.io/paused": "true", "landbridge.io/interrupt": "1"},
			want:        []string{"interrupt 1", "reload"},
		},
		"without policies": {policies: []any{}, want: []string{"reload"}},
		"without policies interrupted": {
			policies: []any{}, annotations: m{"landbridge.io/interrupt": "2"}, want: []string{"interrupt 2", "reload"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var received []string
			k := kind(t)
			k.Scheduler = hearing{received: &received}
			k.Options = managed.Options{
				Poll: time.Minute, Workers: 1, Timeout: time.Minute,
				Recorder: xpevent.NewNopRecorder(), Logger: logr.Discard(),
			}
			gvk := k.Model.GroupVersionKind()
			u := &unstructured.Unstructured{Object: m{
				"apiVersion": gvk.GroupVersion().String(), "kind": gvk.Kind,
				"metadata": m{"name": "x", "namespace": "team", "annotations": test.annotations}, "spec": m{},
			}}
			if test.annotations == nil {
				u.SetAnnotations(nil)
			}
			if test.policies != nil {
				u.Object["spec"] = m{"managementPolicies": test.policies}
			}
			c := fake.NewClientBuilder().WithStatusSubresource(u).WithObjects(u).Build()
			r := managed.NewReconciler(k, c, c)
			if _, err := r.Reconcile(t.Context(), reconcile.Request{
				NamespacedName: types.NamespacedName{Namespace: "team", Name: "x"},
			}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, received); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
