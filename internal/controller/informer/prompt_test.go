package informer_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"github.com/landbridge-io/landbridge/internal/controller/informer"
)

// answering is an API server that answers each watch with the only object of its kind after a time.
type answering time.Duration

// RoundTrip implements http.RoundTripper.
func (after answering) RoundTrip(r *http.Request) (*http.Response, error) {
	kind, version := "Thing", thing.GroupVersion().String()
	if strings.HasSuffix(r.URL.Path, "/configmaps") {
		kind, version = "ConfigMap", "v1"
	}
	body, events := io.Pipe()
	go func() {
		defer func() { _ = events.CloseWithError(io.EOF) }()
		select {
		case <-r.Context().Done():
			return
		case <-time.After(time.Duration(after)):
		}
		_, _ = fmt.Fprintf(events,
			`{"type":"ADDED","object":{"apiVersion":%q,"kind":%q,"metadata":{"namespace":"team","name":"a","resourceVersion":"1"}}}`+
				"\n", version, kind)
		_, _ = fmt.Fprintf(events, `{"type":"BOOKMARK","object":{"apiVersion":%q,"kind":%q,"metadata":{"resourceVersion":"5","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", version, kind)
		<-r.Context().Done()
	}()
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: body, Request: r}, nil
}

// inTime calls a function in virtual time, with a cache whose watches are answered after a time.
func inTime(t *testing.T, after time.Duration, f func(ctx context.Context, c cache.Cache)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		mapper := meta.NewDefaultRESTMapper(nil)
		mapper.Add(thing, meta.RESTScopeNamespace)
		mapper.Add(corev1.SchemeGroupVersion.WithKind("ConfigMap"), meta.RESTScopeNamespace)
		c, err := informer.NewCache(&rest.Config{Host: "http://cluster"}, cache.Options{
			Mapper: mapper, HTTPClient: &http.Client{Transport: answering(after)},
		})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		stopped := make(chan error, 1)
		go func() { stopped <- c.Start(ctx) }()
		synctest.Wait()
		f(ctx, c)
		cancel()
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	})
}

// Whoever waits for a kind goes on in the moment in which it is known, although client-go asks for
// that ten times a second only.
func TestNoWaitForTheNextPoll(t *testing.T) {
	t.Parallel()
	things := &unstructured.Unstructured{}
	things.SetGroupVersionKind(thing)
	maps := &corev1.ConfigMap{}
	sourceOf := func(obj client.Object) func(context.Context, cache.Cache) error {
		return func(ctx context.Context, c cache.Cache) error {
			queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
			defer queue.ShutDown()
			x := source.Kind(c, obj, &handler.TypedEnqueueRequestForObject[client.Object]{})
			if err := x.Start(ctx, queue); err != nil {
				return err
			}
			return x.WaitForSync(ctx)
		}
	}
	readOf := func(obj client.Object) func(context.Context, cache.Cache) error {
		return func(ctx context.Context, c cache.Cache) error {
			return c.Get(ctx, types.NamespacedName{Namespace: "team", Name: "a"}, obj.DeepCopyObject().(client.Object))
		}
	}
	for name, wait := range map[string]func(context.Context, cache.Cache) error{
		"a source":               sourceOf(things),
		"a source of typed ones": sourceOf(maps),
		"a read":                 readOf(things),
		"a read of a typed one":  readOf(maps),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, after := range []time.Duration{0, 30 * time.Millisecond, 330 * time.Millisecond} {
				inTime(t, after, func(ctx context.Context, c cache.Cache) {
					began := time.Now()
					if err := wait(ctx, c); err != nil {
						t.Error(err)
					}
					if took := time.Since(began); took != after {
						t.Errorf("known after %s, and used after %s", after, took)
					}
				})
			}
		})
	}
}

// A wait for a watch that is not answered ends with its context.
func TestNoWaitBeyondTheContext(t *testing.T) {
	t.Parallel()
	inTime(t, time.Hour, func(ctx context.Context, c cache.Cache) {
		ctx, cancel := context.WithTimeout(ctx, 250*time.Millisecond)
		defer cancel()
		obj := &unstructured.Unstructured{}
		obj.SetGroupVersionKind(thing)
		if err := c.Get(ctx, types.NamespacedName{Namespace: "team", Name: "a"}, obj); err == nil || ctx.Err() == nil {
			t.Errorf("error %v, context %v", err, ctx.Err())
		}
	})
}

// A handler can be removed by its registration.
func TestHandlerIsRemoved(t *testing.T) {
	t.Parallel()
	inTime(t, time.Second, func(ctx context.Context, c cache.Cache) {
		obj := &unstructured.Unstructured{}
		obj.SetGroupVersionKind(thing)
		i, err := c.GetInformer(ctx, obj, cache.BlockUntilSynced(false))
		if err != nil {
			t.Fatal(err)
		}
		heard := map[string]int{}
		add := func(name string) toolscache.ResourceEventHandlerRegistration {
			r, err := i.AddEventHandlerWithOptions(toolscache.ResourceEventHandlerFuncs{
				AddFunc: func(any) { heard[name]++ },
			}, toolscache.HandlerOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		removed, left := add("removed"), add("left")
		if err := i.RemoveEventHandler(removed); err != nil {
			t.Error(err)
		}
		<-left.HasSyncedChecker().Done()
		if heard["removed"] != 0 || heard["left"] != 1 {
			t.Errorf("heard %v", heard)
		}
	})
}
