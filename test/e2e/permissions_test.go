package e2e_test

import (
	"context"
	"fmt"
	"testing"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// may reports whether the controller is permitted something.
func (c *cluster) may(t *testing.T, a authorizationv1.ResourceAttributes) bool {
	t.Helper()
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User:   "system:serviceaccount:" + system + ":landbridge",
		Groups: []string{"system:serviceaccounts", "system:authenticated"}, ResourceAttributes: &a,
	}}
	if err := c.Create(t.Context(), review); err != nil {
		t.Fatal(err)
	}
	return review.Status.Allowed
}

// A controller that is for some namespaces uses no Secrets of others.
func TestSomeNamespaces(t *testing.T) {
	t.Parallel()
	c := alone(t)
	served, other := c.Namespace(t), c.Namespace(t)
	c.Served = []string{served}
	c.RunController(t, options(""))
	d := newDouble(t, "limited", "TESTPROVIDER_CONFIGURATION=yes")
	c.install(t, d.provider())
	for _, ns := range []string{served, other} {
		c.secret(t, ns, "token", map[string]string{"token": "a token of " + ns, "password": "the first"})
		c.MustCreate(t, resource(d.APIVersion(), "ProviderConfig", ns, "own", m{"tokenSecretRef": m{"name": "token", "key": "token"}}))
	}
	in := func(ns string) *unstructured.Unstructured {
		r := d.thing(ns, "thing-in-"+ns, nil)
		set(t, r, m{"kind": "ProviderConfig", "name": "own"}, "spec", "providerConfigRef")
		set(t, r, "details", "spec", "writeConnectionSecretToRef", "name")
		c.MustCreate(t, r)
		return r
	}
	allowed, refused := in(served), in(other)
	watching := d.thing(served, "watching", m{"passwordSecretRef": m{"name": "token", "key": "password"}})
	set(t, watching, m{"kind": "ProviderConfig", "name": "own"}, "spec", "providerConfigRef")
	watching.SetAnnotations(map[string]string{"crossplane.io/poll-interval": "1h"})
	c.MustCreate(t, watching)
	c.WaitReady(t, allowed)
	eventually(t, "the connection details are written", func(ctx context.Context) bool {
		return c.Get(ctx, client.ObjectKey{Namespace: served, Name: "details"}, &corev1.Secret{}) == nil
	})
	c.WaitFalse(t, refused, "Synced", "ProviderConfigError", "cannot get resource", other)
	c.WaitReady(t, watching)
	secret := &corev1.Secret{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: served, Name: "token"}, secret); err != nil {
		t.Fatal(err)
	}
	secret.Data["password"] = []byte("another")
	if err := c.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	c.has(t, d, "thing", "watching", "password", "another") // long before the next poll
	if n := d.Calls(fmt.Sprintf("configure with a token of %s", other)); n > 0 {
		t.Errorf("the provider was configured %d times with a token of another namespace", n)
	}
	for ns, want := range map[string]bool{served: true, other: false, "kube-system": false, "": false} {
		for _, verb := range []string{"get", "list", "watch", "update", "delete"} {
			if got := c.may(t, authorizationv1.ResourceAttributes{Namespace: ns, Verb: verb, Resource: "secrets"}); got != want {
				t.Errorf("%s secrets in namespace %q: %t", verb, ns, got)
			}
		}
		for verb, want := range map[string]bool{"create": true, "patch": true, "get": false, "list": false, "watch": false} {
			if got := c.may(t, authorizationv1.ResourceAttributes{Namespace: ns, Verb: verb, Resource: "events"}); got != want {
				t.Errorf("%s events in namespace %q: %t", verb, ns, got)
			}
		}
		for _, verb := range []string{"get", "create", "update", "list", "watch", "delete"} {
			if c.may(t, authorizationv1.ResourceAttributes{Namespace: ns, Verb: verb, Group: "coordination.k8s.io", Resource: "leases"}) {
				t.Errorf("%s leases in namespace %q", verb, ns)
			}
		}
		if c.may(t, authorizationv1.ResourceAttributes{Namespace: ns, Verb: "create", Resource: "serviceaccounts", Subresource: "token"}) {
			t.Errorf("tokens in namespace %q", ns)
		}
	}
	c.Served = append(c.Served, other)
	if err := c.Permit(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.WaitReady(t, refused)
	c.Remove(t, allowed)
	c.Remove(t, refused)
}
