package behaviour_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	cloudclient "github.com/landbridge-io/landbridge/examples/examplecloud/client"
	"github.com/landbridge-io/landbridge/internal/testing/objecttest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

var _ = register(map[string]func(*testing.T, *column){
	"create":                createOnce,
	"create-refused":        createRefused,
	"configuration-refused": configurationRefused,
	"unchanged":             unchanged,
	"update":                updateInPlace,
	"update-refused":        updateRefused,
	"unset":                 unset,
	"drift":                 drift,
	"ignore-changes":        ignoreChanges,
	"init-provider":         initProvider,
	"gone":                  gone,
	"delete":                deletes,
	"delete-gone":           deleteGone,
	"delete-refused":        deleteRefused,
	"orphan":                orphan,
	"configurations":        configurations,
	"replace":               replace,
	"replace-create-first":  replaceCreateFirst,
	"replace-never":         replaceNever,
})

// aThing creates a Thing named after the test, waits until it is ready, and returns its object.
func (c *column) aThing(t *testing.T, spec m, more ...m) (*unstructured.Unstructured, api.Thing) {
	t.Helper()
	spec["name"] = nameOf(t)
	all := m{"forProvider": spec}
	for _, part := range more {
		for name, value := range part {
			all[name] = value
		}
	}
	u := c.resource(t, "Thing", all)
	c.WaitReady(t, u)
	return u, c.only(t, nameOf(t))
}

// only returns the only Thing of a name.
func (c *column) only(t *testing.T, name string) api.Thing {
	t.Helper()
	objects := named(t, c.world, api.Things, name)
	if len(objects) != 1 {
		t.Fatalf("there are %v", objects)
	}
	return objects[0]
}

// asked fails the test unless providers made that many write requests that mention a text.
func (c *column) asked(t *testing.T, method, text string, want int) {
	t.Helper()
	if got := len(c.written(method, text)); got != want {
		t.Errorf("%d times %s of %s, want %d", got, method, text, want)
	}
}

// forgotten waits until no state of a resource is stored.
func (c *column) forgotten(t *testing.T, u *unstructured.Unstructured) {
	t.Helper()
	eventually(t, "nothing is stored any more", func(ctx) bool { return c.storedSecret(t, u) == nil })
}

func createOnce(t *testing.T, c *column) {
	u, object := c.aThing(t, m{"size": int64(3), "tags": m{"a": "b"}})
	if want := (api.Thing{
		ID: object.ID, Region: "us-east-1", Name: nameOf(t), Size: 3, Tags: map[string]string{"a": "b"},
	}); !cmp.Equal(want, object) {
		t.Error(cmp.Diff(want, object))
	}
	want := m{"id": object.ID, "region": "us-east-1", "name": nameOf(t), "size": int64(3), "tags": m{"a": "b"}}
	if diff := cmp.Diff(want, at(u, "status", "atProvider")); diff != "" {
		t.Errorf("status.atProvider: %s", diff)
	}
	c.asked(t, http.MethodPost, nameOf(t), 1)
	c.asked(t, http.MethodPatch, object.ID, 0)
}

func createRefused(t *testing.T, c *column) {
	c.fault(t, api.Fault{
		On: api.OnCreate, Collection: string(api.Things), Match: map[string]string{"name": nameOf(t)}, Count: 2,
		Status: http.StatusForbidden,
	})
	u := c.resource(t, "Thing", m{"forProvider": m{"name": nameOf(t)}})
	c.WaitFor(t, u, "refused", func() bool {
		s, reason, message := condition(u, "LastAsyncOperation")
		return s == "False" && reason == "AsyncCreateFailure" && strings.Contains(message, "403")
	})
	c.WaitReady(t, u)
	c.only(t, nameOf(t))
	c.asked(t, http.MethodPost, nameOf(t), 3)
}

func configurationRefused(t *testing.T, c *column) {
	u := c.resource(t, "Datastore", m{
		"forProvider": m{
			"hciClusterUuid": "u-1", "clusterInfo": m{"id": "c-1"}, "name": nameOf(t), "timeouts": m{"create": "soon"},
		},
	})
	c.WaitFalse(t, u, "Synced", "InvalidConfiguration", "soon")
	c.asked(t, http.MethodPost, nameOf(t), 0)
	c.MustPatch(t, u, `{"spec":{"forProvider":{"timeouts":{"create":"5m"}}}}`)
	c.WaitReady(t, u)
}

func unchanged(t *testing.T, c *column) {
	u, object := c.aThing(t, m{"tags": m{"a": "b"}})
	c.Reconcile(t, u)
	c.Reconcile(t, u)
	c.WaitFor(t, u, "annotated", func() bool { return u.GetAnnotations()["landbridge.io/identity"] != "" })
	before, stored := u.GetResourceVersion(), c.storedSecret(t, u).ResourceVersion
	waittest.Never(t, 2*poll+poll/2, "the resource or its stored state was written", func() bool {
		c.MustGet(t, u)
		return u.GetResourceVersion() != before || c.storedSecret(t, u).ResourceVersion != stored
	})
	c.asked(t, http.MethodPost, nameOf(t), 1)
	c.asked(t, http.MethodPatch, object.ID, 0)
}

func updateInPlace(t *testing.T, c *column) {
	u, object := c.aThing(t, m{"size": int64(1), "tags": m{"a": "b"}})
	c.MustPatch(t, u, `{"spec":{"forProvider":{"size":5,"tags":{"a":"c","d":"e"}}}}`)
	c.WaitReady(t, u)
	if got := c.only(t, nameOf(t)); got.ID != object.ID || got.Size != 5 || !cmp.Equal(got.Tags, map[string]string{"a": "c", "d": "e"}) {
		t.Errorf("it is %+v", got)
	}
	if diff := cmp.Diff(m{"a": "c", "d": "e"}, at(u, "status", "atProvider", "tags")); diff != "" ||
		text(u, "status", "atProvider", "size") != "5" {
		t.Errorf("shown is %v", at(u, "status", "atProvider"))
	}
	c.asked(t, http.MethodPatch, object.ID, 1)
}

func updateRefused(t *testing.T, c *column) {
	u, object := c.aThing(t, m{})
	c.fault(t, api.Fault{
		On: api.OnUpdate, Collection: string(api.Things), Match: map[string]string{"name": nameOf(t)}, Count: 2,
		Status: http.StatusForbidden,
	})
	c.MustPatch(t, u, `{"spec":{"forProvider":{"size":5}}}`)
	c.WaitFor(t, u, "refused", func() bool {
		s, reason, message := condition(u, "LastAsyncOperation")
		return s == "False" && reason == "AsyncUpdateFailure" && strings.Contains(message, "403") && isTrue(u, "Ready")
	})
	c.WaitReady(t, u)
	if got := c.only(t, nameOf(t)); got.ID != object.ID || got.Size != 5 {
		t.Errorf("it is %+v", got)
	}
}

func unset(t *testing.T, c *column) {
	u, object := c.aThing(t, m{"size": int64(9), "tags": m{"a": "b"}})
	c.MustPatch(t, u, `{"spec":{"forProvider":{"tags":null,"size":null}}}`)
	c.WaitReady(t, u)
	// The provider has a default for the size.
	if got := c.only(t, nameOf(t)); got.ID != object.ID || len(got.Tags) > 0 || got.Size != 1 {
		t.Errorf("it is %+v", got)
	}
}

func drift(t *testing.T, c *column) {
	u, object := c.aThing(t, m{"size": int64(2)})
	changed(t, c.world, api.Things, object.ID, m{"size": 7})
	c.RequestReconcile(t, u)
	eventually(t, "it is changed back", func(ctx) bool { return is(t, c.world, api.Things, object.ID).Size == 2 })
	c.WaitReady(t, u)
	c.asked(t, http.MethodPatch, object.ID, 1)
}

func ignoreChanges(t *testing.T, c *column) {
	u, object := c.aThing(t, m{"size": int64(2)}, m{"lifecycle": m{"ignoreChanges": []any{"size"}}})
	changed(t, c.world, api.Things, object.ID, m{"size": 7, "tags": m{"by": "hand"}})
	c.RequestReconcile(t, u)
	eventually(t, "the rest is changed back", func(ctx) bool { return len(is(t, c.world, api.Things, object.ID).Tags) == 0 })
	c.WaitReady(t, u)
	if got := is(t, c.world, api.Things, object.ID).Size; got != 7 {
		t.Errorf("the size is %d", got)
	}
}

func initProvider(t *testing.T, c *column) {
	u, object := c.aThing(t, m{}, m{"initProvider": m{"size": int64(4)}})
	if object.Size != 4 {
		t.Errorf("it is %+v", object)
	}
	changed(t, c.world, api.Things, object.ID, m{"size": 7})
	c.Reconcile(t, u)
	c.WaitReady(t, u)
	if got := is(t, c.world, api.Things, object.ID).Size; got != 7 {
		t.Errorf("the size is %d", got)
	}
	c.asked(t, http.MethodPatch, object.ID, 0)
}

func gone(t *testing.T, c *column) {
	u, object := c.aThing(t, m{})
	if err := cloudclient.Delete(t.Context(), c.hand, api.Things, object.ID); err != nil {
		t.Fatal(err)
	}
	c.RequestReconcile(t, u)
	eventually(t, "there is another", func(ctx) bool {
		all := named(t, c.world, api.Things, nameOf(t))
		return len(all) == 1 && all[0].ID != object.ID
	})
	c.WaitReady(t, u)
	c.asked(t, http.MethodPost, nameOf(t), 2)
}

func deletes(t *testing.T, c *column) {
	u, object := c.aThing(t, m{})
	c.Remove(t, u)
	if all := named(t, c.world, api.Things, nameOf(t)); len(all) > 0 {
		t.Errorf("there are %v", all)
	}
	c.forgotten(t, u)
	c.asked(t, http.MethodDelete, object.ID, 1)
}

func deleteGone(t *testing.T, c *column) {
	u, object := c.aThing(t, m{})
	if err := cloudclient.Delete(t.Context(), c.hand, api.Things, object.ID); err != nil {
		t.Fatal(err)
	}
	c.Remove(t, u)
	c.forgotten(t, u)
	c.asked(t, http.MethodPost, nameOf(t), 1)
}

func deleteRefused(t *testing.T, c *column) {
	u, object := c.aThing(t, m{})
	c.fault(t, api.Fault{
		On: api.OnDelete, Collection: string(api.Things), Match: map[string]string{"name": nameOf(t)}, Count: 2,
		Status: http.StatusForbidden,
	})
	if err := c.Delete(t.Context(), u); err != nil {
		t.Fatal(err)
	}
	c.WaitFor(t, u, "refused", func() bool {
		s, reason, message := condition(u, "LastAsyncOperation")
		return s == "False" && reason == "AsyncDeleteFailure" && strings.Contains(message, "403")
	})
	eventually(t, "it is gone", func(x ctx) bool { return kerrors.IsNotFound(c.Get(x, client.ObjectKeyFromObject(u), u)) })
	if all := named(t, c.world, api.Things, nameOf(t)); len(all) > 0 {
		t.Errorf("there are %v", all)
	}
	c.asked(t, http.MethodDelete, object.ID, 3)
}

func orphan(t *testing.T, c *column) {
	u, object := c.aThing(t, m{}, m{"managementPolicies": []any{"Observe", "Create", "Update"}})
	c.Remove(t, u)
	is(t, c.world, api.Things, object.ID)
	c.forgotten(t, u)
	c.asked(t, http.MethodDelete, object.ID, 0)
}

func configurations(t *testing.T, c *column) {
	config := c.object("ProviderConfig", nameOf(t), m{"endpoint": c.endpoint, "region": "eu-central-1"})
	c.MustCreate(t, config)
	ref := m{"providerConfigRef": m{"kind": "ProviderConfig", "name": config.GetName()}}
	here, object := c.aThing(t, m{}, ref)
	if object.Region != "eu-central-1" {
		t.Errorf("it is %+v", object)
	}
	// The region is from the configuration: changing this configuration moves the object, switching
	// to another one does not.
	c.MustPatch(t, config, `{"spec":{"region":"us-west-2"}}`)
	c.WaitFor(t, config, "seen by the controller", func() bool { return objecttest.Current(config) })
	next := c.object("Thing", nameOf(t)+"-next", m{
		"forProvider": m{"name": nameOf(t) + "-next"}, "providerConfigRef": ref["providerConfigRef"],
	})
	c.MustCreate(t, next)
	c.WaitReady(t, next)
	if got := c.only(t, next.GetName()); got.Region != "us-west-2" {
		t.Errorf("with the changed configuration it is %+v", got)
	}
	other := c.object("Thing", nameOf(t)+"-other", m{"forProvider": m{"name": nameOf(t) + "-other"}})
	c.MustCreate(t, other)
	c.WaitReady(t, other)
	if got := c.only(t, other.GetName()); got.Region != "us-east-1" {
		t.Errorf("with the other configuration it is %+v", got)
	}
	c.WaitReady(t, here)
	if got := c.only(t, nameOf(t)); got.ID != object.ID {
		t.Errorf("it was replaced: %+v", got)
	}
}

// order returns the methods of the writes about two objects and a name, in order.
func (c *column) order(ids ...string) []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, w := range c.writes {
		if slices.ContainsFunc(ids, func(id string) bool {
			return strings.HasSuffix(w.path, "/"+id) || strings.Contains(w.body, `"`+id+`"`)
		}) {
			out = append(out, w.method)
		}
	}
	return out
}

func replace(t *testing.T, c *column) {
	u, old := c.aThing(t, m{"region": "us-east-1"})
	c.MustPatch(t, u, `{"spec":{"forProvider":{"region":"us-west-2"}}}`)
	eventually(t, "there is another", func(ctx) bool {
		all := named(t, c.world, api.Things, nameOf(t))
		return len(all) == 1 && all[0].ID != old.ID
	})
	c.WaitReady(t, u)
	if got := c.only(t, nameOf(t)); got.Region != "us-west-2" || text(u, "status", "identity", "id") != got.ID {
		t.Errorf("it is %+v, identity %v", got, identityOf(u))
	}
	if diff := cmp.Diff([]string{http.MethodPost, http.MethodDelete, http.MethodPost}, c.order(nameOf(t), old.ID)); diff != "" {
		t.Errorf("order: %s", diff)
	}
}

func replaceCreateFirst(t *testing.T, c *column) {
	u, old := c.aThing(t, m{"region": "us-east-1"}, m{"lifecycle": m{"createBeforeDestroy": true}})
	c.MustPatch(t, u, `{"spec":{"forProvider":{"region":"us-west-2"}}}`)
	eventually(t, "there is another", func(ctx) bool {
		all := named(t, c.world, api.Things, nameOf(t))
		return len(all) == 1 && all[0].ID != old.ID
	})
	c.WaitFor(t, u, "rid of the old one", func() bool {
		return isTrue(u, "Ready", "Synced") && at(u, "status", "deposed") == nil && text(u, "status", "identity", "id") != old.ID
	})
	if got := c.only(t, nameOf(t)); got.Region != "us-west-2" || text(u, "status", "identity", "id") != got.ID {
		t.Errorf("it is %+v, identity %v", got, identityOf(u))
	}
	if diff := cmp.Diff([]string{http.MethodPost, http.MethodPost, http.MethodDelete}, c.order(nameOf(t), old.ID)); diff != "" {
		t.Errorf("order: %s", diff)
	}
}

func replaceNever(t *testing.T, c *column) {
	u, old := c.aThing(t, m{"region": "us-east-1"}, m{"lifecycle": m{"replacePolicy": "Never"}})
	c.MustPatch(t, u, `{"spec":{"forProvider":{"region":"us-west-2"}}}`)
	c.WaitFor(t, u, "planned", func() bool { return text(u, "status", "plan", "action") == "DeleteThenCreate" })
	if diff := cmp.Diff([]any{"region"}, at(u, "status", "plan", "requiresReplace")); diff != "" {
		t.Errorf("the plan requires it because of %s", diff)
	}
	c.Reconcile(t, u)
	is(t, c.world, api.Things, old.ID)
	c.asked(t, http.MethodDelete, old.ID, 0)
	c.MustPatch(t, u, `{"spec":{"lifecycle":{"replacePolicy":null}}}`)
	eventually(t, "there is another", func(ctx) bool {
		all := named(t, c.world, api.Things, nameOf(t))
		return len(all) == 1 && all[0].ID != old.ID
	})
	c.WaitReady(t, u)
}
