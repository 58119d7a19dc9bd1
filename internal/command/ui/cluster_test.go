package ui_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/command/ui"
	"github.com/landbridge-io/landbridge/internal/testing/playgroundtest"
	"github.com/landbridge-io/landbridge/internal/testing/statetest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
	"github.com/landbridge-io/landbridge/schema"
)

// cluster is an API server that serves a kind, without a controller.
type cluster struct {
	*playgroundtest.Server
	*state.Cluster
}

var serving = sync.OnceValues(func() (cluster, error) {
	s, c, err := statetest.Serve(context.Background(), &schema.Resource{
		Type: statetest.ResourceType, Block: &schema.Block{Attributes: map[string]*schema.Attribute{"name": {Type: cty.String, Optional: true}}},
	}, &schema.Block{})
	return cluster{s, c}, err
})

func newCluster(t *testing.T) cluster {
	t.Helper()
	c, err := serving()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// thing creates a thing with a plan that waits; without one if the hash is empty.
func (c cluster) thing(t *testing.T, namespace, name, hash string) *unstructured.Unstructured {
	t.Helper()
	u := statetest.Object(namespace, name, map[string]any{"name": "value-of-" + name})
	if err := c.Create(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	conditions := []any{condition("Ready", "True", "Available"), condition("Synced", "True", "ReconcileSuccess")}
	if hash != "" {
		conditions = []any{condition("Synced", "False", "AwaitingApproval"), condition("Approved", "False", "AwaitingApproval")}
	}
	c.plan(t, u, hash, conditions)
	return u
}

// plan sets the plan of a thing.
func (c cluster) plan(t *testing.T, u *unstructured.Unstructured, hash string, conditions []any) {
	t.Helper()
	status := map[string]any{"conditions": conditions, "observedGeneration": u.GetGeneration()}
	if hash != "" {
		status["plan"] = map[string]any{"hash": hash, "action": "Update"}
	}
	u.Object["status"] = status
	if err := c.Status().Update(t.Context(), u); err != nil {
		t.Fatal(err)
	}
}

func condition(kind, status, reason string) any {
	return map[string]any{"type": kind, "status": status, "reason": reason, "message": "", "lastTransitionTime": "2026-01-02T15:04:05Z"}
}

// browser is a person's browser with the page open.
type browser struct {
	*http.Client
	t    *testing.T
	base string
	form string
}

// open serves the page for a configuration until the test ends, and opens it.
func open(t *testing.T, config *rest.Config, namespace string) *browser {
	t.Helper()
	s, err := ui.New(ui.Options{Config: config, Namespace: namespace, System: statetest.System})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{
		Client: &http.Client{Jar: jar, Transport: &http.Transport{}}, t: t, base: "http://" + l.Addr().String(),
		form: s.Secrets().Form,
	}
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serving: %v", err)
		}
		b.CloseIdleConnections()
	})
	if code, body := b.get(strings.TrimPrefix(s.Address(l), b.base)); code != 200 {
		t.Fatalf("opening: %d %s", code, body)
	}
	waittest.Eventually(t, "everything is listed", func(context.Context) bool {
		var a ui.Attention
		b.read("attention", &a)
		return a.Listed
	})
	return b
}

func (b *browser) get(path string) (int, string) {
	b.t.Helper()
	r, err := b.Get(b.base + path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return r.StatusCode, string(body)
}

// read reads a view from the API.
func (b *browser) read(path string, to any) {
	b.t.Helper()
	code, body := b.get("/api/v1/" + path)
	if code != 200 {
		b.t.Fatalf("%s: %d %s", path, code, body)
	}
	if err := json.Unmarshal([]byte(body), to); err != nil {
		b.t.Fatal(err)
	}
}

// names returns the things that the page has, as NAMESPACE/NAME.
func (b *browser) names() []string {
	b.t.Helper()
	var e ui.Estate
	b.read("estate?kind=thing.one.landbridge.io", &e)
	out := []string{}
	for _, o := range e.Objects {
		out = append(out, o.Namespace+"/"+o.Name)
	}
	return out
}

// approve sends the form that approves plans.
func (b *browser) approve(plans ...string) string {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, b.base+"/plans/approve",
		strings.NewReader(url.Values{"form": {b.form}, "plan": plans}.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", b.base)
	response, err := b.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		b.t.Fatalf("approving: %d %s %v", response.StatusCode, body, err)
	}
	return string(body)
}

func id(namespace, name, hash string) string {
	return "thing.one.landbridge.io/" + namespace + "/" + name + "#" + hash
}

// TestApprove checks that plans are approved by their hashes alone.
func TestApprove(t *testing.T) {
	c := newCluster(t)
	namespace := c.Namespace(t)
	first, second, other := c.thing(t, namespace, "first", "11"), c.thing(t, namespace, "second", "22"), c.thing(t, namespace, "other", "33")
	b := open(t, c.Config, namespace)
	var plans ui.Plans
	b.read("plans", &plans)
	got := []string{}
	for _, p := range plans.Plans {
		if p.Namespace == namespace {
			got = append(got, p.ID())
		}
	}
	if diff := cmp.Diff([]string{id(namespace, "first", "11"), id(namespace, "other", "33"), id(namespace, "second", "22")}, got); diff != "" {
		t.Fatalf("-want, +got:\n%s", diff)
	}
	c.plan(t, second, "23", []any{condition("Synced", "False", "AwaitingApproval"), condition("Approved", "False", "AwaitingApproval")})
	page := b.approve(id(namespace, "first", "11"), id(namespace, "second", "22"), "x", id(namespace, "gone", "1"))
	for _, want := range []string{
		"Thing " + namespace + "/first: approved.",
		"Thing " + namespace + "/second: Not approved: the plan of thing.one.landbridge.io/second is not 22 any " +
			"more, but 23. Look at it first.",
		"names no plan", "It does not exist any more.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for u, want := range map[*unstructured.Unstructured]string{first: "11", second: "", other: ""} {
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(u), u); err != nil {
			t.Fatal(err)
		}
		if got := u.GetAnnotations()["landbridge.io/approve"]; got != want {
			t.Errorf("%s is approved for %q, want %q", u.GetName(), got, want)
		}
	}
	if page := b.approve(); !strings.Contains(page, "No plan is selected.") {
		t.Error("nothing says that no plan is selected")
	}
}

// TestViewsOfCluster checks the views that read the cluster, and that no view has a Secret in it.
func TestViewsOfCluster(t *testing.T) {
	c := newCluster(t)
	namespace := c.Namespace(t)
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "creds"}, StringData: map[string]string{
			"password": "planted-secret",
		},
	}
	if err := c.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	c.thing(t, namespace, "target", "")
	above := statetest.Object(namespace, "above", map[string]any{})
	above.Object["spec"].(map[string]any)["references"] = []any{map[string]any{
		"to":   "forProvider.name",
		"from": map[string]any{"kind": statetest.Kind, "name": "target", "fieldPath": "status.atProvider.name"},
	}}
	if err := c.Create(t.Context(), above); err != nil {
		t.Fatal(err)
	}
	b := open(t, c.Config, namespace)
	object := "thing.one.landbridge.io/" + namespace
	for path, wants := range map[string][]string{
		"/":                              {"Needs attention"},
		"/estate?namespace=" + namespace: {"target", "above"},
		"/resources/" + object + "/target": {
			"value-of-target", "Nothing has to be done.",
			"landbridge retry thing.one.landbridge.io/target -n " + namespace,
		},
		"/dependencies/" + object + "/above":  {"<svg", "spec.forProvider.name"},
		"/dependencies/" + object + "/target": {"<svg", "Thing " + namespace + "/above"},
		"/search?q=VALUE-of-target":           {"1 object has", "target"},
		"/search?q=planted-secret":            {"0 objects"},
		"/plans":                              {"Plans"},
		"/providers":                          {"No provider"},
		"/static/htmx.min.js":                 {"htmx"},
	} {
		code, body := b.get(path)
		if code != 200 {
			t.Errorf("%s: %d %s", path, code, body)
		}
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
		if path != "/search?q=planted-secret" && strings.Contains(body, "planted-secret") {
			t.Errorf("%s has the value of a Secret", path)
		}
	}
	for _, path := range []string{
		"/resources/secret./" + namespace + "/creds", "/api/v1/resources/secret./" + namespace + "/creds",
		"/resources/" + object + "/none",
	} {
		if code, body := b.get(path); code != 404 {
			t.Errorf("%s: %d %s", path, code, body)
		}
	}
}

// TestLive checks that the stream tells of changes, and that the views have them.
func TestLive(t *testing.T) {
	c := newCluster(t)
	namespace := c.Namespace(t)
	b := open(t, c.Config, namespace)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, b.base+"/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := b.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	c.thing(t, namespace, "new", "")
	for !slices.Contains(b.names(), namespace+"/new") {
		changed := false
		for !changed && lines.Scan() {
			changed = lines.Text() == "event: estate"
		}
		if !changed {
			t.Fatalf("the stream has ended: %v", lines.Err())
		}
	}
}

// as returns the configuration of a person, who may do what the rules say in one namespace.
func (c cluster) as(t *testing.T, user, namespace string, rules ...rbacv1.PolicyRule) *rest.Config {
	t.Helper()
	api, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	meta := metav1.ObjectMeta{Namespace: namespace, Name: user}
	if _, err := api.RbacV1().Roles(namespace).Create(t.Context(), &rbacv1.Role{ObjectMeta: meta, Rules: rules},
		metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := api.RbacV1().RoleBindings(namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: meta, Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	config := rest.CopyConfig(c.Config)
	config.Impersonate.UserName = user
	return config
}

// TestRights checks that the page has the permissions of the person, and no others.
func TestRights(t *testing.T) {
	c := newCluster(t)
	mine, others := c.Namespace(t), c.Namespace(t)
	c.thing(t, mine, "seen", "11")
	c.thing(t, others, "hidden", "22")
	config := c.as(t, "reader-"+mine, mine, rbacv1.PolicyRule{
		APIGroups: []string{statetest.Group}, Resources: []string{"things"}, Verbs: []string{"get", "list", "watch"},
	})
	b := open(t, config, mine)
	if diff := cmp.Diff([]string{mine + "/seen"}, b.names()); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if code, _ := b.get("/resources/thing.one.landbridge.io/" + others + "/hidden"); code != 404 {
		t.Errorf("a resource of another namespace: %d", code)
	}
	for _, path := range []string{"/", "/estate", "/plans", "/search?q=hidden", "/resources/thing.one.landbridge.io/" + mine + "/seen"} {
		if code, body := b.get(path); code != 200 || strings.Contains(body, others) {
			t.Errorf("%s: %d, with the other namespace: %t", path, code, strings.Contains(body, others))
		}
	}
	if page := b.approve(id(mine, "seen", "11")); !strings.Contains(page, "Not approved") || !strings.Contains(page, "cannot patch resource") {
		t.Error("the approval was not refused")
	}
	if page := b.approve(id(others, "hidden", "22")); !strings.Contains(page, "It does not exist any more.") {
		t.Error("the approval in the other namespace was not refused")
	}
	nothing := open(t, c.as(t, "without-rights-"+mine, mine), mine)
	if got := nothing.names(); len(got) != 0 {
		t.Errorf("without permissions, the page has %v", got)
	}
}
