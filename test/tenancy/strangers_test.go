package tenancy_test

import (
	"context"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/test/doubletest"
)

// The cloud of the guarded provider has the accounts dev and prod, which have objects of the same
// names.
const dev, prod = "account://dev", "account://prod"

// patch changes an object as a tenant.
func (by tenant) patch(t *testing.T, u *unstructured.Unstructured, merge string) {
	t.Helper()
	if err := by.Patch(t.Context(), u, client.RawPatch(types.MergePatchType, []byte(merge))); err != nil {
		t.Fatal(err)
	}
}

// valueIn returns the value of an object of an account; empty if there is none.
func (x *world) valueIn(account string) string {
	o, _ := doubles[guarded].Object(account+"/place", x.name)
	return o.Attributes["value"]
}

// stranger makes an object in prod that no resource has.
func (x *world) stranger(t *testing.T) {
	t.Helper()
	doubles[guarded].Put(t, "prod/place", doubletest.Remote{
		Attributes: map[string]string{"name": x.name, "id": "place-of-a-stranger", "value": "stranger"},
	})
}

// inBoth creates configurations for both accounts, a stranger's object in prod, and a resource of
// mallory's in dev.
func (x *world) inBoth(t *testing.T) *unstructured.Unstructured {
	t.Helper()
	x.tokened(t, x.mallory, "-dev", dev)
	x.tokened(t, x.mallory, "-prod", prod)
	x.stranger(t)
	return x.placed(t, x.mallory, "-dev")
}

// changesIn waits until the object of an account has the value "changed", or the resource is
// refused, and reports whether it has it.
func (x *world) changesIn(t *testing.T, u *unstructured.Unstructured, account string, reasons ...string) bool {
	t.Helper()
	return x.either(t, u, func() bool { return x.valueIn(account) == "changed" }, func() bool { return refusedFor(u, reasons...) })
}

// withoutLook returns a resource that is created without a look for an object.
func (x *world) withoutLook(by tenant, suffix string) *unstructured.Unstructured {
	u := x.guardedPlace(by, "ProviderConfig", x.name+suffix)
	spec(u)["lifecycle"] = m{"existenceCheck": "Never"}
	return u
}

// strangers are attacks on objects of another account, and on one account by two configurations.
var strangers = map[string]attack{
	"a stranger's object, by another configuration": {
		attacker: attacker,
		means: "switches its resource to a ProviderConfig for an account with a stranger's object " +
			"of the same name",
		refusal: "AccountChanged",
		try: func(t *testing.T, x *world) bool {
			u := x.inBoth(t)
			x.mallory.patch(t, u, fmt.Sprintf(`{"spec":{"forProvider":{"value":"changed"},"providerConfigRef":{"name":%q}}}`, x.name+"-prod"))
			return x.changesIn(t, u, "prod", "AccountChanged")
		},
		// The object is asked for.
		control: func(t *testing.T, x *world) bool {
			u := x.inBoth(t)
			x.mallory.patch(t, u, fmt.Sprintf(`{"metadata":{"annotations":{"landbridge.io/confirm-account":%[1]q}},`+
				`"spec":{"forProvider":{"value":"changed"},"providerConfigRef":{"name":%[1]q},"import":{"identity":{"name":%[2]q}}}}`,
				x.name+"-prod", x.name))
			return x.changesIn(t, u, "prod", "ImportFailed", "IdentityConflict")
		},
	},
	"a stranger's object, by an endpoint": {
		attacker: attacker,
		means: "changes the endpoint of its ProviderConfig to that of an account with a stranger's object " +
			"of the same name",
		refusal: "AccountChanged",
		try:     func(t *testing.T, x *world) bool { return x.redirects(t, prod, "prod") },
		control: func(t *testing.T, x *world) bool { return x.redirects(t, dev+"?another=address", "dev") },
	},
	"a stranger's object, by a deletion": {
		attacker: attacker, means: "switches its resource to another account, and deletes it", refusal: "AccountChanged",
		try: func(t *testing.T, x *world) bool {
			u := x.inBoth(t)
			x.mallory.patch(t, u, fmt.Sprintf(`{"spec":{"providerConfigRef":{"name":%q}}}`, x.name+"-prod"))
			if err := x.mallory.Delete(t.Context(), u); err != nil {
				t.Fatal(err)
			}
			x.WaitFor(t, u, "refused", func() bool { return refusedFor(u, "AccountChanged") })
			x.Reconcile(t, u)
			_, own := doubles[guarded].Object("dev/place", x.name)
			return x.valueIn("prod") != "stranger" || !own
		},
		control: func(t *testing.T, x *world) bool {
			x.Remove(t, x.inBoth(t))
			_, own := doubles[guarded].Object("dev/place", x.name)
			return !own
		},
	},
	"a stranger's object, by move-from": {
		attacker: attacker,
		means: "has a resource of another account take over its resource, and change the stranger's object " +
			"of the same name",
		refusal: "AccountChanged",
		try:     func(t *testing.T, x *world) bool { return x.movesInto(t, "-prod", "prod") },
		control: func(t *testing.T, x *world) bool { return x.movesInto(t, "-dev", "dev") },
	},
	"a stranger's object, by a create": {
		attacker: attacker, means: "creates a resource of the name of a stranger's object", refusal: "AlreadyExists",
		try: func(t *testing.T, x *world) bool { return x.createsIn(t, prod, "prod") },
		// In dev there is none.
		control: func(t *testing.T, x *world) bool { return x.createsIn(t, dev, "dev") },
	},
	"an object, by a second resource's deletion": {
		attacker: attacker,
		means:    "creates a resource for another's object by a second configuration of its store, and deletes it",
		refusal:  "the object stays",
		try: func(t *testing.T, x *world) bool {
			x.tokened(t, x.victim, "-one", dev)
			x.tokened(t, x.mallory, "-two", dev+"?another=address")
			x.placed(t, x.victim, "-one")
			u := x.mallory.create(t, x.guardedPlace(x.mallory, "ProviderConfig", x.name+"-two"))
			x.becomesReady(t, u, "AlreadyExists", "IdentityConflict")
			x.Remove(t, u)
			_, there := doubles[guarded].Object("dev/place", x.name)
			return !there
		},
		control: func(t *testing.T, x *world) bool {
			x.tokened(t, x.victim, "-one", dev)
			x.Remove(t, x.placed(t, x.victim, "-one"))
			_, there := doubles[guarded].Object("dev/place", x.name)
			return !there
		},
	},
	"an object, by a create without a look": {
		attacker: attacker,
		means:    "creates another's object again by a second configuration of its store, without a look for it",
		refusal:  "IdentityConflict",
		try: func(t *testing.T, x *world) bool {
			x.tokened(t, x.victim, "-one", dev)
			x.tokened(t, x.mallory, "-two", dev+"?another=address")
			x.placed(t, x.victim, "-one")
			return x.becomesReady(t, x.mallory.create(t, x.withoutLook(x.mallory, "-two")), "IdentityConflict")
		},
		// There is no other one.
		control: func(t *testing.T, x *world) bool {
			x.tokened(t, x.mallory, "-two", dev+"?another=address")
			return x.becomesReady(t, x.mallory.create(t, x.withoutLook(x.mallory, "-two")), "IdentityConflict")
		},
	},
	"another's account": annotates("confirms an account for a resource of another namespace", "confirm-account", "prod"),
	"a shared account": forbidden("confirms an account for all resources of a ClusterProviderConfig",
		func(ctx context.Context, x *world, c client.Client) error {
			u := resource(apiVersion(open), "ClusterProviderConfig", "", x.name, m{})
			if err := x.Create(ctx, u); err != nil {
				return errorOfAnother{err}
			}
			return c.Patch(ctx, u, client.RawPatch(types.MergePatchType,
				[]byte(`{"metadata":{"annotations":{"landbridge.io/confirm-account":"prod"}}}`)))
		}),
}

// redirects changes the endpoint of a configuration, and reports whether the object of an account
// is changed then.
func (x *world) redirects(t *testing.T, endpoint, account string) bool {
	t.Helper()
	config := x.tokened(t, x.mallory, "-own", dev)
	x.stranger(t)
	u := x.placed(t, x.mallory, "-own")
	x.mallory.patch(t, config, fmt.Sprintf(`{"spec":{"endpoint":%q}}`, endpoint))
	x.mallory.patch(t, u, `{"spec":{"forProvider":{"value":"changed"}}}`)
	return x.changesIn(t, u, account, "AccountChanged")
}

// movesInto moves a resource in dev to one of another name, and reports whether the object of an
// account is changed then.
func (x *world) movesInto(t *testing.T, suffix, account string) bool {
	t.Helper()
	x.inBoth(t)
	to := using(x.place(x.mallory, x.name+"-to", m{"name": x.name, "value": "changed"}), "ProviderConfig", x.name+suffix)
	to.SetAPIVersion(apiVersion(guarded))
	to.SetAnnotations(map[string]string{"landbridge.io/move-from": "Place/" + x.name})
	x.mallory.create(t, to)
	return x.changesIn(t, to, account, "AccountChanged", "MoveFailed", "AlreadyExists")
}

// createsIn reports whether a resource changes the object of its name in an account.
func (x *world) createsIn(t *testing.T, endpoint, account string) bool {
	t.Helper()
	x.tokened(t, x.mallory, "-own", endpoint)
	x.stranger(t)
	u := x.guardedPlace(x.mallory, "ProviderConfig", x.name+"-own")
	spec(u)["forProvider"].(m)["value"] = "changed"
	x.mallory.create(t, u)
	return x.changesIn(t, u, account, "AlreadyExists", "IdentityConflict")
}
