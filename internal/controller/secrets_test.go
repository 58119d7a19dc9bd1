package controller_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

// Resources are woken when a Secret changes that they refer to, and not by others.
func TestReferredSecrets(t *testing.T) {
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
	n := 0
	write := func(name string) {
		t.Helper()
		n++
		s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: map[string]string{"k": fmt.Sprint(n)}}
		if _, err := secrets.Update(t.Context(), s, metav1.UpdateOptions{}); err == nil {
			return
		}
		if _, err := secrets.Create(t.Context(), s, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	key := func(name string) store.Key {
		return store.Key{Group: "test.landbridge.io", Kind: "Thing", Namespace: namespace, Name: name}
	}
	woken := make(chan store.Key, 100)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	referred, start := controller.ReferredSecrets(kubeMetadata, kube, func(k store.Key) { woken <- k })
	uses := func(resource string, names ...string) {
		var all []types.NamespacedName
		for _, name := range names {
			all = append(all, types.NamespacedName{Namespace: namespace, Name: name})
		}
		referred.Uses(key(resource), all)
	}
	write("a")
	write("other")
	uses("one", "a")
	uses("two", "missing")
	go func() { _ = start(ctx) }()
	// It is not known when it has listed what there is.
	for heard := false; !heard; {
		write("a")
		select {
		case <-woken:
			heard = true
		case <-time.After(100 * time.Millisecond):
		}
	}
	// next writes a Secret after others, and checks who is woken first that is not woken by "a".
	next := func(want string, names ...string) {
		t.Helper()
		for _, name := range names {
			write(name)
		}
		for {
			if k := <-woken; k != key("one") {
				if k != key(want) {
					t.Errorf("%s was woken, want %s", k.Name, want)
				}
				return
			}
		}
	}
	next("two", "other", "missing")
	uses("two")
	uses("three", "late")
	next("three", "missing", "late")
	uses("three", "late", "other")
	next("three", "other")
}
