package engine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

func TestVectorsIdentity(t *testing.T) {
	const invalid, mismatch = "Provider produced invalid identity", "Provider produced an identity that doesn't match the schema"
	a := object(map[string]cty.Value{"o": str("a")})
	b := object(map[string]cty.Value{"o": str("b")})
	partly := cty.ObjectVal(map[string]cty.Value{"id": unknown, "region": str("eu")})
	whole := cty.UnknownVal(thing().IdentityType())
	falseID, err := ctymsgpack.Marshal(cty.ObjectVal(map[string]cty.Value{"id": cty.False}), cty.Object(map[string]cty.Type{"id": cty.Bool}))
	if err != nil {
		t.Fatal(err)
	}

	t.Run("a read adds an identity (V87)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.answersRead(a, "p", identity("foo"))
		in := f.existing(a, cty.NilVal, "p")
		in.IdentityVersion = 0
		out, diags := f.refresh(in)
		wantNoErrors(t, diags)
		wantEqual(t, "identity sent", last[*tfprotov6.ReadResourceRequest](f).CurrentIdentity != nil, false)
		wantValue(t, "identity", out.Instance.Identity, identity("foo"))
		wantEqual(t, "identity version", out.Instance.IdentityVersion, 2)
		wantEqual(t, "unchanged", out.Unchanged, false)
	})

	t.Run("a read changes the identity (V88)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.answersRead(a, "p", identity("bar"))
		out, diags := f.refresh(f.existing(a, identity("foo"), "p"))
		wantNoErrors(t, diags)
		wantValue(t, "identity sent", f.decIdentity(last[*tfprotov6.ReadResourceRequest](f).CurrentIdentity), identity("foo"))
		wantValue(t, "identity", out.Instance.Identity, identity("bar"))
	})

	t.Run("an identity with unknown values is an error (V91)", func(t *testing.T) {
		for name, id := range map[string]cty.Value{"partly": partly, "whole": whole} {
			t.Run(name, func(t *testing.T) {
				f := newFixture(t, thing())
				f.answersRead(a, "p", id)
				in := f.existing(a, identity("1"), "p")
				out, diags := f.refresh(in)
				wantError(t, diags, invalid)
				f.wantUntouched(in, out)

				f.answersApply(b, "q", id, nil)
				changed, diags := f.change(in, b)
				wantError(t, diags, invalid)
				wantValue(t, "state", changed.State, b)
				wantValue(t, "identity", changed.Identity, identity("1"))
				created, diags := f.create(a)
				wantError(t, diags, invalid)
				wantEqual(t, "status", created.Status, instance.Tainted)
				wantEqual(t, "has identity", created.HasIdentity(), false)

				f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
					return &tfprotov6.PlanResourceChangeResponse{PlannedState: r.ProposedNewState, PlannedIdentity: f.encIdentity(id)}, nil
				}
				_, diags = f.plan(in, b)
				wantError(t, diags, invalid)
				_, diags = f.plan(in, a)
				wantError(t, diags, invalid)
			})
		}
	})

	t.Run("a planned identity may be unknown (V92)", func(t *testing.T) {
		for name, id := range map[string]cty.Value{"partly": partly, "whole": whole} {
			t.Run(name, func(t *testing.T) {
				f := newFixture(t, thing())
				f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
					return &tfprotov6.PlanResourceChangeResponse{
						PlannedState: r.ProposedNewState, PlannedIdentity: f.encIdentity(id),
						RequiresReplace: paths("o"),
					}, nil
				}
				f.answersApply(a, "p", identity("new"), nil)
				out, diags := f.create(a)
				wantNoErrors(t, diags)
				wantValue(t, "identity sent", f.decIdentity(last[*tfprotov6.ApplyResourceChangeRequest](f).PlannedIdentity), id)
				wantValue(t, "identity", out.Identity, identity("new"))
				p, diags := f.plan(out, b)
				wantNoErrors(t, diags)
				wantEqual(t, "action", p.Action, terraform.DeleteThenCreate)
				wantValue(t, "planned identity", p.Identity, id)
			})
		}
	})

	t.Run("an identity of another type is an error (V93)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
			return &tfprotov6.PlanResourceChangeResponse{PlannedState: r.ProposedNewState, PlannedIdentity: &tfprotov6.ResourceIdentityData{
				IdentityData: &tfprotov6.DynamicValue{MsgPack: falseID},
			}}, nil
		}
		_, diags := f.plan(instance.Instance{}, a)
		wantError(t, diags, mismatch)
		_, diags = f.plan(f.existing(a, identity("1"), "p"), b)
		wantError(t, diags, mismatch)
	})

	t.Run("a planned identity may have nulls (V94)", func(t *testing.T) {
		nothing := cty.ObjectVal(map[string]cty.Value{"id": null, "region": null})
		f := newFixture(t, thing())
		f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
			return &tfprotov6.PlanResourceChangeResponse{PlannedState: r.ProposedNewState, PlannedIdentity: f.encIdentity(nothing)}, nil
		}
		p, diags := f.plan(instance.Instance{}, a)
		wantNoErrors(t, diags)
		wantValue(t, "planned identity", p.Identity, nothing)
	})

	t.Run("an apply without an identity clears it (V95)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.answersApply(b, "p", cty.NilVal, nil)
		out, diags := f.change(f.existing(a, identity("1"), "p"), b)
		wantNoErrors(t, diags)
		wantEqual(t, "has identity", out.HasIdentity(), false)
	})

	t.Run("an identity of an earlier version is upgraded (V96)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Identity = func(*tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
			return &tfprotov6.UpgradeResourceIdentityResponse{UpgradedIdentity: f.encIdentity(identity("new"))}, nil
		}
		out, diags := f.refresh(
			f.stored(
				`{"version":1,"status":"Full","schemaVersion":1,"state":{"o":"a"},"identitySchemaVersion":1,"identity":{"arn":"<old>"}}`,
			),
		)
		wantNoErrors(t, diags)
		request := last[*tfprotov6.UpgradeResourceIdentityRequest](f)
		wantEqual(t, "version sent", request.Version, 1)
		wantEqual(t, "JSON sent", string(request.RawIdentity.JSON), `{"arn":"<old>"}`)
		wantValue(t, "identity read", f.decIdentity(last[*tfprotov6.ReadResourceRequest](f).CurrentIdentity), identity("new"))
		wantValue(t, "identity", out.Instance.Identity, identity("new"))
		wantEqual(t, "identity version", out.Instance.IdentityVersion, 2)
		wantEqual(t, "unchanged", out.Unchanged, false)
	})

	t.Run("a failed upgrade of an identity stops (V97)", func(t *testing.T) {
		const stored = `{"version":1,"status":"Full","schemaVersion":1,"state":{"o":"a"},"identitySchemaVersion":1,"identity":{"arn":"old"}}`
		for name, test := range map[string]struct {
			answer  *tfprotov6.UpgradeResourceIdentityResponse
			summary string
		}{
			"error": {
				&tfprotov6.UpgradeResourceIdentityResponse{
					Diagnostics: providerError("Unable to Upgrade Resource Identity", ""),
				}, "Unable to Upgrade Resource Identity",
			},
			"absent": {&tfprotov6.UpgradeResourceIdentityResponse{}, "Invalid resource identity upgrade"},
			"unknown": {
				&tfprotov6.UpgradeResourceIdentityResponse{
					UpgradedIdentity: newFixture(t, thing()).encIdentity(partly),
				}, "Invalid resource identity upgrade",
			},
			"wrong type": {&tfprotov6.UpgradeResourceIdentityResponse{UpgradedIdentity: &tfprotov6.ResourceIdentityData{
				IdentityData: &tfprotov6.DynamicValue{MsgPack: falseID}}}, "Invalid resource identity upgrade"},
			"all is null": {&tfprotov6.UpgradeResourceIdentityResponse{UpgradedIdentity: newFixture(t, thing()).encIdentity(
				cty.ObjectVal(map[string]cty.Value{"id": null, "region": null}))}, "Invalid resource identity upgrade"},
			"null": {&tfprotov6.UpgradeResourceIdentityResponse{UpgradedIdentity: newFixture(t, thing()).encIdentity(
				cty.NullVal(thing().IdentityType()))}, "Invalid resource identity upgrade"},
		} {
			t.Run(name, func(t *testing.T) {
				f := newFixture(t, thing())
				f.Identity = func(*tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
					return test.answer, nil
				}
				in := f.stored(stored)
				out, diags := f.refresh(in)
				wantError(t, diags, test.summary)
				wantEqual(t, "of the identity's upgrade", out.IdentityUpgrade, true)
				f.wantUntouched(in, out)
				wantEqual(t, "reads", count[*tfprotov6.ReadResourceRequest](f), 0)
				// Byte for byte, if it is stored all the same.
				again, err := instance.Encode(out.Instance, f.resource.Schema)
				if err != nil {
					t.Fatal(err)
				}
				if !strings.HasSuffix(string(again), `"identitySchemaVersion":1,"identity":{"arn":"old"}}`) {
					t.Errorf("stored: %s", again)
				}
			})
		}
	})

	const stored = `{"version":1,"status":"Full","schemaVersion":1,"state":{"o":"a"},"identitySchemaVersion":1,"identity":%s}`
	// What the legacy SDK answers without an upgrader: what the schema still has of the stored
	// identity.
	leaveOut := func(f *fixture) func(*tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
		return func(r *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
			var given map[string]string
			if err := json.Unmarshal(r.RawIdentity.JSON, &given); err != nil {
				return nil, err
			}
			left := map[string]cty.Value{"id": null, "region": null}
			for name := range left {
				if v, ok := given[name]; ok {
					left[name] = str(v)
				}
			}
			return &tfprotov6.UpgradeResourceIdentityResponse{UpgradedIdentity: f.encIdentity(cty.ObjectVal(left))}, nil
		}
	}

	t.Run("a missing upgrader is named", func(t *testing.T) {
		for name, identity := range map[string]string{
			"a required attribute is null": `{"arn":"old","region":"eu"}`,
			"all attributes are null":      `{"arn":"old"}`,
		} {
			t.Run(name, func(t *testing.T) {
				f := newFixture(t, thing())
				f.Identity = leaveOut(f)
				in := f.stored(fmt.Sprintf(stored, identity))
				out, diags := f.refresh(in)
				for _, part := range []string{"no upgrader", "from version 1 to version 2", "test_thing", `the attribute "id"`} {
					if !strings.Contains(diags.String(), part) {
						t.Errorf("%q is not in: %s", part, diags)
					}
				}
				f.wantUntouched(in, out)
				wantEqual(t, "reads", count[*tfprotov6.ReadResourceRequest](f), 0)
			})
		}
		r := thing()
		r.Identity.Attributes["id"] = &schema.IdentityAttribute{Type: cty.String, OptionalForImport: true}
		f := newFixture(t, r)
		f.Identity = leaveOut(f)
		out, diags := f.refresh(f.stored(fmt.Sprintf(stored, `{"arn":"old","region":"eu"}`)))
		wantNoErrors(t, diags) // what an import does not require may be null
		wantValue(t, "identity", out.Instance.Identity, cty.ObjectVal(map[string]cty.Value{"id": null, "region": str("eu")}))
		_, diags = f.refresh(f.stored(fmt.Sprintf(stored, `{"arn":"old"}`)))
		if !strings.Contains(diags.String(), "all attributes are null") {
			t.Errorf("an identity of nothing: %s", diags)
		}
	})

	// An upgrader sets all attributes to either null or known values. What it does not know, a read
	// completes.
	t.Run("an upgrader may leave a required attribute null", func(t *testing.T) {
		change := providerError("Unexpected Identity Change", "The identity is another.")
		upgraded := cty.ObjectVal(map[string]cty.Value{"id": null, "region": str("eu")})
		for name, test := range map[string]struct {
			// strict is whether the provider refuses a read whose answer has another identity than
			// the request.
			strict bool
			read   cty.Value
			want   cty.Value // the identity in the end
			fails  string
			reads  int
		}{
			"it stays null": {strict: true, read: upgraded, want: upgraded, reads: 1},
			"a read completes it": {
				read: cty.ObjectVal(map[string]cty.Value{"id": str("1"), "region": str("eu")}),
				want: cty.ObjectVal(map[string]cty.Value{"id": str("1"), "region": str("eu")}), reads: 1,
			},
			"a read that is refused completes it": {
				strict: true, read: cty.ObjectVal(map[string]cty.Value{"id": str("1"), "region": str("eu")}),
				want: cty.ObjectVal(map[string]cty.Value{"id": str("1"), "region": str("eu")}), reads: 2,
			},
			"a read has another one": {
				strict: true, read: cty.ObjectVal(map[string]cty.Value{"id": str("1"), "region": str("us")}),
				fails: "Unexpected Identity Change", reads: 2,
			},
		} {
			t.Run(name, func(t *testing.T) {
				f := newFixture(t, thing())
				f.Identity = func(*tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
					return &tfprotov6.UpgradeResourceIdentityResponse{UpgradedIdentity: f.encIdentity(upgraded)}, nil
				}
				f.Read = func(r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
					out := &tfprotov6.ReadResourceResponse{NewState: r.CurrentState, NewIdentity: f.encIdentity(test.read)}
					if test.strict && r.CurrentIdentity != nil && !f.decIdentity(r.CurrentIdentity).RawEquals(test.read) {
						out.Diagnostics = change
					}
					return out, nil
				}
				in := f.stored(fmt.Sprintf(stored, `{"arn":"old"}`))
				out, diags := f.refresh(in)
				wantEqual(t, "reads", count[*tfprotov6.ReadResourceRequest](f), test.reads)
				if test.fails != "" {
					wantError(t, diags, test.fails)
					f.wantUntouched(in, out)
					return
				}
				wantNoErrors(t, diags)
				wantValue(t, "identity", out.Instance.Identity, test.want)
				wantEqual(t, "identity version", out.Instance.IdentityVersion, 2)
			})
		}
	})

	t.Run("an identity of a later version is refused (V98)", func(t *testing.T) {
		f := newFixture(t, thing())
		in := f.stored(`{"version":1,"status":"Full","schemaVersion":1,"state":{"o":"a"},"identitySchemaVersion":3,"identity":{"id":"new"}}`)
		out, diags := f.refresh(in)
		wantError(t, diags, "Resource instance managed by newer provider version")
		wantEqual(t, "of the identity's upgrade", out.IdentityUpgrade, true)
		wantEqual(t, "reads", count[*tfprotov6.ReadResourceRequest](f), 0)
		f.wantUntouched(in, out)
		// The same if the provider has no identities any more, unless the version is 0.
		r := thing()
		r.Identity = nil
		f = newFixture(t, r)
		_, diags = f.refresh(
			f.stored(
				`{"version":1,"status":"Full","schemaVersion":1,"state":{"o":"a"},"identitySchemaVersion":3,"identity":{"id":"new"}}`,
			),
		)
		wantError(t, diags, "Resource instance managed by newer provider version")
		_, diags = f.refresh(f.stored(`{"version":1,"status":"Full","schemaVersion":1,"state":{"o":"a"},"identity":{"id":"new"}}`))
		wantNoErrors(t, diags)
	})

	t.Run("no identity is not upgraded (V99)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.answersRead(a, "", identity("1"))
		out, diags := f.refresh(f.stored(`{"version":1,"status":"Full","schemaVersion":1,"state":{"o":"a"}}`))
		wantNoErrors(t, diags)
		wantEqual(t, "identity upgrades", count[*tfprotov6.UpgradeResourceIdentityRequest](f), 0)
		wantValue(t, "identity", out.Instance.Identity, identity("1"))
	})

	t.Run("an identity that does not fit its schema is an error (V100)", func(t *testing.T) {
		f := newFixture(t, thing())
		in := f.stored(`{"version":1,"status":"Full","schemaVersion":1,"state":{"o":"a"},"identitySchemaVersion":2,"identity":{"arn":"x"}}`)
		out, diags := f.refresh(in)
		wantError(t, diags, "failed to decode identity")
		wantEqual(t, "identity upgrades", count[*tfprotov6.UpgradeResourceIdentityRequest](f), 0)
		f.wantUntouched(in, out)
	})

	t.Run("a provider without identities (V101)", func(t *testing.T) {
		r := thing()
		r.Identity = nil // as with a provider without GetResourceIdentitySchemas
		f := newFixture(t, r)
		in, diags := f.create(a)
		wantNoErrors(t, diags)
		refreshed, diags := f.refresh(in)
		wantNoErrors(t, diags)
		in, diags = f.change(refreshed.Instance, b)
		wantNoErrors(t, diags)
		if _, diags = f.destroy(in); diags.HasErrors() {
			t.Fatal(diags)
		}
		for _, c := range f.Calls() {
			switch c := c.(type) {
			case *tfprotov6.ReadResourceRequest:
				wantEqual(t, "identity sent to read", c.CurrentIdentity != nil, false)
			case *tfprotov6.PlanResourceChangeRequest:
				wantEqual(t, "identity sent to plan", c.PriorIdentity != nil, false)
			case *tfprotov6.ApplyResourceChangeRequest:
				wantEqual(t, "identity sent to apply", c.PlannedIdentity != nil, false)
			case *tfprotov6.UpgradeResourceIdentityRequest:
				t.Error("an identity was upgraded")
			}
		}
	})

	t.Run("a delete gets the identity (V103)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Plan = func(*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
			return &tfprotov6.PlanResourceChangeResponse{
				PlannedState: f.enc(cty.NullVal(f.resource.Schema.ImpliedType())), PlannedPrivate: []byte("planned"),
			}, nil
		}
		if _, diags := f.destroy(f.existing(a, identity("1"), "p")); diags.HasErrors() {
			t.Fatal(diags)
		}
		plan, apply := last[*tfprotov6.PlanResourceChangeRequest](f), last[*tfprotov6.ApplyResourceChangeRequest](f)
		none := cty.NullVal(f.resource.Schema.ImpliedType())
		wantValue(t, "proposed", f.dec(plan.ProposedNewState), none)
		wantValue(t, "config", f.dec(plan.Config), none)
		wantValue(t, "prior identity", f.decIdentity(plan.PriorIdentity), identity("1"))
		wantEqual(t, "prior private", string(plan.PriorPrivate), "p")
		wantValue(t, "planned state", f.dec(apply.PlannedState), none)
		wantValue(t, "config applied", f.dec(apply.Config), none)
		wantValue(t, "prior applied", f.dec(apply.PriorState), a)
		wantEqual(t, "planned private", string(apply.PlannedPrivate), "planned")
		wantValue(t, "planned identity", f.decIdentity(apply.PlannedIdentity), identity("1"))
	})

	// The framework answers an update with the identity that it rejects, and the legacy SDK with
	// none; the state is updated all the same.
	t.Run("unexpected change in an update", func(t *testing.T) {
		for name, test := range map[string]struct {
			id    cty.Value
			diags []*tfprotov6.Diagnostic
		}{
			"framework":  {identity("2"), providerError("Unexpected Identity Change", "During the update operation, …")},
			"legacy SDK": {cty.NilVal, providerError("Unexpected Identity Change: During the update operation, …", "")},
		} {
			t.Run(name, func(t *testing.T) {
				f := newFixture(t, thing())
				f.answersApply(b, "q", test.id, test.diags)
				out, diags := f.change(f.existing(a, identity("1"), "p"), b)
				wantEqual(t, "recognized", terraform.UnexpectedIdentityChange(diags), true)
				wantValue(t, "state", out.State, b)
				wantValue(t, "identity", out.Identity, identity("1"))
				f.Read = func(r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
					return &tfprotov6.ReadResourceResponse{NewState: r.CurrentState, NewIdentity: r.CurrentIdentity, Private: r.Private}, nil
				}
				refreshed, diags := f.refresh(out)
				wantNoErrors(t, diags)
				wantValue(t, "identity sent", f.decIdentity(last[*tfprotov6.ReadResourceRequest](f).CurrentIdentity), identity("1"))
				wantEqual(t, "unchanged", refreshed.Unchanged, true)
			})
		}
		for name, diags := range map[string][]*tfprotov6.Diagnostic{
			"another error": providerError("It failed", "Unexpected Identity Change"),
			"a warning":     {{Severity: tfprotov6.DiagnosticSeverityWarning, Summary: "Unexpected Identity Change"}},
		} {
			if terraform.UnexpectedIdentityChange(diagnostic.FromProtocol(diags)) {
				t.Errorf("%s is taken for it", name)
			}
		}
	})

	t.Run("a stored identity that lacks attributes is told of", func(t *testing.T) {
		for name, test := range map[string]struct {
			identity cty.Value
			want     bool
		}{"partial": {identity("1"), true}, "whole": {cty.ObjectVal(map[string]cty.Value{"id": str("1"), "region": str("eu")}), false}} {
			t.Run(name, func(t *testing.T) {
				f := newFixture(t, thing())
				f.Read = func(*tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
					return &tfprotov6.ReadResourceResponse{Diagnostics: providerError("Unexpected Identity Change", "During the read operation, …")}, nil
				}
				in := f.existing(a, test.identity, "p")
				out, diags := f.refresh(in)
				f.wantUntouched(in, out)
				wantEqual(t, "explained", terraform.IdentityIncomplete(diags), test.want)
				wantEqual(t, "names the attribute",
					strings.Contains(diags.String(), "no value for region of the identity schema, version 2"),
					test.want)
				f.Plan = func(*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
					return &tfprotov6.PlanResourceChangeResponse{
						Diagnostics: providerError("Unexpected Identity Change: During the planning operation, …", ""),
					}, nil
				}
				_, diags = f.plan(in, b)
				wantEqual(t, "explained of a plan", terraform.IdentityIncomplete(diags), test.want)
			})
		}
	})

	t.Run("identity without a schema", func(t *testing.T) {
		r := thing()
		r.Identity = nil
		f := newFixture(t, r)
		data := &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: falseID}}
		f.Read = func(*tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
			return &tfprotov6.ReadResourceResponse{NewState: f.enc(a), NewIdentity: data}, nil
		}
		in := f.existing(a, cty.NilVal, "p")
		out, diags := f.refresh(in)
		wantError(t, diags, mismatch)
		f.wantUntouched(in, out)
	})
}
