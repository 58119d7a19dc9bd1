package ui_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/command/ui"
	"github.com/landbridge-io/landbridge/internal/testing/statetest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// readsThings permits to see the things of a namespace.
var readsThings = rbacv1.PolicyRule{
	APIGroups: []string{statetest.Group}, Resources: []string{"things"}, Verbs: []string{"get", "list", "watch"},
}

// person is a ServiceAccount that may see the things of a namespace, and its token.
func (c cluster) person(t *testing.T, api kubernetes.Interface, namespace string) (token string) {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: namespace, Name: "person"}
	if _, err := api.CoreV1().ServiceAccounts(namespace).
		Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: meta}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := api.RbacV1().Roles(namespace).Create(t.Context(),
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{readsThings}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := api.RbacV1().RoleBindings(namespace).Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: meta, Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: namespace, Name: "person"}},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "person"},
	}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	r, err := api.CoreV1().ServiceAccounts(namespace).
		CreateToken(t.Context(), "person", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Status.Token
}

// team is the page for many people.
type team struct {
	*ui.People
	t    *testing.T
	base string
}

func (c cluster) team(t *testing.T, namespaces ...string) *team {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + l.Addr().String()
	people, err := ui.NewPeople(ui.Options{Config: c.Config, System: statetest.System, Namespaces: namespaces}, []string{base})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- people.Serve(ctx, l, nil) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	return &team{people, t, base}
}

// ask sends a request. Headers are NAME, VALUE, …
func (p *team) ask(client *http.Client, method, path, body string, headers ...string) (int, string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.base+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		} else {
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	response, err := client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	out, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return response.StatusCode, string(out)
}

// names waits until the page has listed everything, and returns the things that a token sees.
func (p *team) names(token string) []string {
	p.t.Helper()
	read := func(path string, to any) {
		code, body := p.ask(http.DefaultClient, "GET", "/api/v1/"+path, "", "Authorization", "Bearer "+token)
		if err := json.Unmarshal([]byte(body), to); code != 200 || err != nil {
			p.t.Fatalf("%s: %d %s", path, code, body)
		}
	}
	waittest.Eventually(p.t, "everything is listed", func(context.Context) bool {
		var a ui.Attention
		read("attention", &a)
		return a.Listed
	})
	var e ui.Estate
	read("estate?kind=thing.one.landbridge.io", &e)
	out := []string{}
	for _, o := range e.Objects {
		out = append(out, o.Namespace+"/"+o.Name)
	}
	return out
}

// TestPeople checks that each person has the permissions of the own token, and no others.
func TestPeople(t *testing.T) {
	c := newCluster(t)
	api, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	mine, others := c.Namespace(t), c.Namespace(t)
	c.thing(t, mine, "seen", "11")
	c.thing(t, others, "hidden", "22")
	token, other := c.person(t, api, mine), c.person(t, api, others)
	p := c.team(t, mine, others)
	for token, want := range map[string]string{token: mine + "/seen", other: others + "/hidden"} {
		if diff := cmp.Diff([]string{want}, p.names(token)); diff != "" {
			t.Errorf("-want, +got:\n%s", diff)
		}
	}

	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	form := func(values ...string) string {
		out := url.Values{}
		for i := 0; i < len(values); i += 2 {
			out.Set(values[i], values[i+1])
		}
		return out.Encode()
	}
	if code, body := p.ask(browser, "GET", "/plans", ""); code != 401 || !strings.Contains(body, "Sign in") || strings.Contains(body, mine) {
		t.Errorf("without a token: %d %s", code, body)
	}
	if code, body := p.ask(browser, "POST", "/login", form("token", "x"), "Origin", p.base); code != 401 ||
		!strings.Contains(body, "does not accept the token") {
		t.Errorf("with another token: %d %s", code, body)
	}
	if code, body := p.ask(browser, "POST", "/login", form("token", token), "Origin", p.base); code != 200 ||
		!strings.Contains(body, "system:serviceaccount:"+mine+":person") {
		t.Fatalf("signing in: %d %s", code, body)
	}
	code, body := p.ask(browser, "GET", "/plans", "")
	if code != 200 || !strings.Contains(body, mine+"/seen") || strings.Contains(body, others) {
		t.Errorf("signed in: %d %s", code, body)
	}
	secret := regexp.MustCompile(`name="form" value="([A-Z0-9]+)"`).FindStringSubmatch(body)[1]
	for name, tc := range map[string]struct {
		client       *http.Client
		method, path string
		body         string
		headers      []string
		want         int
		text         string
	}{
		"the API without a token": {method: "GET", path: "/api/v1/plans", want: 401, text: `"error"`},
		"the API with a token": {
			method: "GET", path: "/api/v1/plans", headers: []string{"Authorization", "Bearer " + token},
			want: 200, text: "seen",
		},
		"what others have": {
			client: browser, method: "GET", path: "/resources/thing.one.landbridge.io/" + others + "/hidden", want: 404,
		},
		"another host": {
			client: browser, method: "GET", path: "/plans", headers: []string{"Host", "attacker.example"}, want: 421,
		},
		"another origin": {
			client: browser, method: "GET", path: "/api/v1/plans",
			headers: []string{"Origin", "http://attacker.example"}, want: 403,
		},
		"a script of another page": {
			client: browser, method: "GET", path: "/plans",
			headers: []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}, want: 403,
		},
		"a frame of another page": {
			client: browser, method: "GET", path: "/plans",
			headers: []string{
				"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe",
			}, want: 403,
		},
		"a link of another page": {
			client: browser, method: "GET", path: "/plans",
			headers: []string{
				"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document",
			}, want: 200,
		},
		"a login by another page": {
			method: "POST", path: "/login", body: form("token", other),
			headers: []string{"Origin", "http://attacker.example"}, want: 403,
		},
		"a login without an origin": {method: "POST", path: "/login", body: form("token", other), want: 403},
		"a form without its secret": {
			client: browser, method: "POST", path: "/plans/approve", body: form("plan", id(mine, "seen", "11")),
			headers: []string{"Origin", p.base}, want: 403,
		},
		"a form with the token alone": {
			method: "POST", path: "/plans/approve", body: form("plan", id(mine, "seen", "11")),
			headers: []string{"Origin", p.base, "Authorization", "Bearer " + token}, want: 403,
		},
		"an approval without permission": {
			client: browser, method: "POST", path: "/plans/approve",
			body: form("form", secret, "plan", id(mine, "seen", "11")), headers: []string{"Origin", p.base},
			want: 200, text: "cannot patch resource",
		},
		"another person's form": {
			method: "POST", path: "/plans/approve", body: form("form", secret, "plan", id(mine, "seen", "11")),
			headers: []string{"Origin", p.base, "Authorization", "Bearer " + other}, want: 403,
		},
		"a command on the machine": {
			client: browser, method: "GET", path: "/import?type=cloud_server", want: 200,
			text: "Run it on your machine",
		},
		"health": {method: "GET", path: "/healthz", headers: []string{"Host", "10.0.0.1:8443"}, want: 200},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.client == nil {
				tc.client = http.DefaultClient
			}
			code, body := p.ask(tc.client, tc.method, tc.path, tc.body, tc.headers...)
			if code != tc.want || !strings.Contains(body, tc.text) {
				t.Errorf("status %d, want %d, with %q: %s", code, tc.want, tc.text, body)
			}
		})
	}

	// A token that ends, ends its session.
	if err := api.CoreV1().ServiceAccounts(mine).Delete(t.Context(), "person", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	waittest.Eventually(t, "the session of the deleted account ends", func(ctx context.Context) bool {
		p.Sweep(ctx)
		code, _ := p.ask(browser, "GET", "/plans", "")
		return code == 401
	})
	if code, body := p.ask(http.DefaultClient, "GET", "/api/v1/plans", "", "Authorization",
		"Bearer "+token); code != 401 || strings.Contains(body, "seen") {
		t.Errorf("the token of a deleted account: %d %s", code, body)
	}
}

// TestLogout checks that the session ends with it, also for those who know the cookie. Further
// logins with the token have the same one: they add nothing to what is kept.
func TestLogout(t *testing.T) {
	c := newCluster(t)
	api, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	namespace := c.Namespace(t)
	token := c.person(t, api, namespace)
	p := c.team(t, namespace)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	_, body := p.ask(browser, "POST", "/login", url.Values{"token": {token}}.Encode(), "Origin", p.base)
	secret := regexp.MustCompile(`name="form" value="([A-Z0-9]+)"`).FindStringSubmatch(body)[1]
	base, err := url.Parse(p.base)
	if err != nil {
		t.Fatal(err)
	}
	cookie := jar.Cookies(base)[0]
	p.ask(browser, "POST", "/login", url.Values{"token": {token}}.Encode(), "Origin", p.base)
	if again := jar.Cookies(base)[0]; again.Value != cookie.Value {
		t.Error("another login has made another cookie")
	}
	if code, body := p.ask(browser, "POST", "/logout", url.Values{"form": {secret}}.Encode(), "Origin",
		p.base); code != 401 || !strings.Contains(body, "Sign in") {
		t.Errorf("signing out: %d %s", code, body)
	}
	if code, _ := p.ask(http.DefaultClient, "GET", "/plans", "", "Cookie", cookie.Name+"="+cookie.Value); code != 401 {
		t.Errorf("the cookie of the session that has ended: %d", code)
	}
}

// TestAddresses checks which addresses a page for many people may have.
func TestAddresses(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://landbridge.example.com": true, "http://localhost:8080/": true, "landbridge.example.com": false, "ftp://x": false,
		"https://x/y": false, "https://user@x": false, "https://x?y": false, "": false,
	} {
		if _, err := ui.NewPeople(ui.Options{Config: &rest.Config{}}, []string{address}); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := ui.NewPeople(ui.Options{Config: &rest.Config{}}, nil); err == nil {
		t.Error("a page without an address")
	}
}

// TestWithdrawnRights checks that what a person may not see any more disappears.
func TestWithdrawnRights(t *testing.T) {
	c := newCluster(t)
	namespace := c.Namespace(t)
	c.thing(t, namespace, "seen", "11")
	user := "leaver-" + namespace
	b := open(t, c.as(t, user, namespace, readsThings), namespace)
	if diff := cmp.Diff([]string{namespace + "/seen"}, b.names()); diff != "" {
		t.Fatalf("-want, +got:\n%s", diff)
	}
	api, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	if err := api.RbacV1().RoleBindings(namespace).Delete(t.Context(), user, metav1.DeleteOptions{}); err != nil && !kerrors.IsNotFound(err) {
		t.Fatal(err)
	}
	waittest.Eventually(t, "what may not be listed any more is gone", func(context.Context) bool { return len(b.names()) == 0 })
	for _, path := range []string{"/", "/estate", "/plans", "/search?q=seen"} {
		if _, body := b.get(path); strings.Contains(body, namespace+"/seen") {
			t.Errorf("%s still has it", path)
		}
	}
	if code, _ := b.get("/resources/thing.one.landbridge.io/" + namespace + "/seen"); code != 404 {
		t.Errorf("the resource: %d", code)
	}
}
