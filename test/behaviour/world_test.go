package behaviour_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
	"github.com/landbridge-io/landbridge/examples/examplecloud/cloud"
)

// world is a cloud with the requests of providers that write, or search.
type world struct {
	cloud *cloud.Server
	// hand is a client with requests that are not recorded.
	hand *client.Client
	// endpoint records requests.
	endpoint string

	mu     sync.Mutex
	writes []write
	// searched counts the searches for objects, by the name that they look for.
	searched map[string]int
}

// write is a request that changes the cloud.
type write struct{ method, path, body string }

func newWorld(t *testing.T) *world {
	t.Helper()
	server, err := cloud.Start(cloud.Options{Data: filepath.Join(t.TempDir(), "cloud.db"), NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	w := &world{cloud: server, searched: map[string]int{}}
	if w.hand, err = client.New(client.Config{Endpoint: server.URL()}); err != nil {
		t.Fatal(err)
	}
	target, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	// Connections that the cloud drops are dropped here, too.
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.note(r)
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(front.Close)
	w.endpoint = front.URL
	return w
}

func (w *world) note(r *http.Request) {
	if r.Method == http.MethodGet {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.searched[r.URL.Query().Get("name")]++
		return
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes = append(w.writes, write{r.Method, r.URL.Path, string(body)})
}

// searches returns how often objects of a name were searched.
func (w *world) searches(name string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.searched[name]
}

// written returns the writes by a method with a path that ends with the text, or a body that
// contains it as a string.
func (w *world) written(method, text string) []write {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []write
	for _, x := range w.writes {
		if x.method == method && (strings.HasSuffix(x.path, "/"+text) || strings.Contains(x.body, `"`+text+`"`)) {
			out = append(out, x)
		}
	}
	return out
}

// untouched fails the test if a provider made a write request with one of the texts, which are ids
// and names.
func (w *world) untouched(t *testing.T, texts ...string) {
	t.Helper()
	for _, text := range texts {
		all := slices.Concat(w.written(http.MethodPost, text), w.written(http.MethodPatch, text), w.written(http.MethodDelete, text))
		if len(all) > 0 {
			t.Errorf("%s must not be changed: %v", text, all)
		}
	}
}

// made creates an object by hand.
func made[T any](t *testing.T, w *world, collection api.Collection[T], object T) T {
	t.Helper()
	task, err := client.Begin(t.Context(), w.hand, collection, object)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "the object is there", func(ctx ctx) bool {
		if err = w.ask(ctx, http.MethodGet, "/v1/tasks/"+task.ID, nil, &task); err == nil && task.Status == api.TaskSucceeded {
			object, err = client.Get(ctx, w.hand, collection, task.ObjectID, "")
			return err == nil
		}
		return false
	})
	return object
}

// ask sends a request that the client does not support.
func (w *world) ask(ctx ctx, method, path string, body, into any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, method, w.cloud.URL()+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s: %s", method, path, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

// hang makes the task that creates the object with that field value hang.
func (w *world) hang(t *testing.T, collection, field, value string) {
	t.Helper()
	w.fault(t, api.Fault{
		On: api.OnCreate, Collection: collection, Match: map[string]string{field: value}, Count: 1,
		TaskOutcome: api.OutcomeHang,
	})
}

// tasks returns the running creates of a collection, by a field of the object.
func tasks[T any](t *testing.T, w *world, collection api.Collection[T], field, value string) []api.Task {
	t.Helper()
	found, err := client.Tasks(t.Context(), w.hand, collection, map[string]string{field: value})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// end completes tasks that hang: their objects appear.
func (w *world) end(t *testing.T, hanging []api.Task) {
	t.Helper()
	for _, task := range hanging {
		if err := w.ask(t.Context(), http.MethodPost, "/admin/tasks/"+task.ID, api.TaskEnd{Outcome: "succeed"}, &task); err != nil {
			t.Fatal(err)
		}
	}
}

// named returns the objects with a name.
func named[T any](t *testing.T, w *world, collection api.Collection[T], name string) []T {
	t.Helper()
	found, err := client.List(t.Context(), w.hand, collection, map[string]string{"name": name})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// changed changes an object by hand.
func changed[T any](t *testing.T, w *world, collection api.Collection[T], id string, fields m) {
	t.Helper()
	if _, err := client.Update(t.Context(), w.hand, collection, id, fields); err != nil {
		t.Fatal(err)
	}
}

// is fails the test if the object does not exist.
func is[T any](t *testing.T, w *world, collection api.Collection[T], id string) T {
	t.Helper()
	object, err := client.Get(t.Context(), w.hand, collection, id, "")
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// heal removes the faults for objects of that name.
func (w *world) heal(t *testing.T, name string) {
	t.Helper()
	var faults []api.Fault
	if err := w.ask(t.Context(), http.MethodGet, "/admin/faults", nil, &faults); err != nil {
		t.Fatal(err)
	}
	for _, f := range faults {
		if f.Match["name"] != name {
			continue
		}
		if err := w.ask(t.Context(), http.MethodDelete, "/admin/faults/"+f.ID, nil, new(any)); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
	}
}

// fault adds a fault.
func (w *world) fault(t *testing.T, f api.Fault) {
	t.Helper()
	if err := w.cloud.AddFault(f); err != nil {
		t.Fatal(err)
	}
}
