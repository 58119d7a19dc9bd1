package tenancy_test

import (
	"context"
	"testing"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
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

// tokenRef refers to a token. A namespace is not part of a reference in a ProviderConfig, and is given all the same.
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
	"a shared configuration": between("uses a ClusterProviderConfig that is not for its namespace", "NamespaceNotAllowed", func(t *testing.T, x *world, by tenant) bool {
		x.closed(t)
		return x.becomesReady(t, by.create(t, using(x.place(by, x.name, nil), "ClusterProviderConfig", x.name)), "NamespaceNotAllowed")
	}),
	"a shared configuration, by its labels": {
		attacker: attacker, means: "uses a ClusterProviderConfig for namespaces with a label that its own has not", refusal: "NamespaceNotAllowed",
		try: func(t *testing.T, x *world) bool {
			x.MustCreate(t, resource(apiVersion(open), "ClusterProviderConfig", "", x.name, m{"allowedNamespaces": m{"selector": m{"matchLabels": m{"kubernetes.io/metadata.name": x.victim.namespace}}}}))
			return x.becomesReady(t, x.mallory.create(t, using(x.place(x.mallory, x.name, nil), "ClusterProviderConfig", x.name)), "NamespaceNotAllowed")
		},
		control: func(t *testing.T, x *world) bool {
			x.MustCreate(t, resource(apiVersion(open), "ClusterProviderConfig", "", x.name, m{"allowedNamespaces": m{"selector": m{"matchLabels": m{"kubernetes.io/metadata.name": x.victim.namespace}}}}))
			return x.becomesReady(t, x.victim.create(t, using(x.place(x.victim, x.name, nil), "ClusterProviderConfig", x.name)), "NamespaceNotAllowed")
		},
	},
	"a configuration's deletion": between("uses a ClusterProviderConfig that is not for its namespace, and that is deleted", "it is deleted", func(t *testing.T, x *world, by tenant) bool {
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
	"another's configuration": between("uses a ProviderConfig of another namespace", "ProviderConfigError", func(t *testing.T, x *world, by tenant) bool {
		token := x.token(t)
		config := resource(apiVersion(guarded), "ProviderConfig", x.victim.namespace, x.name, x.tokenRef())
		x.victim.create(t, config)
		x.becomesReady(t, by.create(t, x.guardedPlace(by, "ProviderConfig", x.name)), "ProviderConfigError")
		return configuredWith(token)
	}),
	"another's credentials": between("refers to a Secret of another namespace in its own ProviderConfig", "ProviderConfigError", func(t *testing.T, x *world, by tenant) bool {
		token := x.token(t)
		by.create(t, resource(apiVersion(guarded), "ProviderConfig", by.namespace, x.name, x.tokenRef()))
		x.becomesReady(t, by.create(t, x.guardedPlace(by, "ProviderConfig", x.name)), "ProviderConfigError")
		return configuredWith(token)
	}),
	"an account": {
		attacker: attacker, means: "declares its ProviderConfig to be for another's account, to keep it from its objects", refusal: "only a ClusterProviderConfig declares an account",
		try: func(t *testing.T, x *world) bool {
			return x.keepsFrom(t, x.mallory, resource(apiVersion(guarded), "ProviderConfig", x.mallory.namespace, x.name+"-own", nil))
		},
		control: func(t *testing.T, x *world) bool {
			return x.keepsFrom(t, x.mallory, resource(apiVersion(guarded), "ClusterProviderConfig", "", x.name+"-own", nil))
		},
	},
}

// keepsFrom reports whether a tenant with a configuration for an account keeps the victim from making an object of it.
func (x *world) keepsFrom(t *testing.T, by tenant, config *unstructured.Unstructured) bool {
	t.Helper()
	declared := map[string]string{"landbridge.io/account": x.name}
	by.secret(t, x.name+"-own", map[string]string{"token": "own-token-of-" + x.name})
	config.Object["spec"] = m{"tokenSecretRef": m{"namespace": by.namespace, "name": x.name + "-own", "key": "token"}}
	config.SetAnnotations(declared)
	x.MustCreate(t, config)
	first := by.create(t, x.guardedPlace(by, config.GetKind(), config.GetName()))
	x.WaitReady(t, first)

	x.token(t)
	shared := resource(apiVersion(guarded), "ClusterProviderConfig", "", x.name, x.tokenRef())
	shared.SetAnnotations(declared)
	x.MustCreate(t, shared)
	r := x.victim.create(t, x.guardedPlace(x.victim, "ClusterProviderConfig", x.name))
	// The objects of all accounts are in one place, so the victim finds the object that it would make.
	return x.either(t, r, func() bool { return refusedFor(r, "IdentityConflict") }, func() bool { return isTrue(r, "Ready", "Synced") || refusedFor(r, "AlreadyExists") })
}
