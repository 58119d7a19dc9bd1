package tenancy_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// observer returns a resource that only observes an object.
func (x *world) observer(by tenant, kind string, imports m) *unstructured.Unstructured {
	return resource(apiVersion(open), kind, by.namespace, x.name+"-observer", m{
		"forProvider": m{}, "managementPolicies": []any{"Observe"}, "import": imports,
		"writeConnectionSecretToRef": m{"name": x.name + "-observer"},
	})
}

// exports reports whether a tenant learns something of an object by observing it.
func (x *world) exports(t *testing.T, by tenant, u *unstructured.Unstructured) bool {
	t.Helper()
	by.create(t, u)
	x.either(t, u, func() bool { return isTrue(u, "Synced") }, func() bool { return refusedFor(u, "IdentityConflict") })
	secret := &corev1.Secret{}
	err := by.Get(t.Context(), client.ObjectKeyFromObject(u), secret)
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	return text(u, "status", "atProvider") != "" || len(secret.Data) > 0 || x.reveals(t, u, "confidential")
}

// externalID returns the id of the object of a resource.
func (x *world) externalID(t *testing.T, u *unstructured.Unstructured) string {
	t.Helper()
	x.WaitFor(t, u, "named", func() bool { return u.GetAnnotations()["crossplane.io/external-name"] != "" })
	return u.GetAnnotations()["crossplane.io/external-name"]
}

// takes reports whether a resource gets the victim's object.
func (x *world) takes(t *testing.T, by tenant, u *unstructured.Unstructured) bool {
	t.Helper()
	by.create(t, u)
	return x.becomesReady(t, u, "IdentityConflict", "ImportFailed", "AlreadyExists")
}

// paused makes a resource wait. It is older, then.
func paused(u *unstructured.Unstructured) *unstructured.Unstructured {
	u.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
	return u
}

// importing returns a resource that imports the victim's object by its identity.
func (x *world) importing(by tenant, name string) *unstructured.Unstructured {
	r := x.place(by, name, m{"name": x.name})
	spec(r)["import"] = m{"identity": m{"name": x.name}}
	return r
}

// orphaned creates an object that no resource owns.
func (x *world) orphaned(t *testing.T) {
	t.Helper()
	u := x.owned(t, "Place")
	x.MustPatch(t, u, `{"spec":{"managementPolicies":["Observe"]}}`)
	x.WaitReady(t, u)
	x.Remove(t, u)
}

// objects are attacks on remote objects.
var objects = map[string]attack{
	"a state, by its identity": between("observes another's object, by its identity",
		"IdentityConflict, and nothing of it", func(t *testing.T, x *world, by tenant) bool {
			x.owned(t, "Place")
			return x.exports(t, by, x.observer(by, "Place", m{"identity": m{"name": x.name}}))
		}),
	"a state, by its id": between("observes another's object, by its id",
		"IdentityConflict, and nothing of it", func(t *testing.T, x *world, by tenant) bool {
			id := x.externalID(t, x.owned(t, "Thing"))
			return x.exports(t, by, x.observer(by, "Thing", m{"id": id}))
		}),
	"a state, by another configuration": between("observes another's object, with a ProviderConfig of "+
		"the same content", "IdentityConflict: it is one account", func(t *testing.T, x *world, by tenant) bool {
		x.owned(t, "Place")
		by.create(t, resource(apiVersion(open), "ProviderConfig", by.namespace, x.name, m{}))
		u := x.observer(by, "Place", m{"identity": m{"name": x.name}})
		spec(u)["providerConfigRef"] = m{"kind": "ProviderConfig", "name": x.name}
		return x.exports(t, by, u)
	}),
	"an object": {
		attacker: attacker, means: "imports another's object", refusal: "IdentityConflict",
		try: func(t *testing.T, x *world) bool {
			x.owned(t, "Place")
			return x.takes(t, x.mallory, x.importing(x.mallory, x.name+"-import"))
		},
		control: func(t *testing.T, x *world) bool {
			x.orphaned(t)
			return x.takes(t, x.victim, x.importing(x.victim, x.name+"-import"))
		},
	},
	"an object, by another configuration": {
		attacker: attacker, means: "imports another's object with a ProviderConfig of the same content",
		refusal: "IdentityConflict: it is one account",
		try: func(t *testing.T, x *world) bool {
			x.owned(t, "Place")
			return x.takes(t, x.mallory, x.byOwnConfiguration(t, x.mallory))
		},
		control: func(t *testing.T, x *world) bool {
			x.orphaned(t)
			return x.takes(t, x.victim, x.byOwnConfiguration(t, x.victim))
		},
	},
	"an object, with an older resource": between("imports another's object with a resource that is "+
		"older than its owner", "IdentityConflict", func(t *testing.T, x *world, by tenant) bool {
		r := by.create(t, paused(x.importing(by, x.name+"-older")))
		// Creation times have a resolution of seconds.
		eventually(t, "the next second", func(context.Context) bool { return time.Since(r.GetCreationTimestamp().Time) > 2*time.Second })
		x.owned(t, "Place")
		x.MustPatch(t, r, `{"metadata":{"annotations":{"crossplane.io/paused":null}}}`)
		return x.becomesReady(t, r, "IdentityConflict")
	}),
	"an object, by annotations": {
		attacker: attacker, means: "names another's object in the annotations that Landbridge writes", refusal: "IdentityConflict",
		try: func(t *testing.T, x *world) bool {
			x.owned(t, "Place")
			return x.takes(t, x.mallory, x.annotated(x.mallory))
		},
		control: func(t *testing.T, x *world) bool {
			x.orphaned(t)
			return x.takes(t, x.victim, x.annotated(x.victim))
		},
	},
	"an object, by its name": {
		attacker: attacker, means: "deletes a resource with the kind, the name and the arguments of another's", refusal: "the object stays",
		try: func(t *testing.T, x *world) bool {
			x.owned(t, "Place")
			r := x.mallory.create(t, x.place(x.mallory, x.name, nil))
			x.WaitFor(t, r, "in conflict", func() bool { return refusedFor(r, "IdentityConflict") })
			x.Remove(t, r)
			_, there := remote("place", x.name)
			return !there
		},
		control: func(t *testing.T, x *world) bool {
			x.Remove(t, x.owned(t, "Place"))
			_, there := remote("place", x.name)
			return !there
		},
	},
	"the owner's name": between("creates a resource for another's object, and reads its condition and events",
		"IdentityConflict without a name", func(t *testing.T, x *world, by tenant) bool {
			x.owned(t, "Place")
			r := by.create(t, x.place(by, x.name+"-other", m{"name": x.name}))
			x.WaitFor(t, r, "in conflict", func() bool { return refusedFor(r, "IdentityConflict") })
			return x.reveals(t, r, x.victim.namespace+"/"+x.name)
		}),
}

// byOwnConfiguration is importing with a ProviderConfig of the namespace.
func (x *world) byOwnConfiguration(t *testing.T, by tenant) *unstructured.Unstructured {
	t.Helper()
	by.create(t, resource(apiVersion(open), "ProviderConfig", by.namespace, x.name, m{}))
	r := x.importing(by, x.name+"-import")
	spec(r)["providerConfigRef"] = m{"kind": "ProviderConfig", "name": x.name}
	return r
}

// annotated returns a resource that looks as if its state were lost.
func (x *world) annotated(by tenant) *unstructured.Unstructured {
	r := x.place(by, x.name+"-annotated", m{"name": x.name})
	r.SetAnnotations(map[string]string{"landbridge.io/identity": `{"name":"` + x.name + `"}`})
	return r
}
