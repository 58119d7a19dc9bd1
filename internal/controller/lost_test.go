package controller_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/schema"
)

// Deleted instances are reported, and nothing else.
func TestLostSecrets(t *testing.T) {
	server := playgroundtest.Start(t)
	namespace := server.Namespace(t)
	kube, err := kubernetes.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	kubeMetadata, err := metadata.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	secrets := kube.CoreV1().Secrets(namespace)
	stored := &store.Secrets{Client: secrets}
	var keys []store.Key
	for _, name := range []string{"a", "b"} {
		k := store.Key{Group: "test.landbridge.io", Kind: "Thing", Namespace: "team", Name: name}
		if _, err := stored.Save(t.Context(), k, &schema.Resource{Type: "thing", Block: &schema.Block{}},
			store.Record{Owner: "uid"}); err != nil {
			t.Fatal(err)
		}
		keys = append(keys, k)
	}
	other := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "other", Labels: map[string]string{"app.kubernetes.io/managed-by": "landbridge"},
		},
	}
	if _, err := secrets.Create(t.Context(), other, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	lost := make(chan store.Key)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		ended <- controller.LostSecrets(kubeMetadata, namespace, func(k store.Key) { lost <- k }).Start(ctx)
	}()
	remove := func(name string) {
		t.Helper()
		if err := secrets.Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	// It is not known when it has listed what there is: a Secret that is deleted before is not
	// reported.
	probe := store.Key{Group: "test.landbridge.io", Kind: "Thing", Namespace: "team", Name: "probe"}
	for heard := false; !heard; {
		if _, err := stored.Save(t.Context(), probe, &schema.Resource{Type: "thing", Block: &schema.Block{}},
			store.Record{Owner: "uid"}); err != nil {
			t.Fatal(err)
		}
		remove(store.SecretName(probe))
		select {
		case k := <-lost:
			heard = k == probe
		default:
		}
	}
	remove("other")
	remove(store.SecretName(keys[1]))
	k := <-lost
	for k == probe { // reports of the probe may be left
		k = <-lost
	}
	if k != keys[1] {
		t.Errorf("reported %v", k)
	}
	cancel()
	for {
		select {
		case k := <-lost:
			t.Errorf("reported %v, too", k)
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			return
		}
	}
}
