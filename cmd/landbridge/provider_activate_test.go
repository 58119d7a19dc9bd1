package main

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"
	kdiscovery "k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
)

func TestProviderActivate(t *testing.T) {
	t.Parallel()
	server, c := newPlayground(t)
	until := func(what string, ok func(ctx context.Context) bool) {
		t.Helper()
		if err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 2*time.Minute, true,
			func(ctx context.Context) (bool, error) { return ok(ctx), nil }); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	create := func(o client.Object) {
		t.Helper()
		until("create", func(ctx context.Context) bool { return c.Create(ctx, o) == nil }) // a kind takes a moment to be served
	}
	binary := examplecloudtest.Provider(t, examplecloudtest.Framework6)
	opened, err := (&providerFlags{timeout: time.Minute}).open(t.Context(), binary, nil)
	if err != nil {
		t.Fatal(err)
	}
	definition, err := v1alpha1.CustomResourceDefinition()
	if err != nil {
		t.Fatal(err)
	}
	create(definition)
	create(&v1alpha1.TerraformProvider{
		ObjectMeta: metav1.ObjectMeta{Name: "cloud"},
		Spec:       v1alpha1.TerraformProviderSpec{Source: binary, Activate: []string{"examplecloud_t*"}},
	})
	serve := func(resourceType string) {
		t.Helper()
		d, err := crd.Resource(opened.model.Resources[resourceType])
		if err != nil {
			t.Fatal(err)
		}
		create(d)
	}
	activated := func() []string {
		t.Helper()
		p := &v1alpha1.TerraformProvider{}
		if err := c.Get(t.Context(), client.ObjectKey{Name: "cloud"}, p); err != nil {
			t.Fatal(err)
		}
		return p.Spec.Activate
	}
	const head = "apiVersion: examplecloud.landbridge.io/v1alpha1\n"
	manifests := file(t, "m.yaml", head+"kind: Alias\nmetadata: {name: a}\n---\n"+head+
		"kind: ClusterProviderConfig\nmetadata: {name: default}\n---\napiVersion: v1\nkind: List\nitems:\n- "+
		"{apiVersion: v1, kind: ConfigMap}\n- {apiVersion: examplecloud.landbridge.io/v1alpha1, kind: Thing}\n")

	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"an unknown kind": {
			[]string{"-f", file(t, "u.yaml", head+"kind: Nothing\n")},
			"no provider has the kind Nothing.examplecloud.landbridge.io",
		},
		"an unknown action": {
			[]string{
				"-f",
				file(t, "a.yaml", head+"kind: Alias\nspec: {actions: [{name: a, action: "+
					"nothings.action.examplecloud.landbridge.io}]}\n"),
			},
			"no provider has the action nothings.action.examplecloud.landbridge.io",
		},
		"other kinds": {
			[]string{"-f", file(t, "o.yaml", "apiVersion: v1\nkind: ConfigMap\n")},
			"the manifests have no object of a provider's kind",
		},
		"not served": {
			[]string{"-f", file(t, "t.yaml", head+"kind: Thing\n"), "--wait", "1ms"},
			"Thing.examplecloud.landbridge.io is not served after 1ms",
		},
	} {
		_, _, err := run(t, append([]string{"provider", "activate", "--kubeconfig", server.Kubeconfig}, test.args...)...)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one with %s", name, err, test.want)
		}
	}
	activate := func(args ...string) string {
		t.Helper()
		out, _, err := run(t, append([]string{"provider", "activate", "--kubeconfig", server.Kubeconfig, "-f", manifests}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	if out := activate("--dry-run"); out != "TerraformProvider cloud: spec.activate would be [examplecloud_t*, examplecloud_alias]\n" {
		t.Errorf("dry run: %s", out)
	}
	if diff := cmp.Diff([]string{"examplecloud_t*"}, activated()); diff != "" {
		t.Errorf("a dry run changed something:\n%s", diff)
	}

	// The actions of resources are kinds that manifests use.
	triggers := file(t, "triggers.yaml", head+"kind: Thing\nmetadata: {name: t}\nspec: {actions: [{name: a, action: "+
		"snapshots.action.examplecloud.landbridge.io}]}\n")
	out, _, err := run(t, "provider", "activate", "--kubeconfig", server.Kubeconfig, "-f", triggers, "--dry-run")
	if want := "TerraformProvider cloud: spec.activateActions would be [examplecloud_snapshot]\n"; err != nil || out != want {
		t.Errorf("actions of resources: %s, %v", out, err)
	}

	// It waits until the kinds are served, usually by the controller.
	var group sync.WaitGroup
	group.Go(func() {
		until("activated", func(ctx context.Context) bool {
			p := &v1alpha1.TerraformProvider{}
			return c.Get(ctx, client.ObjectKey{Name: "cloud"}, p) == nil && slices.Contains(p.Spec.Activate, "examplecloud_alias")
		})
		serve("examplecloud_alias")
		serve("examplecloud_thing")
	})
	if out := activate(); out != "TerraformProvider cloud: examplecloud_alias, examplecloud_thing: activated\n" {
		t.Errorf("got %s", out)
	}
	group.Wait()
	if diff := cmp.Diff([]string{"examplecloud_t*", "examplecloud_alias"}, activated()); diff != "" {
		t.Error(diff)
	}
	if out := activate(); out != "TerraformProvider cloud: examplecloud_alias, examplecloud_thing: active already\n" {
		t.Errorf("again: %s", out)
	}

	ticket := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "examplecloud.landbridge.io/v1alpha1", "kind": "Ticket", "metadata": map[string]any{
			"name": "t", "namespace": "default",
		}, "spec": map[string]any{"forProvider": map[string]any{"title": "t"}},
	}}
	serve("examplecloud_ticket")
	create(ticket)
	_, _, err = run(t, "provider", "activate", "--kubeconfig", server.Kubeconfig, "-f", manifests, "--only")
	if err == nil || !strings.Contains(err.Error(), "examplecloud_ticket cannot be deactivated: there is default/t") {
		t.Errorf("got error %v", err)
	}
	if err := c.Delete(t.Context(), ticket); err != nil {
		t.Fatal(err)
	}
	activate("--only")
	if diff := cmp.Diff([]string{"examplecloud_alias", "examplecloud_thing"}, activated()); diff != "" {
		t.Error(diff)
	}
}

// A kind that is not served cannot be activated by the first object of it: clients such as kubectl
// look the kind up first, and send nothing if there is none. So no webhook is called.
func TestKindIsLookedUpFirst(t *testing.T) {
	t.Parallel()
	server := playgroundtest.Start(t)
	var sent []string
	var mutex sync.Mutex
	config := rest.CopyConfig(server.Config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return transport(func(r *http.Request) (*http.Response, error) {
			mutex.Lock()
			defer mutex.Unlock()
			sent = append(sent, r.Method+" "+r.URL.Path)
			return next.RoundTrip(r)
		})
	})
	d, err := kdiscovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	// As kubectl does.
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(d))
	o := &unstructured.Unstructured{
		Object: map[string]any{
			"apiVersion": "notserved.example.org/v1", "kind": "Thing", "metadata": map[string]any{"name": "x"},
		},
	}
	gvk := o.GroupVersionKind()
	if _, err := mapper.RESTMapping(gvk.GroupKind(), gvk.Version); !meta.IsNoMatchError(err) {
		t.Errorf("got error %v", err)
	}
	c, err := client.New(config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Create(t.Context(), o); !meta.IsNoMatchError(err) {
		t.Errorf("got error %v", err)
	}
	if len(sent) == 0 {
		t.Error("nothing was sent")
	}
	for _, s := range sent {
		if !strings.HasPrefix(s, "GET /api") {
			t.Errorf("sent %s", s)
		}
	}
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }
