package provider_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
)

func TestMutableIdentity(t *testing.T) {
	eachForm(t, func(t *testing.T, c *core) {
		for _, plan := range []bool{true, false} {
			made := c.mustCreate("examplecloud_alias", values{"name": "a", "plan_identity": plan})
			id := c.state(made)["id"]
			want(t, "identity", values{"name": "a"}, c.identityOf(made))

			planned, config, err := c.plan(made, values{"name": "b", "plan_identity": plan})
			if err != nil {
				t.Fatal(err)
			}
			wantPlanned := "a"
			if plan {
				wantPlanned = "b"
			}
			want(t, "planned identity", values{"name": wantPlanned},
				c.identityOf(instance{typeName: made.typeName, identity: planned.PlannedIdentity}))
			if len(planned.RequiresReplace) > 0 {
				t.Errorf("a rename replaces: %s", planned.RequiresReplace)
			}
			if made, err = c.applyPlan(made, config, planned); err != nil {
				t.Fatal(err)
			}
			want(t, "identity after the rename", values{"name": "b"}, c.identityOf(made))
			want(t, "id after the rename", id, c.state(made)["id"])

			// It is renamed by another client.
			if _, err := client.Update(t.Context(), c.client, api.Aliases, id.(string), map[string]any{"name": "c"}); err != nil {
				t.Fatal(err)
			}
			if made, err = c.read(made); err != nil {
				t.Fatal(err)
			}
			want(t, "identity after the drift", values{"name": "c"}, c.identityOf(made))

			for name, act := range map[string]func() (instance, error){
				"id":       func() (instance, error) { return c.importID("examplecloud_alias", id.(string)) },
				"identity": func() (instance, error) { return c.importIdentity("examplecloud_alias", values{"name": "c"}) },
			} {
				imported, err := act()
				if err != nil {
					t.Fatal(name, err)
				}
				want(t, "identity imported by "+name, values{"name": "c"}, c.identityOf(imported))
				want(t, "id imported by "+name, id, c.state(imported)["id"])
			}
			if _, err := c.destroy(made); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestUnexpectedIdentityChange(t *testing.T) {
	const summary = "Unexpected Identity Change"
	eachForm(t, func(t *testing.T, c *core) {
		t.Run("read", func(t *testing.T) {
			made := c.mustCreate("examplecloud_nickname", values{"name": "r"})
			if _, err := client.Update(t.Context(), c.client, api.Nicknames, c.state(made)["id"].(string),
				map[string]any{"name": "r2"}); err != nil {
				t.Fatal(err)
			}
			_, err := c.read(made)
			wantError(t, err, summary)
			wantError(t, err, "During the read operation")
		})
		t.Run("update", func(t *testing.T) {
			made := c.mustCreate("examplecloud_nickname", values{"name": "u"})
			_, err := c.apply(made, values{"name": "u2"})
			wantError(t, err, summary)
			wantError(t, err, "During the update operation")
		})
		t.Run("planning", func(t *testing.T) {
			made := c.mustCreate("examplecloud_nickname", values{"name": "p", "plan_identity": true})
			_, _, err := c.plan(made, values{"name": "p2", "plan_identity": true})
			wantError(t, err, summary)
			wantError(t, err, "During the planning operation")
		})
		t.Run("none", func(t *testing.T) {
			made := c.mustCreate("examplecloud_nickname", values{"name": "n"})
			if _, err := c.apply(made, values{"name": "n", "target": "t"}); err != nil {
				t.Error(err)
			}
		})
	})
}

func TestImportSupport(t *testing.T) {
	eachForm(t, func(t *testing.T, c *core) {
		note := values{"name": "a", "text": "t"}
		byID, byIdentity, neither := c.mustCreate("examplecloud_id_import", note),
			c.mustCreate("examplecloud_identity_import", note), c.mustCreate("examplecloud_no_import", note)
		if c.identities["examplecloud_id_import"] != nil {
			t.Error("examplecloud_id_import has an identity")
		}
		id := func(i instance) string { return c.state(i)["id"].(string) }
		sdk := c.form == provider.SDKv2
		for name, test := range map[string]struct {
			object   instance
			identity bool
			sdk, fw  string // the error; none if ""
		}{
			"only id, by id":             {byID, false, "", ""},
			"only id, by identity":       {byID, true, "does not have an identity schema", "doesn't support identity"},
			"only identity, by id":       {byIdentity, false, "import by id is not supported", "Import by id is not supported"},
			"only identity, by identity": {byIdentity, true, "", ""},
			"none, by id":                {neither, false, "doesn't support import", "Resource Import Not Implemented"},
			"none, by identity":          {neither, true, "doesn't support import", "Resource Import Not Implemented"},
		} {
			t.Run(name, func(t *testing.T) {
				var got instance
				var err error
				if test.identity {
					got, err = c.importIdentity(test.object.typeName, values{"id": id(test.object)})
				} else {
					got, err = c.importID(test.object.typeName, id(test.object))
				}
				message := test.fw
				if sdk {
					message = test.sdk
				}
				if message != "" {
					wantError(t, err, message)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				want(t, "state", c.state(test.object), c.state(got))
			})
		}
	})
}

// TestFoundByIdentity proves that this type needs its identity in every call.
func TestFoundByIdentity(t *testing.T) {
	eachForm(t, func(t *testing.T, c *core) {
		made := c.mustCreate("examplecloud_identity_import", values{"name": "a"})
		without := made
		without.identity = nil
		for name, act := range map[string]func(instance) (instance, error){
			"read":   c.read,
			"update": func(i instance) (instance, error) { return c.apply(i, values{"name": "b"}) },
			"delete": c.destroy,
		} {
			_, err := act(without)
			if err == nil || !strings.Contains(err.Error(), "none was given") {
				t.Errorf("%s without an identity: %v", name, err)
			}
		}
		made, err := c.read(made)
		if err == nil {
			made, err = c.apply(made, values{"name": "c"})
		}
		if err == nil {
			_, err = c.destroy(made)
		}
		if err != nil {
			t.Error(err)
		}
	})
}

func TestOddImport(t *testing.T) {
	c := newCore(t, provider.SDKv2)
	made := c.mustCreate("examplecloud_odd_import", values{"name": "a"})
	id := c.state(made)["id"].(string)
	for name, test := range map[string]struct {
		id   string
		want []string // types
	}{
		"none":    {"none", nil},
		"several": {"several:" + id + "," + id, []string{"examplecloud_odd_import", "examplecloud_odd_import"}},
		"other":   {"other:" + id, []string{"examplecloud_id_import"}},
		"one":     {id, []string{"examplecloud_odd_import"}},
	} {
		t.Run(name, func(t *testing.T) {
			imported, err := c.server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{
				TypeName: "examplecloud_odd_import", ID: test.id,
			})
			if err != nil {
				t.Fatal(err)
			}
			c.must(nil, imported.Diagnostics)
			var types []string
			for _, one := range imported.ImportedResources {
				types = append(types, one.TypeName)
			}
			want(t, "types", test.want, types)
		})
	}
}

// A volume made with one release goes on with all later ones.
func TestUpgrade(t *testing.T) {
	eachForm(t, func(t *testing.T, latest *core) {
		for from := release.BeforeIdentity; from < release.Latest; from++ {
			for to := from + 1; to <= release.Latest; to++ {
				t.Run(from.String()+" to "+to.String(), func(t *testing.T) {
					old, next := latest.at(from, nil), latest.at(to, nil)
					var public any = true
					if from >= release.V1 {
						public = "true"
					}
					made := old.mustCreate("examplecloud_volume", values{"name": "v", "public": public})
					id := old.state(made)["id"]
					upgraded := instance{typeName: made.typeName, private: made.private}
					state, err := next.server.UpgradeResourceState(t.Context(), &tfprotov6.UpgradeResourceStateRequest{
						TypeName: made.typeName, Version: from.Version(), RawState: raw(t, old.state(made)),
					})
					next.must(err, state.Diagnostics)
					upgraded.state = state.UpgradedState

					wantIdentity := map[release.Release]values{
						release.V0: {"id": id, "public": true},
						release.V1: {"id": id, "public": "true"},
						release.V2: {"volume_id": id, "public": "true"},
					}
					if from.HasIdentity() {
						want(t, "old identity", wantIdentity[from], old.identityOf(made))
						identity, err := next.server.UpgradeResourceIdentity(t.Context(), &tfprotov6.UpgradeResourceIdentityRequest{
							TypeName: made.typeName, Version: from.Version(), RawIdentity: raw(t, old.identityOf(made)),
						})
						next.must(err, identity.Diagnostics)
						upgraded.identity = identity.UpgradedIdentity
						want(t, "upgraded identity", wantIdentity[to], next.identityOf(upgraded))
					} else if old.identities[made.typeName] != nil {
						t.Error("there is an identity before there was one")
					}
					read, err := next.read(upgraded)
					if err != nil {
						t.Fatal(err)
					}
					want(t, "state", next.state(upgraded), next.state(read))
					want(t, "identity", wantIdentity[to], next.identityOf(read))
					imported, err := next.importIdentity(made.typeName, wantIdentity[to])
					if err != nil {
						t.Fatal(err)
					}
					want(t, "imported", next.state(read), next.state(imported))
				})
			}
		}
	})
}

func TestUpgradeErrors(t *testing.T) {
	eachForm(t, func(t *testing.T, c *core) {
		for name, test := range map[string]struct {
			typeName string
			version  int64
			// What the framework and the SDK answer: an error, or an identity.
			framework, sdk any
		}{
			// The SDK leaves out what it cannot upgrade, and says nothing.
			"no upgrader":        {"volume_no_upgrader", 0, "Unable to Upgrade Resource Identity", values{"volume_id": nil, "public": "true"}},
			"no upgrader from 1": {"volume_no_upgrader", 1, "Unable to Upgrade Resource Identity", values{"volume_id": nil, "public": "true"}},
			"gap, from 0":        {"volume_upgrade_gap", 0, "Unable to Upgrade Resource Identity", values{"volume_id": nil, "public": "true"}},
			"gap, from 1": {
				"volume_upgrade_gap", 1, values{"volume_id": "v-1", "public": "true"}, values{
					"volume_id": "v-1", "public": "true",
				},
			},
			"fails": {"volume_upgrade_fails", 0, "Cannot upgrade the identity", "cannot upgrade the identity"},
			"partial": {
				"volume_upgrade_partial", 1, values{"volume_id": nil, "public": "true"}, values{
					"volume_id": nil, "public": "true",
				},
			},
			// It is for the caller to see what is wrong with these.
			"invalid": {"volume_upgrade_invalid", 1, values{"volume_id": "(unknown)", "public": nil}, values{"volume_id": nil, "public": nil}},
		} {
			t.Run(name, func(t *testing.T) {
				prior := map[int64]values{0: {"id": "v-1", "public": true}, 1: {"id": "v-1", "public": "true"}}[test.version]
				upgraded, err := c.server.UpgradeResourceIdentity(t.Context(), &tfprotov6.UpgradeResourceIdentityRequest{
					TypeName: "examplecloud_" + test.typeName, Version: test.version, RawIdentity: raw(t, prior),
				})
				if err != nil {
					t.Fatal(err)
				}
				answer := test.framework
				if c.form == provider.SDKv2 {
					answer = test.sdk
				}
				err = failed(nil, upgraded.Diagnostics)
				if message, ok := answer.(string); ok {
					wantError(t, err, message)
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				want(t, "identity", answer, any(c.identityOf(instance{typeName: "examplecloud_" + test.typeName, identity: upgraded.UpgradedIdentity})))
			})
		}
	})
}

// TestUpgradeNeedsConfiguration proves that the upgraders tell who forgets to configure.
func TestUpgradeNeedsConfiguration(t *testing.T) {
	for _, form := range provider.Forms {
		t.Run(string(form), func(t *testing.T) {
			server, err := form.Server(t.Context(), release.V2)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := server.UpgradeResourceIdentity(t.Context(), &tfprotov6.UpgradeResourceIdentityRequest{
				TypeName: "examplecloud_volume", Version: 1, RawIdentity: &tfprotov6.RawState{JSON: []byte(`{"id":"v-1","public":"true"}`)},
			})
			if err == nil {
				err = failed(nil, answer.Diagnostics)
			}
			wantError(t, err, "configured provider")
		})
	}
}

// TestMistakenRelease proves that its identity schema has the mistake.
func TestMistakenRelease(t *testing.T) {
	for _, form := range provider.Forms {
		t.Run(string(form), func(t *testing.T) {
			server, err := form.Server(t.Context(), release.Mistaken)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := server.GetResourceIdentitySchemas(t.Context(), &tfprotov6.GetResourceIdentitySchemasRequest{})
			if err == nil {
				err = failed(nil, answer.Diagnostics)
			}
			if form != provider.SDKv2 {
				wantError(t, err, `"public"`) // the framework sees it itself
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range answer.IdentitySchemas["examplecloud_volume"].IdentityAttributes {
				if a.Name == "public" && (a.RequiredForImport || a.OptionalForImport) {
					t.Errorf("%v says what an import needs", a)
				}
			}
			maps := 0
			for _, a := range answer.IdentitySchemas["examplecloud_volume_same_state"].IdentityAttributes {
				if a.Type.Is(tftypes.Map{}) {
					maps++
				}
			}
			if maps != 1 {
				t.Errorf("%d maps", maps)
			}
		})
	}
}
