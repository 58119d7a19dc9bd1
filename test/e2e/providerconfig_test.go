package e2e_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestProviderConfig(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "configured", "TESTPROVIDER_CONFIGURATION=yes")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	config := func(kind, namespace, name, secret, key string) m {
		ref := m{"name": secret, "key": key}
		if kind == "ClusterProviderConfig" {
			ref["namespace"] = ns
		}
		return resource(d.APIVersion(), kind, namespace, name, m{"tokenSecretRef": ref}).Object
	}
	with := func(name, kind, config string) m {
		r := d.thing(ns, name, nil).Object
		r["spec"].(m)["providerConfigRef"] = m{"kind": kind, "name": config}
		return r
	}

	t.Run("comes later", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "default", nil) // names no ProviderConfig
		c.MustCreate(t, r)
		c.WaitFalse(t, r, "Synced", "ProviderConfigError", `no ClusterProviderConfig "default"`, "configured.landbridge.io")
		never(t, 2*poll, "it was created all the same", func() bool { return d.Calls("create thing default") > 0 })
		c.secret(t, ns, "default", map[string]string{"token": "the default token"})
		pc := object(config("ClusterProviderConfig", "", "default", "default", "token"))
		begin := time.Now()
		c.MustCreate(t, pc)
		c.WaitReady(t, r)
		t.Logf("healed after %s", time.Since(begin))
		if d.Calls("configure with the default token") == 0 {
			t.Error("the provider was not configured so")
		}
	})

	t.Run("of a wrong kind", func(t *testing.T) {
		t.Parallel()
		r := object(with("kind", "Nonsense", "default"))
		c.MustCreate(t, r)
		c.WaitFalse(t, r, "Synced", "ProviderConfigError", `"Nonsense"`, "ClusterProviderConfig", "spec.providerConfigRef.kind")
	})

	t.Run("with a Secret that is not there", func(t *testing.T) {
		t.Parallel()
		pc := object(config("ClusterProviderConfig", "", "nosecret", "nosecret", "token"))
		c.MustCreate(t, pc)
		r := object(with("nosecret", "ClusterProviderConfig", "nosecret"))
		c.MustCreate(t, r)
		c.WaitFalse(t, r, "Synced", "ProviderConfigError", "there is no Secret nosecret in namespace "+ns, "tokenSecretRef")
		s := c.secret(t, ns, "nosecret", map[string]string{"other": "x"})
		c.WaitFalse(t, r, "Synced", "ProviderConfigError", "the Secret nosecret in namespace "+ns+" has no key token")
		s.Data = map[string][]byte{"token": []byte("a late token")}
		if err := c.Update(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		c.WaitReady(t, r)
	})

	t.Run("that the provider refuses", func(t *testing.T) {
		t.Parallel()
		s := c.secret(t, ns, "refused", map[string]string{"token": "wrong-d3adb33f"})
		pc := object(config("ClusterProviderConfig", "", "refused", "refused", "token"))
		c.MustCreate(t, pc)
		r := object(with("refused", "ClusterProviderConfig", "refused"))
		c.MustCreate(t, r)
		message := c.WaitFalse(t, r, "Synced", "ProviderUnavailable", "Not authorised", "of the provider configuration")
		if strings.Contains(message, "d3adb33f") {
			t.Errorf("the message shows the token: %s", message)
		}
		// A new token takes effect at the latest when the configuration is read again.
		s.Data = map[string][]byte{"token": []byte("a right token")}
		if err := c.Update(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		c.WaitReady(t, r)
	})

	t.Run("of a namespace", func(t *testing.T) {
		t.Parallel()
		other := c.Namespace(t)
		c.secret(t, ns, "own", map[string]string{"token": "the own token"})
		c.secret(t, other, "own", map[string]string{"token": "the token of another namespace"})
		pc := object(config("ProviderConfig", ns, "own", "own", "token"))
		c.MustCreate(t, pc)
		r := object(with("own", "ProviderConfig", "own"))
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		if d.Calls("configure with the own token") == 0 || d.Calls("configure with the token of another") != 0 {
			t.Error("the provider was not configured with the token of the namespace")
		}
		foreign := object(with("foreign", "ProviderConfig", "own"))
		foreign.SetNamespace(other)
		c.MustCreate(t, foreign)
		c.WaitFalse(t, foreign, "Synced", "ProviderConfigError", `no ProviderConfig "own"`)
	})

	t.Run("in use", func(t *testing.T) {
		t.Parallel()
		c.secret(t, ns, "used", map[string]string{"token": "the used token"})
		pc := object(config("ProviderConfig", ns, "used", "used", "token"))
		c.MustCreate(t, pc)
		a, b := object(with("used-a", "ProviderConfig", "used")), object(with("used-b", "ProviderConfig", "used"))
		for _, r := range []client.Object{a, b} {
			if err := c.Create(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		c.WaitReady(t, a)
		c.WaitReady(t, b)
		c.WaitFor(t, pc, "held", func() bool { return len(pc.GetFinalizers()) == 1 && pc.GetFinalizers()[0] == "in-use.crossplane.io" })
		if err := c.Delete(t.Context(), pc); err != nil {
			t.Fatal(err)
		}
		c.MustPatch(t, a, `{"spec":{"forProvider":{"value":"still managed"}}}`)
		c.has(t, d, "thing", "used-a", "value", "still managed")
		c.WaitFor(t, pc, "counted", func() bool { return text(pc, "status", "users") == "2" })
		c.Remove(t, a)
		c.WaitFor(t, pc, "used by the other", func() bool { return text(pc, "status", "users") == "1" })
		c.Remove(t, b)
		if _, ok := d.Object("thing", "used-b"); ok {
			t.Error("the object is left")
		}
		c.WaitGone(t, pc)
	})

	t.Run("rotated", func(t *testing.T) {
		t.Parallel()
		s := c.secret(t, ns, "rotated", map[string]string{"token": "old token"})
		pc := object(config("ProviderConfig", ns, "rotated", "rotated", "token"))
		c.MustCreate(t, pc)
		r := object(with("rotated", "ProviderConfig", "rotated"))
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		s.Data = map[string][]byte{"token": []byte("new token")}
		if err := c.Update(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the provider is configured with the new token", func(context.Context) bool {
			return d.Calls("configure with new token") == 1
		})
		c.MustPatch(t, r, `{"spec":{"forProvider":{"value":"with it"}}}`)
		c.has(t, d, "thing", "rotated", "value", "with it")
		c.WaitReady(t, r)
	})
}
