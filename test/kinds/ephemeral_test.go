package kinds_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
)

// tryToken opens a token that lasts for seconds. It is renewed, also by another process, and closed
// when it is deleted. Nothing but its Secrets has it.
func (x *cluster) tryToken(t *testing.T, form string) {
	results.count(t, ephemeral)
	const lifetime = 40 * time.Second // enough for the controller to be replaced meanwhile
	namespace := x.configured(t, form)
	name := form + "-token"
	u := object("ephemeral."+group(form)+"/v1alpha1", "Token", namespace, "x", m{
		"forProvider": m{"name": name, "lifetime": lifetime.String()}, "writeConnectionSecretToRef": m{"name": "out"},
		"providerConfigRef": m{"kind": "ProviderConfig", "name": "default"},
	})
	x.MustCreate(t, u)
	x.WaitReady(t, u)
	secret := x.token(t, namespace)
	token := string(secret.Data["attribute.secret"])
	opened := text(u, "status", "openedAt")
	renewed := func() {
		t.Helper()
		before := text(u, "status", "renewAt")
		x.WaitFor(t, u, "renewed", func() bool { return text(u, "status", "renewAt") > before })
		if text(u, "status", "openedAt") != opened || string(x.token(t, namespace).Data["attribute.secret"]) != token {
			t.Error("it was opened anew")
		}
		if n := len(x.cloud.List(t, "tokens", "name="+name)); n != 1 {
			t.Errorf("%d tokens are live", n)
		}
	}
	renewed()
	x.restart(t)
	renewed()
	x.MustPatch(t, u, `{"spec":{"forProvider":{"lifetime":"1h"}}}`)
	x.WaitFor(t, u, "opened anew", func() bool { return text(u, "status", "openedAt") != opened })
	x.WaitReady(t, u)
	other := string(x.token(t, namespace).Data["attribute.secret"])
	if other == token || token == "" {
		t.Errorf("the Secret has the former token")
	}
	x.nowhere(t, u, token, other)
	x.Remove(t, u)
	if n := len(x.cloud.List(t, "tokens", "name="+name)); n != 0 {
		t.Errorf("%d tokens are live after the deletion", n)
	}
	x.dropped(t, u)
}

func (x *cluster) token(t *testing.T, namespace string) *corev1.Secret {
	t.Helper()
	out := &corev1.Secret{}
	if err := x.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "out"}, out); err != nil {
		t.Fatal(err)
	}
	if out.Annotations[v1alpha1.AnnotationRenewAt] == "" {
		t.Error("the Secret does not say when the token ends")
	}
	return out
}

// dropped checks that nothing is stored of an object that is gone.
func (x *cluster) dropped(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	all := &corev1.SecretList{}
	if err := x.List(t.Context(), all, client.InNamespace(clustertest.System)); err != nil {
		t.Fatal(err)
	}
	for _, s := range all.Items {
		if s.Type == v1alpha1.SecretTypeLease && s.Annotations["landbridge.io/owner"] == u.GetNamespace()+"/"+u.GetName() {
			t.Errorf("the Secret %s is left", s.Name)
		}
	}
}
