package e2e_test

import (
	"strings"
	"testing"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Nothing of a resource with spec.lifecycle.deletionProtection is destroyed, neither by a deletion
// nor by a replacement.
func TestDeletionProtection(t *testing.T) {
	c := shared(t)
	d := newDouble(t, "protection")
	c.install(t, d.provider())
	ns := c.Namespace(t)
	thing := func(t *testing.T, name string) *unstructured.Unstructured {
		r := d.thing(ns, name, nil)
		set(t, r, true, "spec", "lifecycle", "deletionProtection")
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		return r
	}
	untouched := func(t *testing.T, name string) {
		t.Helper()
		if _, ok := d.Object("thing", name); !ok || d.Calls("delete thing "+name) != 0 {
			t.Error("the object was touched")
		}
	}

	t.Run("deleted", func(t *testing.T) {
		t.Parallel()
		r := thing(t, "deleted")
		err := c.Delete(t.Context(), r.DeepCopy())
		if !kerrors.IsForbidden(err) || !strings.Contains(err.Error(), `{"spec":{"lifecycle":{"deletionProtection":false}}}`) {
			t.Fatalf("the deletion returned %v", err)
		}
		all := &unstructured.Unstructured{Object: m{"apiVersion": d.APIVersion(), "kind": "Thing"}}
		if err := c.DeleteAllOf(t.Context(), all, client.InNamespace(ns),
			client.MatchingFields{"metadata.name": "deleted"}); !kerrors.IsForbidden(err) {
			t.Errorf("the deletion of a collection returned %v", err)
		}
		untouched(t, "deleted")
		c.MustPatch(t, r, `{"spec":{"lifecycle":{"deletionProtection":false}}}`)
		c.Remove(t, r)
		if _, ok := d.Object("thing", "deleted"); ok {
			t.Error("the object was not destroyed")
		}
	})

	t.Run("deleted, and protected afterwards", func(t *testing.T) {
		t.Parallel()
		r := d.thing(ns, "late", nil)
		set(t, r, m{"approvalPolicy": "Destructive"}, "spec", "lifecycle")
		c.MustCreate(t, r)
		c.WaitReady(t, r)
		if err := c.Delete(t.Context(), r.DeepCopy()); err != nil {
			t.Fatal(err)
		}
		c.MustPatch(t, r, `{"spec":{"lifecycle":{"deletionProtection":true,"approvalPolicy":null}}}`)
		c.WaitFalse(t, r, "Synced", "DeletionProtected", "is being deleted", "spec.lifecycle.deletionProtection")
		untouched(t, "late")
		c.MustPatch(t, r, `{"spec":{"lifecycle":{"deletionProtection":false}}}`)
		c.WaitGone(t, r)
		if _, ok := d.Object("thing", "late"); ok {
			t.Error("the object was not destroyed")
		}
	})

	t.Run("its object is left", func(t *testing.T) {
		t.Parallel()
		r := thing(t, "left")
		c.MustPatch(t, r, `{"spec":{"managementPolicies":["Observe","Create","Update"]}}`)
		c.WaitReady(t, r)
		c.Remove(t, r)
		untouched(t, "left")
	})

	t.Run("replaced", func(t *testing.T) {
		t.Parallel()
		r := thing(t, "replaced")
		c.MustPatch(t, r, `{"spec":{"forProvider":{"name":"renamed"}}}`)
		c.WaitFalse(t, r, "Synced", "DeletionProtected", "spec.forProvider.name", "spec.lifecycle.deletionProtection")
		c.MustPatch(t, r, `{"spec":{"lifecycle":{"createBeforeDestroy":true}}}`)
		c.WaitFor(t, r, "planned with the new object first", func() bool { return text(r, "status", "plan", "action") == "CreateThenDelete" })
		c.WaitFalse(t, r, "Synced", "DeletionProtected", "spec.forProvider.name")
		untouched(t, "replaced")
		if _, ok := d.Object("thing", "renamed"); ok {
			t.Error("the new object was created")
		}
		c.MustPatch(t, r, `{"spec":{"lifecycle":{"deletionProtection":null}}}`)
		c.WaitFor(t, r, "replaced", func() bool {
			_, made := d.Object("thing", "renamed")
			_, old := d.Object("thing", "replaced")
			return made && !old
		})
		c.WaitReady(t, r)
	})
}
