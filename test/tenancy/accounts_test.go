package tenancy_test

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// tokened creates a ProviderConfig of a tenant with a token of its own. All of them access one
// store.
func (x *world) tokened(t *testing.T, by tenant, suffix, endpoint string) *unstructured.Unstructured {
	t.Helper()
	by.secret(t, x.name+suffix, map[string]string{"token": "token-of-" + x.name + suffix})
	arguments := m{"tokenSecretRef": m{"name": x.name + suffix, "key": "token"}}
	if endpoint != "" {
		arguments["endpoint"] = endpoint
	}
	return by.create(t, resource(apiVersion(guarded), "ProviderConfig", by.namespace, x.name+suffix, arguments))
}

// placed creates a resource of a tenant by a ProviderConfig, and waits until it is ready.
func (x *world) placed(t *testing.T, by tenant, suffix string) *unstructured.Unstructured {
	t.Helper()
	u := by.create(t, x.guardedPlace(by, "ProviderConfig", x.name+suffix))
	x.WaitReady(t, u)
	return u
}

// again returns a resource that imports the object that another resource has, or had, by a
// ProviderConfig.
func (x *world) again(by tenant, suffix string) *unstructured.Unstructured {
	u := using(x.importing(by, x.name+"-import"), "ProviderConfig", x.name+suffix)
	u.SetAPIVersion(apiVersion(guarded))
	return u
}

// twice is an attack that has another's object imported by a second configuration of its store.
func twice(means, endpoint string) attack {
	return attack{
		attacker: attacker, means: means, refusal: "IdentityConflict",
		try: func(t *testing.T, x *world) bool {
			x.tokened(t, x.victim, "-one", "")
			x.placed(t, x.victim, "-one")
			x.tokened(t, x.mallory, "-two", endpoint)
			return x.takes(t, x.mallory, x.again(x.mallory, "-two"))
		},
		control: func(t *testing.T, x *world) bool {
			x.tokened(t, x.victim, "-one", "")
			u := x.placed(t, x.victim, "-one")
			x.MustPatch(t, u, `{"spec":{"managementPolicies":["Observe"]}}`)
			x.WaitReady(t, u)
			x.Remove(t, u)
			x.tokened(t, x.victim, "-two", endpoint)
			return x.takes(t, x.victim, x.again(x.victim, "-two"))
		},
	}
}

// changes waits until the object of a resource has a value, or the resource is refused, and reports
// whether it has it.
func (x *world) changes(t *testing.T, u *unstructured.Unstructured, value string) bool {
	t.Helper()
	changed := func() bool {
		o, ok := doubles[guarded].Object("place", x.name)
		return ok && o.Attributes["value"] == value
	}
	return x.either(t, u, changed, func() bool { return refusedFor(u, "AccountChanged") })
}

// accounts are attacks that have a resource reach the objects of another account.
var accounts = map[string]attack{
	"an object, by another token": twice("imports another's object with a ProviderConfig of another token", ""),
	"an object, by another endpoint": twice("imports another's object with a ProviderConfig that "+
		"differs in an argument", "https://example.org"),
	"an account, by another configuration": {
		attacker: attacker, means: "has a resource change an object of the same name by another ProviderConfig", refusal: "AccountChanged",
		try:     func(t *testing.T, x *world) bool { return x.switches(t, x.mallory, "-two") },
		control: func(t *testing.T, x *world) bool { return x.switches(t, x.victim, "-one") },
	},
	"an account, by move-from": {
		attacker: attacker, means: "has a resource of another ProviderConfig take over the object of its resource", refusal: "AccountChanged",
		try:     func(t *testing.T, x *world) bool { return x.movesTo(t, x.mallory, "-two") },
		control: func(t *testing.T, x *world) bool { return x.movesTo(t, x.victim, "-one") },
	},
}

// switches reports whether the object of a resource is changed by a ProviderConfig that it is
// given.
func (x *world) switches(t *testing.T, by tenant, suffix string) bool {
	t.Helper()
	x.tokened(t, by, "-one", "")
	x.tokened(t, by, "-two", "")
	u := x.placed(t, by, "-one")
	x.MustPatch(t, u, fmt.Sprintf(`{"spec":{"forProvider":{"value":"changed"},"providerConfigRef":{"name":%q}}}`, x.name+suffix))
	return x.changes(t, u, "changed")
}

// movesTo reports whether a resource of a ProviderConfig takes over the object of another one.
func (x *world) movesTo(t *testing.T, by tenant, suffix string) bool {
	t.Helper()
	x.tokened(t, by, "-one", "")
	x.tokened(t, by, "-two", "")
	x.placed(t, by, "-one")
	to := using(x.place(by, x.name+"-to", m{"name": x.name}), "ProviderConfig", x.name+suffix)
	to.SetAPIVersion(apiVersion(guarded))
	to.SetAnnotations(map[string]string{"landbridge.io/move-from": "Place/" + x.name})
	by.create(t, to)
	return x.becomesReady(t, to, "AccountChanged", "MoveFailed")
}
