package behaviour_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
)

var _ = register(map[string]func(*testing.T, *column){
	"every-shape":       everyShape,
	"shape-update":      shapeUpdate,
	"computed":          computed,
	"late-initialize":   lateInitialize,
	"sensitive-input":   sensitiveInput,
	"sensitive-changed": sensitiveChanged,
	"sensitive-result":  sensitiveResult,
	"write-only":        writeOnly,
})

// The token that the provider makes for a ticket without one is written to its spec, and changes
// nothing more.
func lateInitialize(t *testing.T, c *column) {
	given := m{"title": nameOf(t)}
	u := c.resource(t, "Ticket", m{"forProvider": given})
	c.WaitFor(t, u, "late-initialised", func() bool { return text(u, "spec", "forProvider", "createToken") != "" })
	c.WaitReady(t, u)
	id := identityOf(u)["id"].(string)
	given["createToken"] = is(t, c.world, api.Tickets, id).CreateToken
	if diff := cmp.Diff(given, at(u, "spec", "forProvider")); diff != "" {
		t.Errorf("spec.forProvider: -want, +got:\n%s", diff)
	}
	c.Reconcile(t, u)
	c.untouched(t, id)
}

// shapesSpec has a value of each type and a block of each nesting that all forms have.
func shapesSpec(name string) m {
	return m{
		"name": name, "aBool": true, "anInt64": int64(-7), "aFloat64": 2.25, "zones": []any{"b", "a"}, "weight": 0.5, "active": false,
		"stringsList": []any{"z", "a", ""}, "stringsSet": []any{"a", "z"}, "stringsMap": m{"vpc_id": "snake stays", "empty": ""},
		"singleBlock": m{"note": "one", "kind": "plain"},
		"listBlock": []any{
			m{"name": "first", "numbers": []any{int64(3), int64(1)}, "deepBlock": []any{m{"note": "deep"}}},
			m{"name": "second", "note": "ü \"quoted\" ${not.a.template} %{nor this}"},
		},
		"setBlock": []any{m{"name": "x"}, m{"name": "y", "note": "why"}},
	}
}

// holds returns the parts of want that are not in got, which may have more.
func holds(want, got any) string {
	switch want := want.(type) {
	case m:
		got, ok := got.(m)
		if !ok {
			return cmp.Diff(want, got)
		}
		for name, value := range want {
			if diff := holds(value, got[name]); diff != "" {
				return name + ": " + diff
			}
		}
		return ""
	case []any:
		got, ok := got.([]any)
		if !ok || len(got) != len(want) {
			return cmp.Diff(want, got)
		}
		for i := range want {
			if diff := holds(want[i], got[i]); diff != "" {
				return diff
			}
		}
		return ""
	default:
		return cmp.Diff(want, got)
	}
}

func (c *column) shapes(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	u := c.resource(t, "Shapes", m{"forProvider": shapesSpec(nameOf(t))})
	c.WaitReady(t, u)
	return u
}

func everyShape(t *testing.T, c *column) {
	u := c.shapes(t)
	if diff := holds(at(u, "spec", "forProvider"), at(u, "status", "atProvider")); diff != "" {
		t.Errorf("status.atProvider lacks values of spec: %s", diff)
	}
	c.Reconcile(t, u)
	c.WaitReady(t, u)
	c.asked(t, http.MethodPost, nameOf(t), 1)
	c.asked(t, http.MethodPatch, text(u, "status", "atProvider", "id"), 0)
}

func shapeUpdate(t *testing.T, c *column) {
	u := c.shapes(t)
	id := text(u, "status", "atProvider", "id")
	if err := unstructured.SetNestedSlice(u.Object, []any{
		m{"name": "second", "note": "changed"}, m{"name": "third", "deepBlock": []any{m{"note": "deep"}, m{"note": "deeper"}}},
	}, "spec", "forProvider", "listBlock"); err != nil {
		t.Fatal(err)
	}
	if err := c.Update(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	c.WaitReady(t, u)
	if diff := holds(at(u, "spec", "forProvider"), at(u, "status", "atProvider")); diff != "" {
		t.Errorf("status.atProvider lacks values of spec: %s", diff)
	}
	if got := text(u, "status", "atProvider", "id"); got != id {
		t.Errorf("it was replaced: %s, %s", id, got)
	}
	c.asked(t, http.MethodPatch, id, 1)
}

func computed(t *testing.T, c *column) {
	u, object := c.aThing(t, m{})
	if text(u, "status", "atProvider", "region") != "us-east-1" || text(u, "status", "atProvider", "size") != "1" {
		t.Errorf("shown is %v", at(u, "status", "atProvider"))
	}
	// The provider decides this, and applies it with another change.
	c.MustPatch(t, u, `{"spec":{"forProvider":{"tags":{"a":"b"}}}}`)
	c.WaitReady(t, u)
	if got := c.only(t, nameOf(t)); got.ID != object.ID || got.Region != "us-east-1" {
		t.Errorf("it is %+v", got)
	}
	c.asked(t, http.MethodPatch, object.ID, 1)
}

// credential creates a Credential with secrets from a Secret named after the test.
func (c *column) credential(t *testing.T, data map[string]string, spec m) *unstructured.Unstructured {
	t.Helper()
	secret := &corev1.Secret{StringData: data}
	secret.Namespace, secret.Name = c.name, nameOf(t)
	if err := c.Client.Create(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	spec["name"] = nameOf(t)
	u := c.resource(t, "Credential", m{"forProvider": spec, "writeConnectionSecretToRef": m{"name": nameOf(t) + "-connection"}})
	c.WaitReady(t, u)
	return u
}

// hidden fails the test if the resource or its events show a secret.
func (c *column) hidden(t *testing.T, u *unstructured.Unstructured, secrets ...string) {
	t.Helper()
	content, err := u.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	shown := string(content)
	for _, e := range c.events(t, u) {
		shown += e.Message
	}
	for _, secret := range secrets {
		if secret == "" || strings.Contains(shown, secret) {
			t.Errorf("a secret of %d characters is shown", len(secret))
		}
	}
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func sensitiveInput(t *testing.T, c *column) {
	u := c.credential(t, map[string]string{"password": "pass-4711-word"}, m{"passwordSecretRef": m{"name": nameOf(t), "key": "password"}})
	if got := is(t, c.world, api.Credentials, text(u, "status", "atProvider", "id")); got.PasswordSHA256 != digest("pass-4711-word") {
		t.Errorf("the cloud has %+v", got)
	}
	c.Reconcile(t, u)
	c.hidden(t, u, "pass-4711-word")
	c.asked(t, http.MethodPost, nameOf(t), 1)
}

func sensitiveChanged(t *testing.T, c *column) {
	u := c.credential(t, map[string]string{"password": "first-password"}, m{"passwordSecretRef": m{"name": nameOf(t), "key": "password"}})
	id := text(u, "status", "atProvider", "id")
	secret := &corev1.Secret{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: c.name, Name: nameOf(t)}, secret); err != nil {
		t.Fatal(err)
	}
	secret.StringData = map[string]string{"password": "second-password"}
	if err := c.Client.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	c.RequestReconcile(t, u)
	eventually(t, "the cloud has the new password", func(ctx) bool {
		return is(t, c.world, api.Credentials, id).PasswordSHA256 == digest("second-password")
	})
	eventually(t, "the connection Secret has the new password", func(x ctx) bool {
		connection := &corev1.Secret{}
		err := c.Get(x, client.ObjectKey{Namespace: c.name, Name: nameOf(t) + "-connection"}, connection)
		return err == nil && string(connection.Data["attribute.password"]) == "second-password"
	})
	c.WaitReady(t, u)
	c.hidden(t, u, "first-password", "second-password")
}

func sensitiveResult(t *testing.T, c *column) {
	u := c.credential(t, map[string]string{"password": "some-password"}, m{"passwordSecretRef": m{"name": nameOf(t), "key": "password"}})
	key := is(t, c.world, api.Credentials, text(u, "status", "atProvider", "id")).APIKey
	connection := &corev1.Secret{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: c.name, Name: nameOf(t) + "-connection"}, connection); err != nil {
		t.Fatal(err)
	}
	if got := string(connection.Data["attribute.api_key"]); got != key || key == "" {
		t.Errorf("the connection Secret has the keys %v, and another api_key than the cloud", keys(connection))
	}
	c.hidden(t, u, key)
	c.Remove(t, u)
	eventually(t, "the connection Secret is gone", func(x ctx) bool {
		return kerrors.IsNotFound(c.Get(x, client.ObjectKeyFromObject(connection), connection))
	})
}

func keys(s *corev1.Secret) []string {
	var out []string
	for name := range s.Data {
		out = append(out, name)
	}
	return out
}

func writeOnly(t *testing.T, c *column) {
	u := c.credential(t, map[string]string{"secret": "write-only-secret"}, m{
		"secretWoSecretRef": m{"name": nameOf(t), "key": "secret"}, "secretWoVersion": int64(1),
	})
	id := text(u, "status", "atProvider", "id")
	if got := is(t, c.world, api.Credentials, id); got.SecretSHA256 != digest("write-only-secret") {
		t.Errorf("the cloud has %+v", got)
	}
	secret := &corev1.Secret{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: c.name, Name: nameOf(t)}, secret); err != nil {
		t.Fatal(err)
	}
	secret.StringData = map[string]string{"secret": "another-secret"}
	if err := c.Client.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	c.Reconcile(t, u)
	c.asked(t, http.MethodPatch, id, 0)
	c.MustPatch(t, u, `{"spec":{"forProvider":{"secretWoVersion":2}}}`)
	eventually(t, "the cloud has the new secret", func(ctx) bool {
		return is(t, c.world, api.Credentials, id).SecretSHA256 == digest("another-secret")
	})
	c.WaitReady(t, u)
	stored := c.storedSecret(t, u)
	for name, data := range stored.Data {
		if strings.Contains(string(data), "write-only-secret") || strings.Contains(string(data), "another-secret") {
			t.Errorf("a write-only value is stored in %s", name)
		}
	}
	c.hidden(t, u, "write-only-secret", "another-secret")
}
