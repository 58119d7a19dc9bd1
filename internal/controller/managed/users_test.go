package managed_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/model"
)

// things is a kind without a schema.
func things() *managed.Kind {
	return &managed.Kind{Model: &model.Resource{Group: "example.org", Version: "v1alpha1", Kind: "Thing", ListKind: "ThingList"}}
}

// clientOf returns a client of an API server that has some resources of a kind.
func clientOf(k *managed.Kind, objects ...client.Object) client.Client {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(k.Model.GroupVersionKind(), &unstructured.Unstructured{})
	scheme.AddKnownTypeWithName(k.Model.GroupVersionKind().GroupVersion().WithKind(k.Model.ListKind), &unstructured.UnstructuredList{})
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()
}

// A provider is removed only if no resource waits for its controller, also if the cache does not
// know of the deletion yet.
func TestBeingDeleted(t *testing.T) {
	t.Parallel()
	k := things()
	holding := func(deleted ...bool) client.Client {
		var objects []client.Object
		for i, deleted := range deleted {
			u := &unstructured.Unstructured{}
			u.SetGroupVersionKind(k.Model.GroupVersionKind())
			u.SetNamespace("team")
			u.SetName(string(rune('a' + i)))
			u.SetFinalizers([]string{v1alpha1.FinalizerCreated})
			if deleted {
				u.SetDeletionTimestamp(&metav1.Time{Time: time.Now()})
			}
			objects = append(objects, u)
		}
		return clientOf(k, objects...)
	}
	for name, test := range map[string]struct {
		cached, live client.Client
		want         int
	}{
		"none":                  {holding(false), holding(false), 0},
		"known":                 {holding(true, true, false), holding(true, false, false), 2},
		"the cache lags behind": {holding(false, false), holding(true, false), 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &managed.Kind{Model: k.Model}
			managed.Readers(k, test.cached, test.live)
			if n, err := k.BeingDeleted(t.Context()); n != test.want || err != nil {
				t.Errorf("got %d, %v, want %d", n, err, test.want)
			}
		})
	}
}
