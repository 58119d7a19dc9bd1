package tenancy_test

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// annotating is a request that annotates an object that is not a resource.
func annotating(o func(x *world) client.Object, annotation string) func(context.Context, *world, client.Client) error {
	return func(ctx context.Context, x *world, c client.Client) error {
		patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:"0"}}}`, annotation)
		return c.Patch(ctx, o(x), client.RawPatch(types.MergePatchType, []byte(patch)), client.DryRunAll)
	}
}

// configMap returns a ConfigMap of Landbridge's.
func configMap(name string) func(*world) client.Object {
	return func(*world) client.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: system, Name: name}}
	}
}

// braked is a provider of whose accounts the brake permits mostDestroys within a minute.
const (
	braked       = "braked"
	mostDestroys = 6
)

// stops are attacks on what stops operations, and by it.
var stops = map[string]attack{
	"a pause": forbidden("pauses, or resumes, all operations", annotating(configMap("landbridge-pause"), "landbridge.io/paused")),
	"a brake": forbidden("releases the brake", annotating(configMap("landbridge-brake"), "landbridge.io/released")),
	"a brake's limit": forbidden("raises the limit of destroys of its namespace", annotating(func(x *world) client.Object {
		return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: x.mallory.namespace}}
	}, "landbridge.io/destroys-per-minute")),
	"a brake, by a mass deletion": {
		attacker: attacker, means: "deletes more resources at once than the brake permits in a minute",
		refusal: "the victim's deletion is carried out",
		try: func(t *testing.T, x *world) bool {
			u := x.braked(t, x.victim, x.name)
			x.WaitReady(t, u)
			x.deletesMany(t)
			if err := x.victim.Delete(t.Context(), u); err != nil {
				t.Fatal(err)
			}
			held := false
			eventually(t, "the victim's deletion is decided", func(ctx context.Context) bool {
				gone := kerrors.IsNotFound(x.Get(ctx, client.ObjectKeyFromObject(u), u))
				held = !gone && refusedFor(u, "DestroyBrake")
				return gone || held
			})
			return held
		},
		// It is held where it was made.
		control: func(t *testing.T, x *world) bool { return x.deletesMany(t) },
	},
	"a protected object": {
		attacker: "a user who may delete resources, and not change them,",
		means:    "deletes a resource with deletionProtection", refusal: "forbidden by the policy for deletions",
		try:     func(t *testing.T, x *world) bool { return x.deletes(t, true, one) },
		control: func(t *testing.T, x *world) bool { return x.deletes(t, false, one) },
	},
	"a protected object, among others": {
		attacker: "a user who may delete resources, and not change them,",
		means:    "deletes all resources of a namespace, one with deletionProtection among them",
		refusal:  "forbidden by the policy for deletions",
		try:      func(t *testing.T, x *world) bool { return x.deletes(t, true, all) },
		control:  func(t *testing.T, x *world) bool { return x.deletes(t, false, all) },
	},
	"a protected object, by a replacement": {
		attacker: attacker, means: "renames the object of a resource with deletionProtection, so that it is replaced",
		refusal: "DeletionProtected",
		try:     func(t *testing.T, x *world) bool { return x.renames(t, true) },
		control: func(t *testing.T, x *world) bool { return x.renames(t, false) },
	},
	"a protected object, by a taint": {
		attacker: attacker, means: "taints the object of a resource with deletionProtection, so that it is replaced",
		refusal: "DeletionProtected",
		try:     func(t *testing.T, x *world) bool { return x.taints(t, true) },
		control: func(t *testing.T, x *world) bool { return x.taints(t, false) },
	},
}

func one(ctx context.Context, c client.Client, u *unstructured.Unstructured) error {
	return c.Delete(ctx, u)
}

func all(ctx context.Context, c client.Client, u *unstructured.Unstructured) error {
	return c.DeleteAllOf(ctx, u, client.InNamespace(u.GetNamespace()))
}

// braked creates a resource whose destroys the brake counts.
func (x *world) braked(t *testing.T, by tenant, name string) *unstructured.Unstructured {
	t.Helper()
	u := x.place(by, name, nil)
	u.SetAPIVersion(apiVersion(braked))
	return by.create(t, u)
}

// deletesMany has a user delete more resources than the brake permits, and reports whether the rest
// is held.
func (x *world) deletesMany(t *testing.T) bool {
	t.Helper()
	by := x.user(t, x.name)
	var many []*unstructured.Unstructured
	for i := range 2 * mostDestroys {
		many = append(many, x.braked(t, by, fmt.Sprint(x.name, "-", i)))
	}
	for _, u := range many {
		x.WaitReady(t, u)
	}
	if err := all(t.Context(), by, many[0]); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the rest is held", func(ctx context.Context) bool {
		held := 0
		for _, u := range many {
			if x.Get(ctx, client.ObjectKeyFromObject(u), u) == nil && refusedFor(u, "DestroyBrake") {
				held++
			}
		}
		return held >= mostDestroys
	})
	return true
}

// protected creates a resource, with deletionProtection or without.
func (x *world) protected(t *testing.T, by tenant, protection bool) *unstructured.Unstructured {
	t.Helper()
	u := x.place(by, x.name, m{"value": "confidential"})
	spec(u)["lifecycle"] = m{"deletionProtection": protection}
	by.create(t, u)
	x.WaitReady(t, u)
	return u
}

// deletes reports whether a user who may only delete resources has an object destroyed.
func (x *world) deletes(
	t *testing.T, protection bool, request func(context.Context, client.Client, *unstructured.Unstructured) error,
) bool {
	t.Helper()
	namespace := x.Namespace(t)
	u := x.protected(t, tenant{Client: x.Client, namespace: namespace}, protection)
	meta := metav1.ObjectMeta{Namespace: namespace, Name: x.name}
	role := &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{open + ".landbridge.io"}, Resources: []string{"*"}, Verbs: []string{"get", "list", "delete", "deletecollection"},
	}}}
	if err := x.Create(t.Context(), role); err != nil {
		t.Fatal(err)
	}
	by := x.bound(t, x.name, namespace)
	binding := &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: x.name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: x.name}},
	}
	if err := x.Create(t.Context(), binding); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the user may read it", func(ctx context.Context) bool { return by.Get(ctx, client.ObjectKeyFromObject(u), u) == nil })
	switch err := request(t.Context(), by, u); {
	case kerrors.IsForbidden(err):
		x.Reconcile(t, u)
		_, there := remote("place", x.name)
		return !there
	case err != nil:
		t.Fatal(err)
	}
	x.WaitGone(t, u)
	_, there := remote("place", x.name)
	return !there
}

// renames reports whether the object of a resource is destroyed since its resource names another
// one.
func (x *world) renames(t *testing.T, protection bool) bool {
	t.Helper()
	u := x.protected(t, x.mallory, protection)
	x.mallory.patch(t, u, fmt.Sprintf(`{"spec":{"forProvider":{"name":%q}}}`, x.name+"-renamed"))
	return x.destroyed(t, u)
}

// taints reports whether the object of a resource is replaced since its user asks for it.
func (x *world) taints(t *testing.T, protection bool) bool {
	t.Helper()
	u := x.protected(t, x.mallory, protection)
	x.mallory.patch(t, u, `{"metadata":{"annotations":{"landbridge.io/taint":"now"}},"spec":{"lifecycle":{"taintPolicy":"Replace"}}}`)
	return x.destroyed(t, u)
}

// destroyed waits until the object of a resource is destroyed, or the resource is refused, and
// reports whether it is.
func (x *world) destroyed(t *testing.T, u *unstructured.Unstructured) bool {
	t.Helper()
	return x.either(t, u, func() bool { return doubles[open].Calls("delete place "+x.name+"\n") > 0 },
		func() bool { return refusedFor(u, "DeletionProtected") })
}
