package provider_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/sdkv2"
)

func want(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestSDKProviderIsValid(t *testing.T) {
	for r := release.BeforeIdentity; r <= release.Latest; r++ {
		if err := sdkv2.New(r).InternalValidate(); err != nil {
			t.Errorf("release %s: %s", r, err)
		}
	}
}

// Every form has the same resource types, identities and list resources, so that
// one test fits all.
func TestFormsAgree(t *testing.T) {
	for r := release.BeforeIdentity; r <= release.Latest; r++ {
		var types, lists, firstTypes, firstLists []string
		var identities, firstIdentities map[string]*tfprotov6.ResourceIdentitySchema
		for _, form := range provider.Forms {
			c := newCore(t, form).at(r, nil)
			schemas, err := c.server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
			c.must(err, schemas.Diagnostics)
			types = slices.Sorted(maps.Keys(c.schemas))
			lists = slices.Sorted(maps.Keys(schemas.ListResourceSchemas))
			identities = c.identities
			for _, s := range identities {
				slices.SortFunc(s.IdentityAttributes, func(a, b *tfprotov6.ResourceIdentitySchemaAttribute) int {
					if a.Name < b.Name {
						return -1
					}
					return 1
				})
			}
			if form == provider.SDKv2 {
				types = slices.DeleteFunc(types, func(name string) bool { return name == "examplecloud_odd_import" })
				delete(identities, "examplecloud_odd_import")
				firstTypes, firstLists, firstIdentities = types, lists, identities
				continue
			}
			want(t, "types of "+string(form), firstTypes, types)
			want(t, "lists of "+string(form), firstLists, lists)
			want(t, "identities of "+string(form), firstIdentities, identities)
		}
		if got := len(firstTypes); got != 18 {
			t.Errorf("%d resource types", got)
		}
	}
}

func TestThing(t *testing.T) {
	eachForm(t, func(t *testing.T, c *core) {
		made := c.mustCreate("examplecloud_thing", values{"name": "a", "tags": values{"x": "1", "y": "2"}})
		state := c.state(made)
		id := state["id"].(string)
		want(t, "state", values{"id": id, "region": "eu-central-1", "name": "a", "size": 1.0, "tags": values{"x": "1", "y": "2"}}, state)
		want(t, "identity", values{"id": id, "region": "eu-central-1"}, c.identityOf(made))

		made, err := c.apply(made, values{"name": "b", "size": 3, "tags": values{"x": "1"}})
		if err != nil {
			t.Fatal(err)
		}
		state = values{"id": id, "region": "eu-central-1", "name": "b", "size": 3.0, "tags": values{"x": "1"}}
		want(t, "updated state", state, c.state(made))
		want(t, "identity after update", values{"id": id, "region": "eu-central-1"}, c.identityOf(made))

		if _, err := client.Update(t.Context(), c.client, api.Things, id, map[string]any{"size": 9}); err != nil {
			t.Fatal(err)
		}
		read, err := c.read(made)
		if err != nil {
			t.Fatal(err)
		}
		state["size"] = 9.0
		want(t, "read state", state, c.state(read))

		gone, err := c.destroy(made)
		if err != nil || gone.state != nil {
			t.Fatalf("after destruction: %v, %v", c.state(gone), err)
		}
		if read, err := c.read(made); err != nil || read.state != nil {
			t.Errorf("read of nothing: %v, %v", c.state(read), err)
		}
		want(t, "audit", api.Counts{CreateRequests: 1, Creates: 1, Updates: 2, Deletes: 1}, c.counts("things"))
	})
}

func TestImportThing(t *testing.T) {
	eachForm(t, func(t *testing.T, c *core) {
		here := c.mustCreate("examplecloud_thing", values{"name": "here", "tags": values{"k": "v"}})
		there := c.mustCreate("examplecloud_thing", values{"name": "there", "region": "us-west-2", "tags": values{"k": "v"}})
		hereID, thereID := c.state(here)["id"].(string), c.state(there)["id"].(string)
		type result struct {
			state, identity values
		}
		found := func(i instance) *result { return &result{c.state(i), c.identityOf(i)} }
		for name, test := range map[string]struct {
			act  func() (instance, error)
			want *result // nil: not found
		}{
			"id":                   {func() (instance, error) { return c.importID("examplecloud_thing", hereID) }, found(here)},
			"id of another region": {func() (instance, error) { return c.importID("examplecloud_thing", thereID) }, nil},
			"identity": {func() (instance, error) {
				return c.importIdentity("examplecloud_thing", values{"id": thereID, "region": "us-west-2"})
			}, found(there)},
			"identity without region": {
				func() (instance, error) {
					return c.importIdentity("examplecloud_thing", values{"id": hereID})
				}, found(here),
			},
			"identity, region in capitals": {func() (instance, error) {
				return c.importIdentity("examplecloud_thing", values{"id": thereID, "region": "US-WEST-2"})
			}, found(there)},
			"identity, wrong region": {func() (instance, error) {
				return c.importIdentity("examplecloud_thing", values{"id": thereID, "region": "us-east-1"})
			}, nil},
			"identity of nothing": {func() (instance, error) {
				return c.importIdentity("examplecloud_thing", values{"id": "t-0", "region": "us-east-1"})
			}, nil},
		} {
			t.Run(name, func(t *testing.T) {
				got, err := test.act()
				// The framework wants an identity even of what it has just found to be gone.
				if name == "id of another region" && c.form != provider.SDKv2 {
					wantError(t, err, "Missing Resource Identity After Read")
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if got.state == nil {
					if test.want != nil {
						t.Error("not found")
					}
					return
				}
				if test.want == nil {
					t.Fatalf("found %v", c.state(got))
				}
				want(t, "state", test.want.state, c.state(got))
				want(t, "identity", test.want.identity, c.identityOf(got))
			})
		}
		want(t, "audit", api.Counts{CreateRequests: 2, Creates: 2, Live: 2, Orphans: 2}, c.counts("things"))
	})
}

var datastore = values{
	"hci_cluster_uuid": "0c0ffee0", "cluster_info": values{"id": "c-1", "name": "one"}, "name": "a",
}

var datastoreIdentity = values{"hci_cluster_uuid": "0c0ffee0", "cluster_info_id": "c-1", "name": "a"}

func (c *core) nativeID(i instance) any {
	if c.form == provider.SDKv2 {
		return c.state(i)["internal_id"]
	}
	return c.state(i)["id"]
}

func TestDatastore(t *testing.T) {
	eachForm(t, func(t *testing.T, c *core) {
		c.cloud.SetTaskDelay(30 * time.Millisecond)
		planned, config, err := c.plan(instance{typeName: "examplecloud_datastore"}, datastore)
		if err != nil {
			t.Fatal(err)
		}
		want(t, "planned identity", datastoreIdentity,
			c.identityOf(instance{typeName: "examplecloud_datastore", identity: planned.PlannedIdentity}))
		made, err := c.applyPlan(instance{typeName: "examplecloud_datastore"}, config, planned)
		if err != nil {
			t.Fatal(err)
		}
		want(t, "identity", datastoreIdentity, c.identityOf(made))
		live, err := client.Find(t.Context(), c.client, api.Datastores, map[string]string{"name": "a"})
		if err != nil {
			t.Fatal(err)
		}
		want(t, "id of the cloud", any(live.ID), c.nativeID(made))
		want(t, "status", any("online"), c.state(made)["status"])

		for name, act := range map[string]func() (instance, error){
			"id":       func() (instance, error) { return c.importID("examplecloud_datastore", "0c0ffee0/c-1/a") },
			"identity": func() (instance, error) { return c.importIdentity("examplecloud_datastore", datastoreIdentity) },
		} {
			imported, err := act()
			if err != nil {
				t.Fatal(name, err)
			}
			want(t, "state imported by "+name, c.state(made), c.state(imported))
			want(t, "identity imported by "+name, datastoreIdentity, c.identityOf(imported))
		}
		_, err = c.importID("examplecloud_datastore", "no-slashes")
		wantError(t, err, "<hci_cluster_uuid>/<cluster_info.id>/<name>")

		larger := maps.Clone(datastore)
		larger["capacity_gib"] = 20
		if made, err = c.apply(made, larger); err != nil {
			t.Fatal(err)
		}
		want(t, "capacity", any(20.0), c.state(made)["capacity_gib"])

		// A second one of the same name is refused, and leaves nothing behind.
		second, err := c.create("examplecloud_datastore", datastore)
		wantError(t, err, "one of the same name exists")
		if second.state != nil {
			t.Errorf("a refused creation left %v", c.state(second))
		}
		if _, err := c.destroy(made); err != nil {
			t.Fatal(err)
		}
		want(t, "audit", api.Counts{CreateRequests: 1, Conflicts: 1, Creates: 1, Updates: 1, Deletes: 1}, c.counts("datastores"))
	})
}

func TestDatastoreRequiresClusterInfo(t *testing.T) {
	for _, form := range []provider.Form{provider.Framework5, provider.Framework6} { // SDKv2 counts blocks on the other side
		c := newCore(t, form)
		_, _, err := c.plan(instance{typeName: "examplecloud_datastore"}, values{"name": "a", "hci_cluster_uuid": "u"})
		wantError(t, err, "cluster_info")
	}
}

// Creations that end in between leave what is known: state without the cloud's id,
// and the whole identity.
func TestInterruptedCreation(t *testing.T) {
	for name, test := range map[string]struct {
		fault     api.Fault
		stop      bool // cancel the call, while it polls
		wantError string
		// Whether the object is there, as far as the cloud is concerned.
		wantLive bool
	}{
		"task fails":  {fault: api.Fault{On: api.OnCreate, TaskOutcome: api.OutcomeFail}, wantError: "the create task failed"},
		"stopped":     {fault: api.Fault{On: api.OnCreate, TaskOutcome: api.OutcomeHang}, stop: true, wantError: "still runs: context canceled"},
		"answer lost": {fault: api.Fault{On: api.OnCreate, LoseAnswer: true}, wantError: "EOF", wantLive: true},
		"dropped":     {fault: api.Fault{On: api.OnCreate, Drop: true}, wantError: "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachForm(t, func(t *testing.T, c *core) {
				c.fault(test.fault)
				if test.stop {
					stoppable := *c
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					stoppable.ctx, c = ctx, &stoppable
					go func() {
						c.eventually("a task", func() bool { return c.counts("datastores").Running == 1 })
						time.Sleep(20 * time.Millisecond) // so that it is polled, at best
						cancel()
					}()
				}
				made, err := c.create("examplecloud_datastore", datastore)
				wantError(t, err, test.wantError)
				if made.state == nil {
					t.Fatal("no state")
				}
				if !c.value(made).IsFullyKnown() {
					t.Errorf("unknown values in %v", c.state(made))
				}
				want(t, "identity", datastoreIdentity, c.identityOf(made))
				if id := c.nativeID(made); id != nil && id != "" {
					t.Errorf("id of the cloud: %v", id)
				}
				if test.wantLive != (c.counts("datastores").Live == 1) {
					t.Errorf("audit: %+v", c.counts("datastores"))
				}
				c.cloud.ClearFaults()
				c.ctx = t.Context()
				read, err := c.read(made)
				if err != nil || test.wantLive != (read.state != nil) {
					t.Errorf("read: %v, %v", c.state(read), err)
				}
				// As it is tainted, it is deleted, and a creation under way is cancelled.
				if _, err := c.destroy(made); err != nil {
					t.Fatal(err)
				}
				if got := c.counts("datastores"); got.Live != 0 || got.Running != 0 {
					t.Errorf("audit after destruction: %+v", got)
				}
				if _, err := c.create("examplecloud_datastore", datastore); err != nil {
					t.Errorf("created again: %s", err)
				}
			})
		})
	}
}

// Creations that succeed, and whose object cannot be read afterwards, have not failed: what is
// known is left with a warning, and a read completes it.
func TestUnreadCreation(t *testing.T) {
	for name, fault := range map[string]api.Fault{
		"refused":    {On: api.OnRead, Status: 403},
		"not shown":  {On: api.OnCreate, VisibleAfter: api.Duration(time.Hour)},
		"never read": {On: api.OnRead, Status: 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			eachForm(t, func(t *testing.T, c *core) {
				for _, typeName := range []string{"examplecloud_datastore", "examplecloud_thing", "examplecloud_ticket"} {
					c.fault(fault)
					arguments := map[string]values{
						"examplecloud_datastore": datastore, "examplecloud_thing": {"name": "a"},
						"examplecloud_ticket": {"title": "a"},
					}[typeName]
					made, err := c.create(typeName, arguments)
					if err != nil {
						t.Fatalf("%s: %s", typeName, err)
					}
					if len(made.warnings) != 1 || !strings.Contains(made.warnings[0], "was created, but cannot be read") {
						t.Errorf("%s: warnings: %q", typeName, made.warnings)
					}
					if made.state == nil || !c.value(made).IsFullyKnown() || len(c.identityOf(made)) == 0 {
						t.Fatalf("%s: state %v, identity %v", typeName, c.state(made), c.identityOf(made))
					}
					if typeName == "examplecloud_datastore" {
						if id := c.nativeID(made); id != nil && id != "" {
							t.Errorf("id of the cloud: %v", id)
						}
					}
					c.cloud.ClearFaults()
					if name == "not shown" {
						continue // it is not shown for an hour
					}
					read, err := c.read(made)
					if err != nil || read.state == nil || c.state(read)["id"] == nil {
						t.Errorf("%s: read: %v, %v", typeName, c.state(read), err)
					}
					if typeName == "examplecloud_datastore" {
						want(t, "status", any("online"), c.state(read)["status"])
					}
				}
			})
		})
	}
}

// What has an id at once keeps it.
func TestInterruptedThing(t *testing.T) {
	eachForm(t, func(t *testing.T, c *core) {
		c.fault(api.Fault{On: api.OnCreate, TaskOutcome: api.OutcomeFail, Count: 1})
		made, err := c.create("examplecloud_thing", values{"name": "a"})
		wantError(t, err, "the create task failed")
		if c.state(made)["id"] == nil || !c.value(made).IsFullyKnown() {
			t.Errorf("state: %v", c.state(made))
		}
		want(t, "identity", values{"id": c.state(made)["id"], "region": "eu-central-1"}, c.identityOf(made))
		read, err := c.read(made)
		if err != nil || read.state != nil {
			t.Errorf("read: %v, %v", c.state(read), err)
		}
	})
}

func TestCreationTimeout(t *testing.T) {
	eachForm(t, func(t *testing.T, c *core) {
		c.fault(api.Fault{On: api.OnCreate, TaskOutcome: api.OutcomeHang, Count: 1})
		arguments := maps.Clone(datastore)
		arguments["timeouts"] = values{"create": "50ms"}
		_, err := c.create("examplecloud_datastore", arguments)
		wantError(t, err, "context deadline exceeded")
	})
}

func TestTicket(t *testing.T) {
	eachForm(t, func(t *testing.T, c *core) {
		// The answer is lost, and the request repeated: one ticket.
		c.fault(api.Fault{On: api.OnCreate, LoseAnswer: true, Count: 1})
		first := c.mustCreate("examplecloud_ticket", values{"title": "broken"})
		want(t, "audit", api.Counts{CreateRequests: 1, Repeats: 1, Creates: 1, Live: 1, Orphans: 1}, c.counts("tickets"))
		want(t, "identity", values{"id": c.state(first)["id"]}, c.identityOf(first))
		if c.state(first)["create_token"] == nil {
			t.Error("no token")
		}
		// A token of the configuration holds for as many creations as there are.
		arguments := values{"title": "broken", "create_token": "mine"}
		second, third := c.mustCreate("examplecloud_ticket", arguments), c.mustCreate("examplecloud_ticket", arguments)
		want(t, "ticket of the same token", c.state(second), c.state(third))
		if c.state(first)["id"] == c.state(second)["id"] {
			t.Error("two tokens made one ticket")
		}
		imported, err := c.importIdentity("examplecloud_ticket", c.identityOf(second))
		if err != nil {
			t.Fatal(err)
		}
		want(t, "imported", c.state(second)["create_token"], c.state(imported)["create_token"])
	})
}

func TestCredential(t *testing.T) {
	const digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" // of "abc"
	eachForm(t, func(t *testing.T, c *core) {
		made := c.mustCreate("examplecloud_credential", values{"name": "a", "password": "abc", "secret_wo": "abc", "secret_wo_version": 1})
		state := c.state(made)
		want(t, "digests", []any{digest, digest}, []any{state["password_sha256"], state["secret_sha256"]})
		want(t, "write-only value", nil, state["secret_wo"])
		if state["api_key"] == nil {
			t.Error("no API key")
		}
		for _, version := range []int{1, 2} {
			made, err := c.apply(made, values{"name": "b", "password": "abc", "secret_wo": "changed", "secret_wo_version": version})
			if err != nil {
				t.Fatal(err)
			}
			if sent := c.state(made)["secret_sha256"] != digest; sent != (version == 2) {
				t.Errorf("version %d: secret sent: %t", version, sent)
			}
			want(t, "API key", state["api_key"], c.state(made)["api_key"])
		}
		for _, a := range c.schemas["examplecloud_credential"].Block.Attributes {
			secret := slices.Contains([]string{"password", "secret_wo", "api_key"}, a.Name)
			if a.Sensitive != secret || a.WriteOnly != (a.Name == "secret_wo") {
				t.Errorf("%s: sensitive %t, write-only %t", a.Name, a.Sensitive, a.WriteOnly)
			}
		}
	})
}

func TestShapes(t *testing.T) {
	eachForm(t, func(t *testing.T, c *core) {
		arguments := values{
			"name": "a", "zones": []any{"z1", "z2"}, "levels": []any{0.25, 2.5}, "switches": []any{true, false}, "weight": 1.5, "active": true,
			"a_bool": false, "an_int64": 7, "a_float64": 0.1,
			"strings_list": []any{"b", "a"}, "strings_set": []any{"a", "b"}, "strings_map": values{"k": "v"},
			"single_block": values{"note": "n"},
			"list_block":   []any{values{"name": "x", "kind": "fancy", "numbers": []any{1, 2}, "deep_block": []any{values{"note": "d"}}}},
			"set_block":    []any{values{"name": "s"}},
		}
		more := map[provider.Form]values{
			provider.SDKv2: {
				"numbers_map": values{"k": 1}, "lists_list": []any{[]any{1}, []any{2, 3}}, "computed_block": []any{values{"note": "c"}},
			},
			provider.Framework5: {
				"a_number": 12, "anything": []any{"t", 1}, "map_of_lists": values{"k": []any{1}},
				"an_object": values{"key": "k", "value": 1}, "objects_list": []any{values{"key": "k"}},
			},
			provider.Framework6: {
				"anything":      "text",
				"single_nested": values{"name": "x", "deep": values{"k": values{"name": "y", "kind": "fancy"}}},
				"list_nested":   []any{values{"name": "x", "kind": "fancy"}}, "map_nested": values{"k": values{"name": "x", "kind": "fancy"}},
				"set_nested": []any{values{"name": "x"}, values{"name": "y"}},
			},
		}
		maps.Copy(arguments, more[c.form])
		made := c.mustCreate("examplecloud_shapes", arguments)
		wantIdentity := values{
			"id": c.state(made)["id"], "zones": []any{"z1", "z2"}, "levels": []any{0.25, 2.5},
			"switches": []any{true, false}, "weight": 1.5, "active": true,
		}
		want(t, "identity", wantIdentity, c.identityOf(made))
		read, err := c.read(made)
		if err != nil {
			t.Fatal(err)
		}
		want(t, "read state", c.state(made), c.state(read))
		planned, _, err := c.plan(read, arguments)
		if err != nil {
			t.Fatal(err)
		}
		want(t, "plan without a change", c.state(read), c.state(instance{typeName: "examplecloud_shapes", state: planned.PlannedState}))

		imported, err := c.importIdentity("examplecloud_shapes", values{"id": c.state(made)["id"]})
		if err != nil {
			t.Fatal(err)
		}
		want(t, "imported state", c.state(read), c.state(imported))
		want(t, "imported identity", wantIdentity, c.identityOf(imported))

		arguments["a_bool"] = true
		made, err = c.apply(read, arguments)
		if err != nil {
			t.Fatal(err)
		}
		want(t, "changed", any(true), c.state(made)["a_bool"])
		if read, err = c.read(made); err != nil {
			t.Fatal(err)
		}
		want(t, "read after the change", c.state(made), c.state(read))
	})
}

func TestList(t *testing.T) {
	eachForm(t, func(t *testing.T, c *core) {
		here := c.mustCreate("examplecloud_thing", values{"name": "here", "tags": values{"k": "v"}})
		c.mustCreate("examplecloud_thing", values{"name": "there", "region": "us-west-2"})
		store := c.mustCreate("examplecloud_datastore", datastore)
		ticket := c.mustCreate("examplecloud_ticket", values{"title": "t", "create_token": "mine"})
		c.mustCreate("examplecloud_ticket", values{"title": "t"})
		volume := c.mustCreate("examplecloud_volume", values{"name": "v"})
		for name, test := range map[string]struct {
			object instance
			filter values
		}{
			"thing":     {here, values{"region": "eu-central-1"}},
			"datastore": {store, values{"cluster_info_id": "c-1", "name": "a"}},
			"ticket":    {ticket, values{"create_token": "mine"}},
			"volume":    {volume, nil},
		} {
			t.Run(name, func(t *testing.T) {
				all := c.list(test.object.typeName, test.filter, 0)
				if len(all) != 1 {
					t.Fatalf("%d objects", len(all))
				}
				want(t, "identity", c.identityOf(test.object), c.identityOf(all[0]))
				created, found := c.state(test.object), c.state(all[0])
				// They are not configured; the SDK writes that in another way in lists.
				delete(created, "timeouts")
				delete(found, "timeouts")
				want(t, "state", created, found)
			})
		}
		if got := len(c.list("examplecloud_thing", nil, 0)); got != 2 {
			t.Errorf("%d things", got)
		}
		if got := len(c.list("examplecloud_thing", nil, 1)); got != 1 {
			t.Errorf("%d things, with a limit of 1", got)
		}
	})
}

func (c *core) list(typeName string, filter values, limit int64) []instance {
	c.t.Helper()
	schemas, err := c.server.GetProviderSchema(c.t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	c.must(err, schemas.Diagnostics)
	lister, ok := c.server.(tfprotov6.ListResourceServer)
	if !ok {
		c.t.Fatal("the server cannot list")
	}
	stream, err := lister.ListResource(c.t.Context(), &tfprotov6.ListResourceRequest{
		TypeName: typeName, Config: c.encode(block(schemas.ListResourceSchemas[typeName].Block, filter)), IncludeResource: true, Limit: limit,
	})
	c.must(err, nil)
	var all []instance
	for result := range stream.Results {
		c.must(nil, result.Diagnostics)
		all = append(all, instance{typeName: typeName, state: result.Resource, identity: result.Identity})
	}
	return all
}

func TestProviderConfiguration(t *testing.T) {
	eachForm(t, func(t *testing.T, c *core) {
		server, err := c.form.Server(t.Context(), release.Latest)
		if err != nil {
			t.Fatal(err)
		}
		schemas, err := server.GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
		c.must(err, schemas.Diagnostics)
		for _, a := range schemas.Provider.Block.Attributes {
			if a.Sensitive != (a.Name == "token") {
				t.Errorf("%s is sensitive: %t", a.Name, a.Sensitive)
			}
		}
		config := c.encode(block(schemas.Provider.Block, values{"endpoint": "nowhere"}))
		configured, err := server.ConfigureProvider(t.Context(), &tfprotov6.ConfigureProviderRequest{Config: config})
		if err != nil {
			t.Fatal(err)
		}
		wantError(t, failed(nil, configured.Diagnostics), `endpoint "nowhere" is not an http or https URL`)
	})
}

// TestRecord tests that faults of the cloud come through.
func TestRecord(t *testing.T) {
	eachForm(t, func(t *testing.T, c *core) {
		fields := values{"name": "a", "value": "b", "lines": []any{"x", "y"}, "rules": []any{values{"port": 1, "protocol": "tcp"}}}
		made := c.mustCreate("examplecloud_record", fields)
		want(t, "identity", values{"id": c.state(made)["id"]}, c.identityOf(made))
		fields["value"] = "c"
		made, err := c.apply(made, fields)
		if err != nil {
			t.Fatal(err)
		}
		read, err := c.read(made)
		if err != nil {
			t.Fatal(err)
		}
		want(t, "read state", c.state(made), c.state(read))
		if _, err := c.destroy(made); err != nil {
			t.Fatal(err)
		}

		c.fault(api.Fault{On: api.OnCreate, VisibleAfter: api.Duration(time.Hour), Count: 1})
		hidden, err := c.create("examplecloud_record", values{"name": "hidden"})
		if c.form == provider.SDKv2 && err != nil || hidden.state != nil {
			t.Errorf("without an error there is no state: %v, %v", hidden.state, err)
		} else if c.form != provider.SDKv2 {
			wantError(t, err, "Missing Resource State After Create")
		}

		c.fault(api.Fault{On: api.OnRead, Status: 503})
		partial, err := c.create("examplecloud_record", values{"name": "partial"})
		if err != nil {
			t.Fatal(err)
		}
		if state := c.state(partial); state["id"] == nil || state["serial"] != nil {
			t.Errorf("partial state: %v", state)
		}
	})
}
