package status_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/zclconf/go-cty/cty"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/command/status"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/schema"
)

// world is an API server with the kinds of two providers, without a controller.
type world struct {
	*status.Client
	namespace string
	dynamic   dynamic.Interface
	kinds     []status.Kind
}

var once sync.Once

func newWorld(t *testing.T) *world {
	t.Helper()
	server := playgroundtest.Start(t)
	once.Do(func() { serve(t, server) })
	w := &world{namespace: server.Namespace(t)}
	var err error
	if w.Client, err = status.NewClient(server.Config); err != nil {
		t.Fatal(err)
	}
	if w.dynamic, err = dynamic.NewForConfig(server.Config); err != nil {
		t.Fatal(err)
	}
	waittest.Eventually(t, "the kinds are served", func(context.Context) bool {
		w.kinds, err = w.Kinds()
		if err != nil || len(w.kinds) != 3 {
			return false
		}
		all, err := w.AllKinds()
		return err == nil && len(slices.DeleteFunc(all, func(k status.Kind) bool { return k.Mode != model.Data })) == 2
	})
	return w
}

// serve makes the CRDs of one and two, which both have a Thing.
func serve(t *testing.T, server *playgroundtest.Server) {
	t.Helper()
	client, err := apiextensionsclient.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	for name, types := range map[string][]string{"one": {"one_thing", "one_other"}, "two": {"two_thing"}} {
		p := &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{}}
		for _, r := range types {
			p.Resources[r] = &schema.Resource{
				Type: r, Block: &schema.Block{
					Attributes: map[string]*schema.Attribute{"name": {Type: cty.String, Optional: true}},
				},
			}
		}
		if name == "one" {
			p.DataSources = map[string]*schema.Block{"one_thing": p.Resources["one_thing"].Block, "one_image": p.Resources["one_thing"].Block}
		}
		m, err := model.NewProvider(name, p, config.Provider{
			Resources: map[string]config.Resource{types[0]: {ShortNames: []string{"th" + name}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		var all []*apiextensionsv1.CustomResourceDefinition
		for _, r := range m.All() {
			d, err := crd.Resource(r)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, d)
		}
		for _, d := range append(all, crd.ProviderConfig(m)...) {
			if _, err := client.ApiextensionsV1().CustomResourceDefinitions().Create(t.Context(), d, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func (w *world) kind(t *testing.T, name string) status.Kind {
	t.Helper()
	k, err := status.Find(w.kinds, name)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func (w *world) of(k status.Kind) dynamic.ResourceInterface {
	return w.dynamic.Resource(k.GroupVersionResource).Namespace(w.namespace)
}

func (w *world) create(t *testing.T, kind, name string) *unstructured.Unstructured {
	t.Helper()
	k := w.kind(t, kind)
	u := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"forProvider": map[string]any{}}}}
	u.SetGroupVersionKind(runtimeschema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Kind})
	u.SetName(name)
	out, err := w.of(k).Create(t.Context(), u, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// status is what the controller would write.
func (w *world) status(t *testing.T, kind, name string, status map[string]any) {
	t.Helper()
	k := w.kind(t, kind)
	u, err := w.of(k).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	u.Object["status"] = status
	if _, err := w.of(k).UpdateStatus(t.Context(), u, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func condition(kind, status, reason, message string) map[string]any {
	return map[string]any{
		"type": kind, "status": status, "reason": reason, "message": message, "lastTransitionTime": "2026-01-02T15:04:05Z",
	}
}

func ready() map[string]any {
	return map[string]any{
		"state": "Full", "conditions": []any{
			condition("Ready", "True", "Available", ""), condition("Synced", "True", "ReconcileSuccess", ""),
		},
	}
}

func TestFind(t *testing.T) {
	w := newWorld(t)
	var all []string
	for _, k := range w.kinds {
		all = append(all, k.String())
	}
	if diff := cmp.Diff([]string{"other.one.landbridge.io", "thing.one.landbridge.io", "thing.two.landbridge.io"}, all); diff != "" {
		t.Errorf("kinds (-want +got):\n%s", diff)
	}
	var data []string
	served, err := w.AllKinds()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range served {
		if k.Mode == model.Data {
			data = append(data, k.String())
		}
	}
	if diff := cmp.Diff([]string{"image.data.one.landbridge.io", "thing.data.one.landbridge.io"}, data); diff != "" {
		t.Errorf("kinds of data sources (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{
		"image": "image.data.one.landbridge.io", "thing.data.one.landbridge.io": "thing.data.one.landbridge.io",
		"others": "other.one.landbridge.io", "thone": "thing.one.landbridge.io",
	} {
		if k, err := status.Find(served, name); err != nil || k.String() != want {
			t.Errorf("%s among all kinds: got %s, %v", name, k, err)
		}
	}
	onlyOne := slices.DeleteFunc(slices.Clone(served), func(k status.Kind) bool { return k.Group == "two.landbridge.io" })
	if k, err := status.Find(onlyOne, "thing"); err != nil || k.String() != "thing.one.landbridge.io" {
		t.Errorf("a resource type and a data source of a name: got %s, %v", k, err)
	}
	cases := map[string]struct{ want, problem string }{
		"other":                             {want: "other.one.landbridge.io"},
		"Others":                            {want: "other.one.landbridge.io"},
		"thone":                             {want: "thing.one.landbridge.io"},
		"thing.two.landbridge.io":           {want: "thing.two.landbridge.io"},
		"things.v1alpha1.two.landbridge.io": {want: "thing.two.landbridge.io"},
		"thing": {
			problem: "several kinds are called thing; say which: thing.one.landbridge.io, thing.two.landbridge.io",
		},
		"thing.three.landbridge.io": {problem: "kubectl api-resources --categories=landbridge"},
		"pod":                       {problem: "there is no kind pod"},
		"providerconfig":            {problem: "there is no kind providerconfig"},
	}
	for name, tc := range cases {
		k, err := status.Find(w.kinds, name)
		switch {
		case tc.problem == "" && (err != nil || k.String() != tc.want):
			t.Errorf("%s: got %s, %v", name, k, err)
		case tc.problem != "" && (err == nil || !strings.Contains(err.Error(), tc.problem)):
			t.Errorf("%s: got error %v", name, err)
		}
	}
	if _, err := status.Find(nil, "thing"); err == nil || !strings.Contains(err.Error(), "kubectl get terraformproviders") {
		t.Errorf("without kinds: %v", err)
	}
}

func TestList(t *testing.T) {
	w := newWorld(t)
	w.create(t, "other", "a")
	w.create(t, "thone", "b")
	w.create(t, "thtwo", "c")
	w.status(t, "thone", "b", ready())
	got, err := w.List(t.Context(), w.kinds, w.namespace)
	if err != nil {
		t.Fatal(err)
	}
	byDefault := status.ProviderConfig{Kind: "ClusterProviderConfig", Name: "default"}
	want := []status.Row{
		{
			APIVersion: "one.landbridge.io/v1alpha1", Kind: "Other", Namespace: w.namespace, Name: "a",
			ProviderConfig: byDefault, Health: status.Unseen, Message: "The controller has not looked at it yet.",
		},
		{
			APIVersion: "one.landbridge.io/v1alpha1", Kind: "Thing", Namespace: w.namespace, Name: "b",
			ProviderConfig: byDefault, State: "Full", Ready: "True", Synced: "True", Health: status.Ready,
		},
		{
			APIVersion: "two.landbridge.io/v1alpha1", Kind: "Thing", Namespace: w.namespace, Name: "c",
			ProviderConfig: byDefault, Health: status.Unseen, Message: "The controller has not looked at it yet.",
		},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(status.Row{}, "Created")); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	// A kind that has gone has no resources.
	gone := w.kinds[0]
	gone.Resource = "nosuchthings"
	if got, err = w.List(t.Context(), append([]status.Kind{gone}, w.kinds...), w.namespace); err != nil || len(got) != 3 {
		t.Errorf("%d rows, error %v", len(got), err)
	}
	config := rest.CopyConfig(playgroundtest.Start(t).Config)
	config.Impersonate.UserName = "user-without-rights"
	other, err := status.NewClient(config)
	if err != nil {
		t.Fatal(err)
	}
	if got, err = other.List(t.Context(), w.kinds, w.namespace); err == nil ||
		!strings.Contains(err.Error(), "cannot list thing.one.landbridge.io") || len(got) != 0 {
		t.Errorf("%d rows without rights, error %v", len(got), err)
	}
}

func TestWatch(t *testing.T) {
	w := newWorld(t)
	w.create(t, "other", "a")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	changes, listed, ended := make(chan status.Change, 100), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- w.Watch(ctx, func() ([]status.Kind, error) { return w.kinds, nil }, w.namespace,
			func() { close(listed) }, func(c status.Change) { changes <- c })
	}()
	select {
	case <-listed:
	case <-time.After(30 * time.Second):
		t.Fatal("it is never listed")
	}
	next := func(want string) {
		t.Helper()
		select {
		case c := <-changes:
			got := c.Name + " " + c.State
			if c.Gone {
				got += " gone"
			}
			if got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("never: %s", want)
		}
	}
	next("a ")
	w.create(t, "thone", "b")
	next("b ")
	w.status(t, "thone", "b", ready())
	next("b Full")
	// What no row shows is no change.
	k := w.kind(t, "thone")
	u, err := w.of(k).Get(t.Context(), "b", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	u.SetLabels(map[string]string{"some": "label"})
	if _, err := w.of(k).Update(t.Context(), u, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := w.of(k).Delete(t.Context(), "b", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	next("b Full gone")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAsk(t *testing.T) {
	w := newWorld(t)
	cases := map[string]struct {
		what      status.Request
		state     string
		operation map[string]any
		refused   string
	}{
		"taint":                    {what: status.Taint, state: "Full"},
		"taint, partial":           {what: status.Taint, state: "Partial"},
		"taint, already":           {what: status.Taint, state: "Tainted", refused: "it is tainted already"},
		"taint, nothing":           {what: status.Taint, state: "Empty", refused: "there is no remote object"},
		"untaint":                  {what: status.Untaint, state: "Tainted"},
		"untaint, not tainted":     {what: status.Untaint, state: "Full", refused: "its state is Full"},
		"untaint, not looked at":   {what: status.Untaint, refused: "its state is not known yet"},
		"retry, whatever there is": {what: status.Retry},
		"interrupt":                {what: status.Interrupt, state: "Empty", operation: map[string]any{"kind": "Create"}},
		"interrupt, again": {
			what: status.Interrupt, operation: map[string]any{"kind": "Create", "interrupted": true},
			refused: "its Create was interrupted already",
		},
		"interrupt, nothing":       {what: status.Interrupt, state: "Full", refused: "no operation in progress"},
		"abandon":                  {what: status.Abandon, operation: map[string]any{"kind": "Create", "interrupted": true}},
		"abandon, not interrupted": {what: status.Abandon, operation: map[string]any{"kind": "Create"}, refused: "without --abandon first"},
	}
	k := w.kind(t, "thone")
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			object := strings.NewReplacer(" ", "-", ",", "").Replace(name)
			w.create(t, "thone", object)
			if tc.state != "" {
				w.status(t, "thone", object, map[string]any{"state": tc.state})
			}
			if tc.operation != nil {
				w.status(t, "thone", object, map[string]any{"state": tc.state, "operation": tc.operation})
			}
			token, err := w.Ask(t.Context(), k, w.namespace, object, tc.what)
			if tc.refused != "" {
				if err == nil || !strings.Contains(err.Error(), tc.refused) || !strings.Contains(err.Error(), "thing.one.landbridge.io/"+object) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			u, err := w.of(k).Get(t.Context(), object, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if got := u.GetAnnotations()[tc.what.Annotation]; got != token.Token || got == "" {
				t.Errorf("the annotation is %q, want %q", got, token.Token)
			}
			if again, err := w.Ask(t.Context(), k, w.namespace, object, tc.what); err != nil || again.Token == token.Token {
				t.Errorf("asked again: the same token, or %v", err)
			} else {
				token = again
			}

			told := make(chan status.Row, 10)
			done := make(chan error, 1)
			go func() {
				row, err := w.Wait(t.Context(), token, func(r status.Row) { told <- r })
				if err == nil && row.State != "Partial" {
					t.Errorf("in the end its state is %s", row.State)
				}
				done <- err
			}()
			<-told
			// Another token is not the one that is waited for.
			w.status(t, "thone", object, map[string]any{"state": "Full", "lastHandled": map[string]any{tc.what.Verb: "another"}})
			<-told
			w.status(t, "thone", object, map[string]any{"state": "Partial", "lastHandled": map[string]any{tc.what.Verb: token.Token}})
			if err := <-done; err != nil {
				t.Error(err)
			}
		})
	}
	if _, err := w.Ask(t.Context(), k, w.namespace, "nosuch", status.Retry); err == nil || !strings.Contains(err.Error(), "not found") {
		t.Errorf("of what is not there: %v", err)
	}
}

// Who waits in vain is told why.
func TestWaitInVain(t *testing.T) {
	w := newWorld(t)
	k := w.kind(t, "thone")
	asked := func(name string) status.Asked {
		return status.Asked{Request: status.Retry, Kind: k, Namespace: w.namespace, Name: name, Token: "token"}
	}
	cases := map[string]struct {
		status map[string]any
		want   string
	}{
		"uncontrolled": {want: "is the controller running?"},
		"paused": {
			status: map[string]any{"conditions": []any{condition("Synced", "False", "ReconcilePaused", "")}},
			want:   "the resource is paused",
		},
		"busy": {
			status: map[string]any{
				"operation": map[string]any{
					"kind": "Update", "startedAt": time.Now().Add(-time.Minute).UTC().Format(time.RFC3339),
				},
			}, want: "Update has been going on for 1m",
		},
		"interrupted": {
			status: map[string]any{"operation": map[string]any{"kind": "Update", "interrupted": true}},
			want:   "the provider has not answered yet",
		},
		"refused": {
			status: map[string]any{
				"conditions": []any{condition("Synced", "False", "ProviderUnavailable", "The provider crashed.")},
			}, want: "The provider crashed.",
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			w.create(t, "thone", name)
			if tc.status != nil {
				w.status(t, "thone", name, tc.status)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			_, err := w.Wait(ctx, asked(name), func(status.Row) {})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q", err, tc.want)
			}
		})
	}
	w.create(t, "thone", "deleted")
	time.AfterFunc(200*time.Millisecond, func() {
		_ = w.of(k).Delete(context.Background(), "deleted", metav1.DeleteOptions{})
	})
	if _, err := w.Wait(t.Context(), asked("deleted"), func(status.Row) {}); err == nil || !strings.Contains(err.Error(), "deleted") {
		t.Errorf("of what is deleted: %v", err)
	}
}
