package e2e_test

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// standings counts the resources that are ready, and those with an object that another resource
// owns.
func (c *cluster) standings(t *testing.T, all []*unstructured.Unstructured) (ready, conflicts int) {
	t.Helper()
	for _, r := range all {
		if err := c.Get(t.Context(), key(r), r); err != nil {
			continue
		}
		if isTrue(r, "Ready", "Synced") {
			ready++
		}
		if _, reason, _ := condition(r, "Synced"); reason == "IdentityConflict" {
			conflicts++
		}
	}
	return ready, conflicts
}

// A remote object has one owner, even if other resources claim it.
func TestOwners(t *testing.T) {
	c := shared(t)
	c.real(t, "random")
	d := newDouble(t, "owners")
	c.install(t, d.provider())

	t.Run("racing creates", func(t *testing.T) {
		t.Parallel()
		const n = 6
		namespaces := []string{c.Namespace(t), c.Namespace(t)}
		var all []*unstructured.Unstructured
		var group sync.WaitGroup
		for i := range n {
			r := d.resource("Place", namespaces[i%2], fmt.Sprint("racer-", i), m{"name": "race"})
			all = append(all, r)
			group.Go(func() { c.MustCreate(t, r) })
		}
		group.Wait()
		for left := n; left > 0; left-- {
			var owner int
			eventually(t, "one has it, and the others have a conflict", func(context.Context) bool {
				ready, conflicts := c.standings(t, all)
				for i, r := range all {
					if isTrue(r, "Ready", "Synced") {
						owner = i
					}
				}
				return ready == 1 && conflicts == left-1
			})
			if creates, deletes := d.Calls("create place race"), d.Calls("delete place race"); creates != n-left+1 || deletes != n-left {
				t.Fatalf("with %d left: %d creates, %d deletes", left, creates, deletes)
			}
			c.Remove(t, all[owner])
			all = append(all[:owner], all[owner+1:]...)
		}
		if _, ok := d.Object("place", "race"); ok {
			t.Error("the object is left")
		}
	})

	t.Run("the younger goes", func(t *testing.T) {
		t.Parallel()
		ns := c.Namespace(t)
		older, younger := d.resource("Place", ns, "older", m{"name": "shared"}),
			d.resource("Place", ns, "younger", m{"name": "shared", "value": "other"})
		c.MustCreate(t, older)
		c.WaitReady(t, older)
		c.MustCreate(t, younger)
		c.WaitFalse(t, younger, "Synced", "IdentityConflict", "Place "+ns+"/older")
		events := func() (n int) {
			list := &corev1.EventList{}
			if err := c.List(t.Context(), list, client.InNamespace(ns),
				client.MatchingFields{"involvedObject.uid": string(younger.GetUID())}); err != nil {
				t.Fatal(err)
			}
			for _, e := range list.Items {
				if e.Type == corev1.EventTypeWarning {
					n += int(e.Count)
				}
			}
			return n
		}
		eventually(t, "an event tells of it", func(context.Context) bool { return events() == 1 })
		never(t, 3*poll, "it is told again and again", func() bool { return events() > 1 })
		c.Remove(t, younger)
		c.WaitFor(t, older, "as it was", func() bool { return isTrue(older, "Ready", "Synced") })
		if _, ok := d.Object("place", "shared"); !ok || d.Calls("delete place shared")+d.Calls("update place shared") > 0 {
			t.Error("the object was touched")
		}
	})

	t.Run("an object that is there", func(t *testing.T) {
		t.Parallel()
		ns := c.Namespace(t)
		d.Put(t, "place", remote{Attributes: map[string]string{"name": "there", "id": "place-1", "token": "t"}})
		r := d.place(ns, "there", nil)
		c.MustCreate(t, r)
		message := c.WaitFalse(t, r, "Synced", "AlreadyExists", "spec.import")
		c.MustPatch(t, r, `{"spec":{"import":`+regexp.MustCompile(`\{.*\}`).FindString(message)+`}}`)
		c.WaitReady(t, r)
		if got := text(r, "status", "atProvider", "id"); got != "place-1" ||
			d.Calls("create place there")+d.Calls("update place there")+d.Calls("delete place there") > 0 {
			t.Errorf("it was not adopted unchanged, but is %q", got)
		}
	})

	t.Run("ids that all have", func(t *testing.T) {
		t.Parallel()
		ns := c.Namespace(t)
		var all []*unstructured.Unstructured
		for _, name := range []string{"one", "two"} {
			r := resource(random, "Password", ns, name, m{"forProvider": m{"length": int64(16)}})
			c.MustCreate(t, r)
			all = append(all, r)
		}
		for _, r := range all {
			c.WaitReady(t, r)
			c.WaitFor(t, r, "named", func() bool { return r.GetAnnotations()[externalName] == "none" })
		}
		c.Remove(t, all[1])
		c.WaitReady(t, all[0])
	})
}

// The owner of an object is determined before any resource changes the object, also after a restart
// of the controller or the provider, and while the owner itself is paused.
func TestOwnersAcrossRestarts(t *testing.T) {
	t.Parallel()
	c := alone(t)
	mirror := providertest.Mirror(t, "random")
	stop := c.RunController(t, options(mirror))
	d := newDouble(t, "owned")
	p := d.provider()
	c.install(t, p)
	c.install(t, terraformProvider("random", "hashicorp/random"))
	ns := c.Namespace(t)
	d.Put(t, "place", remote{Attributes: map[string]string{"name": "x", "id": "place-1", "token": "t", "value": "as it was"}})

	older := d.resource("Place", ns, "z-older", m{"name": "x", "value": "as it was"}) // last by name
	set(t, older, "x", "spec", "import", "identity", "name")
	older.SetAnnotations(map[string]string{"crossplane.io/paused": "true"})
	c.MustCreate(t, older)
	c.WaitFor(t, older, "paused", func() bool { _, reason, _ := condition(older, "Synced"); return reason == "ReconcilePaused" })
	never(t, 2*poll, "it is older only if seconds say so", func() bool { return false })
	younger := d.resource("Place", ns, "a-younger", m{"name": "x", "value": "as it was"})
	set(t, younger, "x", "spec", "import", "identity", "name")
	c.MustCreate(t, younger)
	c.WaitReady(t, younger) // while the older one is paused
	c.MustPatch(t, older, `{"metadata":{"annotations":{"crossplane.io/paused":null}}}`)
	c.WaitReady(t, older)
	c.WaitFalse(t, younger, "Synced", "IdentityConflict", "Place "+ns+"/z-older")
	if isTrue(younger, "Ready") {
		t.Error("a resource that does not own its object is ready")
	}
	// The state of both is stored. The younger one would change the object; the older one is
	// paused.
	c.MustPatch(t, older, `{"metadata":{"annotations":{"crossplane.io/paused":"true"}}}`)
	c.WaitFor(t, older, "paused", func() bool { _, reason, _ := condition(older, "Synced"); return reason == "ReconcilePaused" })
	c.MustPatch(t, younger, `{"spec":{"forProvider":{"value":"of the younger"}}}`)
	untouched := func(when string) {
		t.Helper()
		c.WaitFalse(t, younger, "Synced", "IdentityConflict", "Place "+ns+"/z-older")
		never(t, 2*poll, when+" the object is changed", func() bool { return d.Changes() > 0 })
	}
	untouched("at first")

	stop()
	stop = c.RunController(t, options(mirror))
	c.WaitFor(t, p, "healthy", func() bool { return isTrue(p, "Healthy") })
	untouched("after a new start")

	// The provider is installed again, and all kinds have new controllers.
	env, err := json.Marshal(append(d.Env, m{"name": "TESTPROVIDER_ANEW", "value": "yes"}))
	if err != nil {
		t.Fatal(err)
	}
	c.MustPatch(t, p, `{"spec":{"env":`+string(env)+`}}`)
	c.WaitFor(t, p, "installed anew", func() bool { return isTrue(p, "Installed", "Healthy") && current(p) })
	untouched("after a new installation")

	// The younger one is deleted, and the older one keeps its object.
	c.Remove(t, younger)
	c.MustPatch(t, older, `{"metadata":{"annotations":{"crossplane.io/paused":null}},"spec":{"forProvider":{"value":"of the older"}}}`)
	c.has(t, d, "place", "x", "value", "of the older")
	c.WaitReady(t, older)

	// A constant id does not identify an object when the state is lost.
	password := resource(random, "Password", ns, "password", m{
		"forProvider": m{"length": int64(16)}, "writeConnectionSecretToRef": m{"name": "details"},
	})
	c.MustCreate(t, password)
	c.WaitReady(t, password)
	c.WaitFor(t, password, "named", func() bool { return password.GetAnnotations()[externalName] == "none" })
	details := &corev1.Secret{}
	detailsKey := key(password)
	detailsKey.Name = "details"
	eventually(t, "there are details", func(ctx context.Context) bool { return c.Get(ctx, detailsKey, details) == nil })
	secret := string(details.Data["attribute.result"])
	stop()
	for _, s := range c.stored(t, ns) {
		if s.Annotations["landbridge.io/owner"] == ns+"/password" {
			if err := c.Delete(t.Context(), &s); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.RunController(t, options(mirror))
	c.WaitFalse(t, password, "Synced", "ImportFailed", "crossplane.io/external-name", "spec.import")
	if err := c.Get(t.Context(), detailsKey, details); err != nil || string(details.Data["attribute.result"]) != secret || len(secret) != 16 {
		t.Errorf("the password is lost, too: %v", err)
	}
	c.MustPatch(t, password, `{"metadata":{"annotations":{"crossplane.io/external-name":null}}}`)
	c.WaitReady(t, password)
}
