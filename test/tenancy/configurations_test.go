package tenancy_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// closed creates a ClusterProviderConfig that is only for the victim's namespace.
func (x *world) closed(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	u := resource(apiVersion(open), "ClusterProviderConfig", "", x.name, m{"allowedNamespaces": m{"names": []any{x.victim.namespace}}})
	x.MustCreate(t, u)
	return u
}

// using makes a resource use a provider configuration.
func using(u *unstructured.Unstructured, kind, name string) *unstructured.Unstructured {
	spec(u)["providerConfigRef"] = m{"kind": kind, "name": name}
	return u
}

// guardedPlace returns a resource of the provider that needs a token.
func (x *world) guardedPlace(by tenant, kind, name string) *unstructured.Unstructured {
	u := using(x.place(by, x.name, nil), kind, name)
	u.SetAPIVersion(apiVersion(guarded))
	return u
}

// tokenRef refers to a token. A namespace is not part of a reference in a ProviderConfig, and is
// given all the same.
func (x *world) tokenRef() m {
	return m{"tokenSecretRef": m{"namespace": x.victim.namespace, "name": x.name, "key": "token"}}
}

// token creates the victim's token.
func (x *world) token(t *testing.T) string {
	t.Helper()
	x.victim.secret(t, x.name, map[string]string{"token": "token-of-" + x.name})
	return "token-of-" + x.name
}

// configurations are attacks by provider configurations.
var configurations = map[string]attack{
	"a shared configuration": between("uses a ClusterProviderConfig that is not for its namespace",
		"NamespaceNotAllowed", func(t *testing.T, x *world, by tenant) bool {
			x.closed(t)
			return x.becomesReady(t, by.create(t, using(x.place(by, x.name, nil), "ClusterProviderConfig", x.name)), "NamespaceNotAllowed")
		}),
	"a shared configuration, by its labels": {
		attacker: attacker, means: "uses a ClusterProviderConfig for namespaces with a label that its own has not",
		refusal: "NamespaceNotAllowed",
		try: func(t *testing.T, x *world) bool {
			x.MustCreate(t, resource(apiVersion(open), "ClusterProviderConfig", "", x.name, m{
				"allowedNamespaces": m{
					"selector": m{"matchLabels": m{"kubernetes.io/metadata.name": x.victim.namespace}},
				},
			}))
			return x.becomesReady(t, x.mallory.create(t,
				using(x.place(x.mallory, x.name, nil), "ClusterProviderConfig", x.name)), "NamespaceNotAllowed")
		},
		control: func(t *testing.T, x *world) bool {
			x.MustCreate(t, resource(apiVersion(open), "ClusterProviderConfig", "", x.name, m{
				"allowedNamespaces": m{
					"selector": m{"matchLabels": m{"kubernetes.io/metadata.name": x.victim.namespace}},
				},
			}))
			return x.becomesReady(t, x.victim.create(t,
				using(x.place(x.victim, x.name, nil), "ClusterProviderConfig", x.name)), "NamespaceNotAllowed")
		},
	},
	"a configuration of one's own": {
		attacker: "a user with the role landbridge-edit in one namespace,",
		means:    "creates a ProviderConfig, which reads Secrets", refusal: "forbidden by RBAC",
		try:     func(t *testing.T, x *world) bool { return x.configures(t, "landbridge-edit") },
		control: func(t *testing.T, x *world) bool { return x.configures(t, "landbridge-configure") },
	},
	"a configuration's deletion": between("uses a ClusterProviderConfig that is not for its namespace, and "+
		"that is deleted", "it is deleted", func(t *testing.T, x *world, by tenant) bool {
		config := x.closed(t)
		r := by.create(t, using(x.place(by, x.name, nil), "ClusterProviderConfig", x.name))
		x.becomesReady(t, r, "NamespaceNotAllowed")
		x.WaitFor(t, config, "held", func() bool { return len(config.GetFinalizers()) > 0 })
		if err := x.Delete(t.Context(), config); err != nil {
			t.Fatal(err)
		}
		blocked := false
		eventually(t, "it is gone or waits", func(ctx context.Context) bool {
			err := x.Get(ctx, client.ObjectKeyFromObject(config), config)
			blocked = err == nil && text(config, "status", "users") == "1"
			return blocked || kerrors.IsNotFound(err)
		})
		return blocked
	}),
	"another's configuration": between("uses a ProviderConfig of another namespace",
		"ProviderConfigError", func(t *testing.T, x *world, by tenant) bool {
			token := x.token(t)
			config := resource(apiVersion(guarded), "ProviderConfig", x.victim.namespace, x.name, x.tokenRef())
			x.victim.create(t, config)
			return x.isConfigured(t, by, token)
		}),
	"another's credentials": between("refers to a Secret of another namespace in its own ProviderConfig",
		"ProviderConfigError", func(t *testing.T, x *world, by tenant) bool {
			token := x.token(t)
			by.create(t, resource(apiVersion(guarded), "ProviderConfig", by.namespace, x.name, x.tokenRef()))
			return x.isConfigured(t, by, token)
		}),
	"another's ServiceAccount": between("has a token of another namespace's ServiceAccount requested by its "+
		"own ProviderConfig", "ProviderConfigError", func(t *testing.T, x *world, by tenant) bool {
		x.lends(t, x.victim.namespace, x.name)
		x.lends(t, by.namespace, x.name+"-own")
		return x.getsToken(t, by, m{"name": x.name, "namespace": x.victim.namespace})
	}),
	"a ServiceAccount that is not lent": {
		attacker: attacker,
		means:    "has a token of a ServiceAccount of its namespace requested, though no role permits that",
		refusal:  "ProviderConfigError",
		try: func(t *testing.T, x *world) bool {
			x.account(t, x.mallory.namespace, x.name)
			return x.getsToken(t, x.mallory, m{"name": x.name})
		},
		control: func(t *testing.T, x *world) bool {
			x.lends(t, x.mallory.namespace, x.name)
			return x.getsToken(t, x.mallory, m{"name": x.name})
		},
	},
	"an account": {
		attacker: attacker,
		means:    "declares its ProviderConfig to be for another's account, to keep it from its objects",
		refusal:  "only a ClusterProviderConfig declares an account",
		try: func(t *testing.T, x *world) bool {
			return x.keepsFrom(t, x.mallory, resource(apiVersion(guarded), "ProviderConfig", x.mallory.namespace, x.name+"-own", nil))
		},
		control: func(t *testing.T, x *world) bool {
			return x.keepsFrom(t, x.mallory, resource(apiVersion(guarded), "ClusterProviderConfig", "", x.name+"-own", nil))
		},
	},
}

// isConfigured reports whether a resource of a tenant gets a provider with the victim's token. The
// victim's own one does, once the controller knows of the configuration.
func (x *world) isConfigured(t *testing.T, by tenant, token string) bool {
	t.Helper()
	r := by.create(t, x.guardedPlace(by, "ProviderConfig", x.name))
	x.becomesReady(t, r, "ProviderConfigError")
	if by.namespace == x.victim.namespace {
		x.WaitReady(t, r)
	}
	return configuredWith(token)
}

// configures reports whether a user with a role may create a ProviderConfig. The role includes the
// kinds of providers.
func (x *world) configures(t *testing.T, role string) bool {
	t.Helper()
	by := x.bound(t, x.name, x.Namespace(t), role, "landbridge-view")
	list := &unstructured.UnstructuredList{}
	list.SetAPIVersion(apiVersion(guarded))
	list.SetKind("ProviderConfigList")
	eventually(t, "the kinds are part of the roles", func(ctx context.Context) bool {
		return by.List(ctx, list, client.InNamespace(by.namespace)) == nil
	})
	config := resource(apiVersion(guarded), "ProviderConfig", by.namespace, x.name, m{"tokenSecretRef": m{"name": x.name, "key": "token"}})
	err := by.Create(t.Context(), config, client.DryRunAll)
	if err != nil && !kerrors.IsForbidden(err) {
		t.Fatal(err)
	}
	return err == nil
}

func (x *world) account(t *testing.T, namespace, name string) {
	t.Helper()
	if err := x.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}); err != nil {
		t.Fatal(err)
	}
}

// lends creates a ServiceAccount whose tokens the controller may request.
func (x *world) lends(t *testing.T, namespace, name string) {
	t.Helper()
	x.account(t, namespace, name)
	meta := metav1.ObjectMeta{Namespace: namespace, Name: "lends-" + name}
	for _, o := range []client.Object{
		&rbacv1.Role{
			ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
				APIGroups: []string{""}, Resources: []string{"serviceaccounts/token"}, ResourceNames: []string{name},
				Verbs: []string{"create"},
			}},
		},
		&rbacv1.RoleBinding{
			ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: "landbridge", Namespace: system}},
		},
	} {
		if err := x.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
}

// getsToken reports whether a tenant's resource gets a provider with a token of a ServiceAccount.
func (x *world) getsToken(t *testing.T, by tenant, account m) bool {
	t.Helper()
	by.create(t, resource(apiVersion(open), "ProviderConfig", by.namespace, x.name, m{"serviceAccountTokens": []any{
		m{"name": "cloud", "serviceAccountRef": account, "audiences": []any{"cloud"}, "fileEnv": "CLOUD_TOKEN_FILE"},
	}}))
	return x.becomesReady(t, by.create(t, using(x.place(by, x.name, nil), "ProviderConfig", x.name)), "ProviderConfigError")
}

// keepsFrom reports whether a tenant with a configuration for an account keeps the victim from
// making an object of it.
func (x *world) keepsFrom(t *testing.T, by tenant, config *unstructured.Unstructured) bool {
	t.Helper()
	declared := map[string]string{"landbridge.io/account": x.name}
	by.secret(t, x.name+"-own", map[string]string{"token": "own-token-of-" + x.name})
	config.Object["spec"] = m{"tokenSecretRef": m{"namespace": by.namespace, "name": x.name + "-own", "key": "token"}}
	config.SetAnnotations(declared)
	x.MustCreate(t, config)
	first := by.create(t, x.guardedPlace(by, config.GetKind(), config.GetName()))
	x.WaitReady(t, first)
	// The objects of all accounts are in one place, so the object itself would show that both
	// configurations access one store.
	x.MustPatch(t, first, `{"metadata":{"annotations":{"crossplane.io/paused":"true"}}}`)
	x.WaitFor(t, first, "paused", func() bool { return refusedFor(first, "ReconcilePaused") })
	if err := os.Remove(filepath.Join(doubles[guarded].Dir, "objects", "place."+x.name)); err != nil {
		t.Fatal(err)
	}

	x.token(t)
	shared := resource(apiVersion(guarded), "ClusterProviderConfig", "", x.name, x.tokenRef())
	shared.SetAnnotations(declared)
	x.MustCreate(t, shared)
	r := x.victim.create(t, x.guardedPlace(x.victim, "ClusterProviderConfig", x.name))
	return x.either(t, r, func() bool { return refusedFor(r, "IdentityConflict") },
		func() bool { return isTrue(r, "Ready", "Synced") || refusedFor(r, "AlreadyExists") })
}
