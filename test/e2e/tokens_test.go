package e2e_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// issuer is a login that trusts the tokens of the cluster's ServiceAccounts for one audience, as
// clouds do.
type issuer struct {
	audience string
	keys     map[string]*ecdsa.PublicKey

	mu   sync.Mutex
	seen []string
}

// newIssuer starts a login with the keys that the API server publishes.
func newIssuer(t *testing.T, c *cluster, audience string) (*issuer, string) {
	t.Helper()
	kube, err := kubernetes.NewForConfig(c.Config)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := kube.CoreV1().RESTClient().Get().AbsPath("/openid/v1/jwks").DoRaw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var published struct {
		Keys []struct{ Kid, Crv, X, Y string }
	}
	if err := json.Unmarshal(raw, &published); err != nil {
		t.Fatal(err)
	}
	out := &issuer{audience: audience, keys: map[string]*ecdsa.PublicKey{}}
	for _, k := range published.Keys {
		x, errX := base64.RawURLEncoding.DecodeString(k.X)
		y, errY := base64.RawURLEncoding.DecodeString(k.Y)
		if err := errors.Join(errX, errY); err != nil || k.Crv != "P-256" {
			t.Fatalf("key of curve %q: %v", k.Crv, err)
		}
		key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y))
		if err != nil {
			t.Fatal(err)
		}
		out.keys[k.Kid] = key
	}
	server := httptest.NewServer(out)
	t.Cleanup(server.Close)
	return out, server.URL
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	token, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	i.seen = append(i.seen, string(token))
	i.mu.Unlock()
	subject, err := i.verify(string(token))
	if err != nil {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	fmt.Fprint(w, subject)
}

// verify returns whose token it is, if the API server has signed it for this audience.
func (i *issuer) verify(token string) (string, error) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "", errors.New("it is no token")
	}
	var decoded [3][]byte
	for n, part := range parts {
		var err error
		if decoded[n], err = base64.RawURLEncoding.DecodeString(part); err != nil {
			return "", err
		}
	}
	var header struct{ Alg, Kid string }
	var claims struct {
		Sub string
		Aud []string
		Exp int64
	}
	if err := errors.Join(json.Unmarshal(decoded[0], &header), json.Unmarshal(decoded[1], &claims)); err != nil {
		return "", err
	}
	key, sum := i.keys[header.Kid], sha256.Sum256([]byte(parts[0]+"."+parts[1]))
	switch {
	case key == nil || header.Alg != "ES256" || len(decoded[2]) != 64 ||
		!ecdsa.Verify(key, sum[:], new(big.Int).SetBytes(decoded[2][:32]), new(big.Int).SetBytes(decoded[2][32:])):
		return "", errors.New("the signature is wrong")
	case !slices.Contains(claims.Aud, i.audience):
		return "", fmt.Errorf("it is for %q", claims.Aud)
	case time.Now().Unix() >= claims.Exp:
		return "", errors.New("it has expired")
	}
	return claims.Sub, nil
}

func (i *issuer) tokens() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.seen)
}

// lends permits the controller to request tokens of ServiceAccounts in a namespace.
func (c *cluster) lends(t *testing.T, namespace string) {
	t.Helper()
	err := c.Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "landbridge-tokens"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "landbridge-tokens"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "landbridge", Namespace: system}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A provider logs in with a token that the controller has requested for it, and no other provider
// sees the token.
func TestServiceAccountTokens(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "federated", "TESTPROVIDER_CONFIGURATION=login")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	logins, url := newIssuer(t, c, "cloud.example.org")
	if err := c.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "builder"}}); err != nil {
		t.Fatal(err)
	}
	subject := "system:serviceaccount:" + ns + ":builder"
	using := func(name, kind, of string, token m, file string) {
		config := resource(d.APIVersion(), kind, of, name, m{"endpoint": url, "serviceAccountTokens": []any{token}})
		if file != "" {
			set(t, config, file, "spec", "tokenFile")
		}
		c.MustCreate(t, config)
	}
	token := func(account, audience string, more m) m {
		out := m{"name": "cloud", "serviceAccountRef": m{"name": account}, "audiences": []any{audience}}
		for k, v := range more {
			out[k] = v
		}
		return out
	}
	for name, more := range map[string]m{"file": nil, "variable": {"env": "CLOUD_TOKEN"}} {
		file := ""
		if more == nil {
			file = "$(tokenFile.cloud)"
		}
		using(name, "ProviderConfig", ns, token("builder", "cloud.example.org", more), file)
	}
	using("audience", "ProviderConfig", ns, token("builder", "another.example.org", nil), "$(tokenFile.cloud)")
	using("nobody", "ProviderConfig", ns, token("nobody", "cloud.example.org", nil), "$(tokenFile.cloud)")
	shared := token("builder", "cloud.example.org", nil)
	shared["serviceAccountRef"] = m{"name": "builder", "namespace": ns}
	using(ns, "ClusterProviderConfig", "", shared, "$(tokenFile.cloud)")

	thing := func(name, kind, config string) *unstructured.Unstructured {
		r := d.thing(ns, name, nil)
		set(t, r, m{"kind": kind, "name": config}, "spec", "providerConfigRef")
		c.MustCreate(t, r)
		return r
	}
	first := thing("file", "ProviderConfig", "file")
	c.WaitFalse(t, first, "Synced", "ProviderConfigError", "there is no token of ServiceAccount builder", "ClusterRole landbridge-tokens", ns)
	c.lends(t, ns)
	c.WaitReady(t, first)
	for name, kind := range map[string]string{"variable": "ProviderConfig", ns: "ClusterProviderConfig"} {
		c.WaitReady(t, thing("by-"+name, kind, name))
	}
	if n := d.Calls("configure as " + subject); n < 3 {
		t.Errorf("the provider has logged in %d times as %s", n, subject)
	}
	refused := thing("audience", "ProviderConfig", "audience")
	c.WaitFalse(t, refused, "Synced", "ProviderUnavailable", "(sensitive value)", `it is for ["another.example.org"]`)
	c.WaitFalse(t, thing("nobody", "ProviderConfig", "nobody"), "Synced", "ProviderConfigError", "there is no such ServiceAccount")

	seen := logins.tokens()
	if len(seen) < 4 {
		t.Fatalf("there were %d logins", len(seen))
	}
	events := &corev1.EventList{}
	eventually(t, "an event tells of the refusal", func(ctx context.Context) bool {
		return c.List(ctx, events, client.InNamespace(ns)) == nil &&
			slices.ContainsFunc(events.Items, func(e corev1.Event) bool {
				return strings.Contains(e.Message, "another.example.org")
			})
	})
	places := map[string]string{"events": fmt.Sprint(events.Items), "the log": content(c.Log)}
	for _, u := range c.everything(t) {
		text, err := json.Marshal(u.Object)
		if err != nil {
			t.Fatal(err)
		}
		places[u.GetKind()+" "+u.GetNamespace()+"/"+u.GetName()] = string(text)
	}
	for place, text := range places {
		for _, token := range seen {
			// The signature is the secret; claims and header could be guessed.
			if signature := token[strings.LastIndex(token, ".")+1:]; shows(text, token) || shows(text, signature) {
				t.Errorf("%s shows a token", place)
			}
		}
	}
}
