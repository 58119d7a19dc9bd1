package informer_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	toolscache "k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/controller/informer"
)

var thing = schema.GroupVersionKind{Group: "test.landbridge.io", Version: "v1alpha1", Kind: "Thing"}

func newCache(t *testing.T, host string, o cache.Options) (cache.Cache, error) {
	t.Helper()
	mapper := meta.NewDefaultRESTMapper(nil)
	mapper.Add(thing, meta.RESTScopeNamespace)
	o.Mapper, o.HTTPClient = mapper, http.DefaultClient
	return informer.NewCache(&rest.Config{Host: host}, o)
}

// Objects are heard of before all are in the cache, and new ones before their turn. They have no
// managed fields there, whether the API server lists by a watch or not.
func TestNewCache(t *testing.T) {
	t.Parallel()
	for name, listsByWatch := range map[string]bool{"listed by a watch": true, "listed": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rest := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/apis/test.landbridge.io/v1alpha1/things" {
					t.Errorf("asked for %s", r.URL)
				}
				send := func(text string) {
					_, _ = fmt.Fprintln(w, text)
					w.(http.Flusher).Flush()
				}
				object := func(name string) string {
					return fmt.Sprintf(`{"apiVersion":"test.landbridge.io/v1alpha1","kind":"Thing","metadata":{"namespace":"team","name":%q,"labels":{"of":%q},"resourceVersion":"1","managedFields":[{"manager":"x"}]},"spec":{"n":1}}`, name, name)
				}
				w.Header().Set("Content-Type", "application/json")
				q := r.URL.Query()
				switch {
				case q.Get("watch") == "":
					send(
						fmt.Sprintf(
							`{"apiVersion":"test.landbridge.io/v1alpha1","kind":"ThingList","metadata":{"resourceVersion":"5"},"items":[%s,%s]}`,
							object("a"), object("b"),
						),
					)
				case q.Get("resourceVersion") == "3" && listsByWatch:
					send(`{"type":"ADDED","object":` + object("b") + `}`)
					<-r.Context().Done()
				case q.Get("resourceVersion") == "3":
					send(`{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}}`)
				case q.Get("sendInitialEvents") == "true" && !listsByWatch:
					w.WriteHeader(http.StatusUnprocessableEntity)
					send(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422}`)
				case q.Get("sendInitialEvents") == "true":
					send(`{"type":"ADDED","object":` + object("a") + `}`)
					select {
					case <-rest:
					case <-r.Context().Done():
						return
					}
					send(`{"type":"ADDED","object":` + object("b") + `}`)
					send(`{"type":"BOOKMARK","object":{"apiVersion":"test.landbridge.io/v1alpha1","kind":"Thing","metadata":{"resourceVersion":"5","annotations":{"k8s.io/initial-events-end":"true"}}}}`)
					<-r.Context().Done()
				default:
					<-r.Context().Done()
				}
			}))
			defer server.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel() // ends the requests that Close waits for
			c, err := newCache(t, server.URL, cache.Options{})
			if err != nil {
				t.Fatal(err)
			}
			go func() { _ = c.Start(ctx) }()
			obj := &unstructured.Unstructured{}
			obj.SetGroupVersionKind(thing)
			heard, started := make(chan string, 10), make(chan error, 1)
			go func() {
				early := informer.Early{Found: func(u *unstructured.Unstructured) { heard <- u.GetName() }, Since: "3"}
				started <- informer.Start(ctx, c, obj, early, logr.Discard())
			}()
			if listsByWatch {
				if one, other := <-heard, <-heard; one+other != "ab" && one+other != "ba" {
					t.Errorf("heard of %s and %s", one, other)
				}
				select {
				case err := <-started:
					t.Fatalf("started before all objects were sent: %v", err)
				case <-time.After(10 * time.Millisecond):
				}
				close(rest)
			}
			if err := <-started; err != nil {
				t.Fatal(err)
			}
			list := &unstructured.UnstructuredList{}
			list.SetGroupVersionKind(thing.GroupVersion().WithKind("ThingList"))
			if err := c.List(ctx, list); err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, u := range list.Items {
				names = append(names, u.GetName())
				if u.GetManagedFields() != nil {
					t.Errorf("%s has managed fields", u.GetName())
				}
			}
			slices.Sort(names)
			if diff := cmp.Diff([]string{"a", "b"}, names); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			for _, x := range []struct {
				o    []client.ListOption
				want int
			}{
				{[]client.ListOption{client.MatchingLabels{"of": "a"}}, 1},
				{[]client.ListOption{client.MatchingLabels{"of": "a"}, client.UnsafeDisableDeepCopy}, 1},
				{[]client.ListOption{client.MatchingLabels{"of": "a"}, client.InNamespace("team")}, 1},
				{[]client.ListOption{client.MatchingLabels{"of": "a"}, client.InNamespace("other")}, 0},
				{[]client.ListOption{client.MatchingLabels{"of": "c"}}, 0},
				{[]client.ListOption{client.MatchingLabels{"of": "a"}, client.Limit(1)}, 1},
				{[]client.ListOption{client.InNamespace("team")}, 2},
				{[]client.ListOption{client.InNamespace("other")}, 0},
			} {
				if err := c.List(ctx, list, x.o...); err != nil || len(list.Items) != x.want || x.want == 1 && list.Items[0].GetName() != "a" {
					t.Errorf("%v: listed %v, %v", x.o, list.Items, err)
				}
			}
			i, err := c.GetInformer(ctx, obj)
			if err != nil {
				t.Fatal(err)
			}
			added := make(chan string, 10)
			if _, err := i.AddEventHandler(toolscache.ResourceEventHandlerFuncs{
				AddFunc: func(o any) { added <- o.(*unstructured.Unstructured).GetName() },
			}); err != nil {
				t.Fatal(err)
			}
			if one, other := <-added, <-added; one+other != "ab" && one+other != "ba" {
				t.Errorf("added %s and %s", one, other)
			}
			one := &unstructured.Unstructured{}
			one.SetGroupVersionKind(thing)
			if err := c.Get(ctx, types.NamespacedName{Namespace: "team", Name: "b"}, one); err != nil {
				t.Error(err)
			}
		})
	}
}

// A part of a kind would be taken for the whole.
func TestNewCacheIsOfWholeKinds(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]cache.Options{
		"a namespace": {DefaultNamespaces: map[string]cache.Config{"team": {}}},
		"a field":     {DefaultFieldSelector: fields.OneTermEqualSelector("metadata.name", "a")},
		"a kind":      {ByObject: map[client.Object]cache.ByObject{&metav1.PartialObjectMetadata{}: {}}},
	} {
		if _, err := newCache(t, "http://localhost", o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
