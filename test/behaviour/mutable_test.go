package behaviour_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/testing/clustertest"
)

var _ = register(map[string]func(*testing.T, *column){
	"unexpected-read":   unexpectedRead,
	"unexpected-forget": unexpectedForget,
	"unexpected-update": unexpectedUpdate,
	"unexpected-plan":   unexpectedPlan,
	"mutable-update":    mutableUpdate,
	"mutable-plan":      mutablePlan,
	"mutable-read":      mutableRead,
})

// unexpected fails the test unless the resource reports an unexpected change of its identity, with
// growing delays, and keeps its former identity.
func (c *column) unexpected(t *testing.T, u *unstructured.Unstructured, says string) {
	t.Helper()
	c.WaitFalse(t, u, "Synced", reasonUnexpected, "Unexpected Identity Change", says)
	c.noStorm(t, u)
	c.MustGet(t, u)
	if diff := cmp.Diff(m{"name": nameOf(t)}, identityOf(u)); diff != "" {
		t.Errorf("status.identity: %s", diff)
	}
	if stored := string(c.stored(t, u)["identity"]); stored != `{"name":"`+nameOf(t)+`"}` {
		t.Errorf("stored is %s", stored)
	}
}

func unexpectedRead(t *testing.T, c *column) {
	u := c.resource(t, "Nickname", m{"forProvider": m{"name": nameOf(t)}})
	c.WaitReady(t, u)
	changed(t, c.world, api.Nicknames, text(u, "status", "atProvider", "id"), m{"name": nameOf(t) + "-2"})
	c.RequestReconcile(t, u)
	c.unexpected(t, u, "read")
	// The former identity makes it valid again.
	changed(t, c.world, api.Nicknames, text(u, "status", "atProvider", "id"), m{"name": nameOf(t)})
	c.RequestReconcile(t, u)
	c.WaitReady(t, u)
}

// If the object is the right one, the way out is that its former identity is forgotten.
func unexpectedForget(t *testing.T, c *column) {
	u := c.resource(t, "Nickname", m{"forProvider": m{"name": nameOf(t)}})
	c.WaitReady(t, u)
	id := text(u, "status", "atProvider", "id")
	changed(t, c.world, api.Nicknames, id, m{"name": nameOf(t) + "-2"})
	c.RequestReconcile(t, u)
	c.WaitFalse(t, u, "Synced", reasonUnexpected, "Unexpected Identity Change")

	c.MustPatch(t, u, `{"metadata":{"annotations":{"`+paused+`":"true"}},"spec":{"forProvider":{"name":"`+nameOf(t)+`-2"}}}`)
	c.WaitFor(t, u, "paused", func() bool { _, reason, _ := condition(u, "Synced"); return reason == "ReconcilePaused" })
	cluster, err := state.Open(c.Config, clustertest.System)
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := cluster.Kinds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kind, ok := kinds.Of(store.Key{Group: u.GroupVersionKind().Group, Kind: u.GetKind()})
	if !ok {
		t.Fatal("the kind is not served")
	}
	former, err := cluster.ForgetIdentity(t.Context(), kind, u.GetNamespace(), u.GetName())
	if err != nil || string(former) != `{"name":"`+nameOf(t)+`"}` {
		t.Fatalf("it was %s, %v", former, err)
	}
	c.MustPatch(t, u, `{"metadata":{"annotations":{"`+paused+`":null}}}`)
	c.WaitFor(t, u, "accepted", func() bool { return text(u, "status", "identity", "name") == nameOf(t)+"-2" })
	c.WaitReady(t, u)
	if stored := string(c.stored(t, u)["identity"]); stored != `{"name":"`+nameOf(t)+`-2"}` {
		t.Errorf("stored is %s", stored)
	}
	if got := text(u, "status", "atProvider", "id"); got != id {
		t.Errorf("the object is %s, and was %s", got, id)
	}
}

func unexpectedUpdate(t *testing.T, c *column) {
	u := c.resource(t, "Nickname", m{"forProvider": m{"name": nameOf(t)}})
	c.WaitReady(t, u)
	c.MustPatch(t, u, `{"spec":{"forProvider":{"name":"`+nameOf(t)+`-2"}}}`)
	c.unexpected(t, u, "")
	// The condition may already tell of the read after it.
	eventually(t, "an event tells what the provider says of the update", func(ctx) bool {
		for _, event := range c.events(t, u) {
			if strings.Contains(event.Message, "Unexpected Identity Change") && strings.Contains(event.Message, "During the update operation") {
				return true
			}
		}
		return false
	})
	if n := len(c.written(http.MethodPatch, text(u, "status", "atProvider", "id"))); n != 1 {
		t.Errorf("it was renamed %d times", n)
	}
}

func unexpectedPlan(t *testing.T, c *column) {
	u := c.resource(t, "Nickname", m{"forProvider": m{"name": nameOf(t), "planIdentity": true}})
	c.WaitReady(t, u)
	c.MustPatch(t, u, `{"spec":{"forProvider":{"name":"`+nameOf(t)+`-2"}}}`)
	c.unexpected(t, u, "planning")
	if n := len(c.written(http.MethodPatch, text(u, "status", "atProvider", "id"))); n != 0 {
		t.Errorf("it was renamed %d times", n)
	}
}

// renamed fails the test unless the resource has the identity and it is stored.
func (c *column) renamed(t *testing.T, u *unstructured.Unstructured, to string) {
	t.Helper()
	c.WaitFor(t, u, "named "+to, func() bool {
		return text(u, "status", "identity", "name") == to && u.GetAnnotations()["crossplane.io/external-name"] == to &&
			u.GetAnnotations()["landbridge.io/identity"] == `{"name":"`+to+`"}`
	})
	if stored := string(c.stored(t, u)["identity"]); stored != `{"name":"`+to+`"}` {
		t.Errorf("stored is %s", stored)
	}
	eventually(t, "an event tells of "+to, func(ctx) bool {
		for _, event := range c.events(t, u) {
			if event.Reason == "IdentityChanged" && strings.Contains(event.Message, nameOf(t)) && strings.Contains(event.Message, to) {
				return true
			}
		}
		return false
	})
}

func (c *column) rename(t *testing.T, spec m) {
	t.Helper()
	spec["name"] = nameOf(t)
	u := c.resource(t, "Alias", m{"forProvider": spec})
	c.WaitReady(t, u)
	id := text(u, "status", "atProvider", "id")
	c.MustPatch(t, u, `{"spec":{"forProvider":{"name":"`+nameOf(t)+`-2"}}}`)
	c.renamed(t, u, nameOf(t)+"-2")
	c.WaitReady(t, u)
	if got := text(u, "status", "atProvider", "id"); got != id {
		t.Errorf("it is another object: %s, not %s", got, id)
	}
}

func mutableUpdate(t *testing.T, c *column) { c.rename(t, m{}) }

func mutablePlan(t *testing.T, c *column) { c.rename(t, m{"planIdentity": true}) }

func mutableRead(t *testing.T, c *column) {
	object := made(t, c.world, api.Aliases, api.Alias{Name: nameOf(t)})
	u := c.resource(t, "Alias", m{"forProvider": m{}, "managementPolicies": []any{"Observe"}, "import": m{"identity": m{"name": object.Name}}})
	c.WaitFor(t, u, "ready", func() bool { return isTrue(u, "Ready", "Synced") })
	changed(t, c.world, api.Aliases, object.ID, m{"name": object.Name + "-2"})
	c.RequestReconcile(t, u)
	c.renamed(t, u, object.Name+"-2")
	c.WaitFor(t, u, "ready", func() bool { return isTrue(u, "Ready", "Synced") })
	c.untouched(t, object.ID)
}
