package controller_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

func TestRecorderQueuesRepeatedFailuresApart(t *testing.T) {
	t.Parallel()
	once, repeated := record.NewFakeRecorder(10), record.NewFakeRecorder(10)
	r := controller.Recorder(once, repeated)
	r.Event(nil, corev1.EventTypeNormal, "IdentityChanged", "a")
	r.Event(nil, corev1.EventTypeWarning, "CannotObserveExternalResource", "b")
	r.Eventf(nil, corev1.EventTypeWarning, "CannotConnectToProvider", "%s", "c")
	r.AnnotatedEventf(nil, nil, corev1.EventTypeWarning, "CannotCreateExternalResource", "%s", "d")
	for name, test := range map[string]struct {
		recorder *record.FakeRecorder
		want     []string
	}{
		"once":     {once, []string{"Normal IdentityChanged a", "Warning CannotCreateExternalResource d"}},
		"repeated": {repeated, []string{"Warning CannotObserveExternalResource b", "Warning CannotConnectToProvider c"}},
	} {
		if len(test.recorder.Events) != len(test.want) {
			t.Fatalf("%s: %d events, want %d", name, len(test.recorder.Events), len(test.want))
		}
		for _, want := range test.want {
			if got := <-test.recorder.Events; got != want {
				t.Errorf("%s: got %q, want %q", name, got, want)
			}
		}
	}
}

// Many events of one namespace neither delay nor displace those of others. A namespace may have its
// queue in common with it, by chance.
func TestEventsOfNamespaces(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	written, victims := 0, map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		written++
		if namespace := strings.Split(q.URL.Path, "/")[4]; namespace != "mallory" {
			victims[namespace] = true
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprint(w, `{"apiVersion":"v1","kind":"Event"}`)
	}))
	defer server.Close()
	r, stop, err := controller.NewRecorder(&rest.Config{Host: server.URL}, "test", 100, clientgoscheme.Scheme)
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	event := func(namespace string, i int) {
		r.Event(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprint("c-", i)}},
			corev1.EventTypeNormal, "Created", "made")
	}
	for i := range 3000 {
		event("mallory", i)
	}
	const namespaces = 20
	for i := range namespaces {
		event(fmt.Sprint("victim-", i), 0)
	}
	waittest.Eventually(t, "the events of others are written", func(context.Context) bool {
		mu.Lock()
		defer mu.Unlock()
		if written > 800 {
			t.Fatalf("those of %d of %d are among %d events", len(victims), namespaces, written)
		}
		return len(victims) >= namespaces/2
	})
}
