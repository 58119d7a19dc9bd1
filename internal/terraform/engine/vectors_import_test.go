package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// imports sets the objects of the server's answer to an import.
func (f *fixture) imports(objects ...*tfprotov6.ImportedResource) {
	f.Import = func(*tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
		return &tfprotov6.ImportResourceStateResponse{ImportedResources: objects}, nil
	}
}

func (f *fixture) imported(state, id cty.Value, private string) *tfprotov6.ImportedResource {
	out := &tfprotov6.ImportedResource{TypeName: "test_thing", State: f.enc(state), Private: []byte(private)}
	if id != cty.NilVal {
		out.Identity = f.encIdentity(id)
	}
	return out
}

func (f *fixture) importBy(target terraform.ImportTarget) (instance.Instance, string, string) {
	f.Helper()
	out, diags := f.engine.Import(f.Context(), f.resource, target)
	if diags.HasErrors() {
		if out.Exists() || out.HasIdentity() || len(out.Private) > 0 {
			f.Errorf("a failed import returned %#v", out)
		}
		return out, diags.Errors()[0].Summary, diags.String()
	}
	return out, "", ""
}

func TestVectorsImport(t *testing.T) {
	a := object(map[string]cty.Value{"o": str("a")})
	none := cty.NullVal(thing().ImpliedType())
	byID := terraform.ImportTarget{ID: "1"}
	byIdentity := terraform.ImportTarget{Identity: identity("1")}

	t.Run("an import needs an id or an identity (V104)", func(t *testing.T) {
		f := newFixture(t, thing())
		for name, test := range map[string]struct {
			target  terraform.ImportTarget
			summary string
		}{
			"empty id":      {terraform.ImportTarget{}, "Invalid import id argument"},
			"both":          {terraform.ImportTarget{ID: "1", Identity: identity("1")}, "Invalid import block"},
			"null identity": {terraform.ImportTarget{Identity: cty.NullVal(thing().IdentityType())}, "Invalid import identity argument"},
			"unknown identity": {
				terraform.ImportTarget{Identity: cty.ObjectVal(map[string]cty.Value{"id": unknown, "region": null})},
				"Invalid import identity argument",
			},
			"marked identity": {terraform.ImportTarget{Identity: identity("1").Mark("sensitive")}, "Invalid import identity"},
			"no object":       {terraform.ImportTarget{Identity: str("1")}, "Incorrect value type"},
		} {
			t.Run(name, func(t *testing.T) {
				_, summary, _ := f.importBy(test.target)
				wantEqual(t, "summary", summary, test.summary)
			})
		}
		r := thing()
		r.Identity = nil
		without := newFixture(t, r)
		_, summary, _ := without.importBy(byIdentity)
		wantEqual(t, "summary without identity schema", summary, "Unable to determine identity schema for import identity")
		wantEqual(t, "calls", len(f.Calls())+len(without.Calls()), 0)
	})

	t.Run("a required attribute of an identity is missing (V105)", func(t *testing.T) {
		f := newFixture(t, thing())
		for name, id := range map[string]cty.Value{
			"missing":    cty.ObjectVal(map[string]cty.Value{"region": str("eu")}),
			"null":       cty.ObjectVal(map[string]cty.Value{"id": null, "region": str("eu")}),
			"wrong type": cty.ObjectVal(map[string]cty.Value{"id": cty.EmptyObjectVal}),
		} {
			t.Run(name, func(t *testing.T) {
				_, diags := f.engine.Import(t.Context(), f.resource, terraform.ImportTarget{Identity: id})
				wantError(t, diags, "Incorrect value type")
				wantEqual(t, "attribute", diags[0].Attribute.Equals(cty.GetAttrPath("id")), true)
				wantEqual(t, "of the identity", diags[0].OfIdentity, true)
			})
		}
		wantEqual(t, "calls", len(f.Calls()), 0)
	})

	// What the provider reports of the identity is about what was given, and not about an argument
	// of the same name.
	t.Run("the provider refuses an attribute of the identity", func(t *testing.T) {
		f := newFixture(t, thing())
		at := func(name string) *tftypes.AttributePath { return tftypes.NewAttributePath().WithAttributeName(name) }
		f.Server.Import = func(*tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
			return &tfprotov6.ImportResourceStateResponse{Diagnostics: []*tfprotov6.Diagnostic{
				{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Unknown region", Attribute: at("region")},
				{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Unknown argument", Attribute: at("o")},
				{Severity: tfprotov6.DiagnosticSeverityError, Summary: "No"},
			}}, nil
		}
		for name, test := range map[string]struct {
			target terraform.ImportTarget
			want   []bool
		}{
			"by identity": {terraform.ImportTarget{Identity: identity("1")}, []bool{true, false, false}},
			"by id":       {terraform.ImportTarget{ID: "1"}, []bool{false, false, false}},
		} {
			t.Run(name, func(t *testing.T) {
				_, diags := f.engine.Import(t.Context(), f.resource, test.target)
				var got []bool
				for _, d := range diags {
					got = append(got, d.OfIdentity)
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("of the identity (-want +got):\n%s", diff)
				}
			})
		}
	})

	t.Run("an optional attribute of an identity is missing (V106)", func(t *testing.T) {
		f := newFixture(t, thing())
		full := cty.ObjectVal(map[string]cty.Value{"id": str("1"), "region": str("eu")})
		f.imports(f.imported(a, identity("1"), "p"))
		f.answersRead(a, "p", full)
		out, summary, text := f.importBy(terraform.ImportTarget{Identity: cty.ObjectVal(map[string]cty.Value{"id": str("1")})})
		wantEqual(t, text, summary, "")
		request := last[*tfprotov6.ImportResourceStateRequest](f)
		wantValue(t, "identity sent", f.decIdentity(request.Identity), identity("1"))
		wantEqual(t, "id sent", request.ID, "")
		wantValue(t, "identity stored", out.Identity, full)
	})

	t.Run("the provider replaces what was given", func(t *testing.T) {
		given := cty.ObjectVal(map[string]cty.Value{"id": str("1"), "region": str("EU")})
		own := cty.ObjectVal(map[string]cty.Value{"id": str("1"), "region": str("eu")})
		for name, imported := range map[string]cty.Value{"by the import": own, "by the read": given} {
			f := newFixture(t, thing())
			f.imports(f.imported(a, imported, "p"))
			f.answersRead(a, "p", own)
			out, summary, text := f.importBy(terraform.ImportTarget{Identity: given})
			wantEqual(t, name+": "+text, summary, "")
			wantValue(t, name+": identity sent", f.decIdentity(last[*tfprotov6.ImportResourceStateRequest](f).Identity), given)
			wantValue(t, name+": identity read", f.decIdentity(last[*tfprotov6.ReadResourceRequest](f).CurrentIdentity), imported)
			wantValue(t, name+": identity stored", out.Identity, own)
		}
	})

	t.Run("an identity has an unknown attribute (V107)", func(t *testing.T) {
		f := newFixture(t, thing())
		_, diags := f.engine.Import(t.Context(), f.resource, terraform.ImportTarget{
			Identity: cty.ObjectVal(map[string]cty.Value{"id": str("1"), "extra": str("x")}),
		})
		wantError(t, diags, "Incorrect value type")
		wantEqual(t, "attribute", diags[0].Attribute.Equals(cty.GetAttrPath("extra")), true)
		wantEqual(t, "calls", len(f.Calls()), 0)
	})

	t.Run("an import returns one object (V108)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.imports()
		_, summary, _ := f.importBy(byID)
		wantEqual(t, "none", summary, "Import returned no resources")
		f.imports(f.imported(a, identity("1"), ""), f.imported(a, identity("2"), ""))
		_, summary, _ = f.importBy(byID)
		wantEqual(t, "two", summary, "Multiple import states not supported")
		other := f.imported(a, identity("1"), "")
		other.TypeName = "test_other"
		f.imports(other)
		_, summary, _ = f.importBy(byID)
		wantEqual(t, "another type", summary, "Import returned another resource type")
		f.imports(f.imported(object(map[string]cty.Value{"wo": str("x")}), identity("1"), ""))
		_, summary, _ = f.importBy(byID)
		wantEqual(t, "write-only", summary, "Import returned a non-null value for a write-only attribute")
		wantEqual(t, "reads", count[*tfprotov6.ReadResourceRequest](f), 0)
	})

	t.Run("an import returns no state (V109)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.imports(f.imported(none, identity("1"), "p"))
		_, summary, _ := f.importBy(byID)
		wantEqual(t, "by id", summary, "Import returned null resource")
		f.answersRead(a, "p", identity("1"))
		out, summary, text := f.importBy(byIdentity)
		wantEqual(t, text, summary, "")
		wantValue(t, "state", out.State, a)
		request := last[*tfprotov6.ReadResourceRequest](f)
		wantValue(t, "state sent", f.dec(request.CurrentState), none)
		wantValue(t, "identity sent", f.decIdentity(request.CurrentIdentity), identity("1"))
	})

	t.Run("an import by identity returns no identity (V110)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.imports(f.imported(a, cty.NilVal, "p"))
		_, summary, text := f.importBy(byIdentity)
		wantEqual(t, text, summary, "Import returned no identity")
		if out, summary, text := f.importBy(byID); summary != "" || !out.Exists() {
			t.Errorf("by id it needs none, but: %s", text)
		}
	})

	t.Run("an import of what does not exist (V111)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.imports(f.imported(a, identity("1"), "p"))
		f.answersRead(none, "p", identity("1"))
		_, summary, _ := f.importBy(byID)
		wantEqual(t, "summary", summary, "Cannot import non-existent remote object")
		// The framework's error for an object whose state it has just set to null.
		f.imports(f.imported(a, cty.NilVal, "p"))
		f.Read = func(*tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
			return &tfprotov6.ReadResourceResponse{
				NewState: f.enc(none), Diagnostics: providerError("Missing Resource Identity After Read", ""),
			}, nil
		}
		out, summary, _ := f.importBy(byID)
		wantEqual(t, "summary", summary, "Cannot import non-existent remote object")
		wantEqual(t, "exists", out.Exists(), false)
	})

	t.Run("the read after an import has the import's private bytes (V112)", func(t *testing.T) {
		f := newFixture(t, thing())
		const private = `{".import_before_read":"dHJ1ZQ=="}`
		f.imports(f.imported(a, identity("1"), private))
		f.answersRead(a, "", identity("1"))
		out, summary, text := f.importBy(byID)
		wantEqual(t, text, summary, "")
		wantEqual(t, "id sent", last[*tfprotov6.ImportResourceStateRequest](f).ID, "1")
		wantEqual(t, "private sent", string(last[*tfprotov6.ReadResourceRequest](f).Private), private)
		wantEqual(t, "private stored", string(out.Private), "")
		wantEqual(t, "status", out.Status, instance.Full)
	})

	t.Run("the plan after an import (V113)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.imports(f.imported(a, identity("1"), "p"))
		out, summary, text := f.importBy(byID)
		wantEqual(t, text, summary, "")
		for _, test := range []struct {
			o    string
			want terraform.Action
		}{{"a", terraform.NoOp}, {"b", terraform.Update}} {
			p, diags := f.plan(out, object(map[string]cty.Value{"o": str(test.o)}))
			wantNoErrors(t, diags)
			wantEqual(t, "action", p.Action, test.want)
		}
		f.plansProposed(attributePath("o"))
		p, diags := f.plan(out, object(map[string]cty.Value{"o": str("b")}))
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.DeleteThenCreate)
	})
}

func TestVectorsMove(t *testing.T) {
	a := object(map[string]cty.Value{"o": str("a")})
	other := thing()
	other.Type = "test_other"
	source := func(f *fixture) engine.MoveSource {
		in := f.existing(a, identity("1"), "p")
		in.Status = instance.Tainted
		return engine.MoveSource{ProviderAddress: "registry.terraform.io/x/y", Schema: other, Instance: in}
	}

	t.Run("a move needs the provider's support (V114)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Provider.Capabilities.MoveResourceState = false
		out, diags := f.engine.MoveResourceState(t.Context(), f.resource, source(f))
		wantError(t, diags, "Unsupported `moved` across resource types")
		wantValue(t, "state", out.State, a)
		wantEqual(t, "calls", len(f.Calls()), 0)
	})

	t.Run("a moved state must be known (V115)", func(t *testing.T) {
		f := newFixture(t, thing())
		move := func(v *tfprotov6.DynamicValue, id *tfprotov6.ResourceIdentityData) {
			f.Move = func(*tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
				return &tfprotov6.MoveResourceStateResponse{TargetState: v, TargetPrivate: []byte("q"), TargetIdentity: id}, nil
			}
		}
		for name, v := range map[string]*tfprotov6.DynamicValue{
			"unknown":    f.enc(object(map[string]cty.Value{"c": unknown})),
			"absent":     nil,
			"null":       f.enc(cty.NullVal(f.resource.Schema.ImpliedType())),
			"write-only": f.enc(object(map[string]cty.Value{"wo": str("x")})),
		} {
			t.Run(name, func(t *testing.T) {
				move(v, nil)
				out, diags := f.engine.MoveResourceState(t.Context(), f.resource, source(f))
				wantError(t, diags, "Provider returned invalid value")
				wantValue(t, "state", out.State, a)
			})
		}
		move(f.enc(a), f.encIdentity(cty.ObjectVal(map[string]cty.Value{"id": unknown, "region": null})))
		_, diags := f.engine.MoveResourceState(t.Context(), f.resource, source(f))
		wantError(t, diags, "Provider produced invalid identity")

		b := object(map[string]cty.Value{"o": str("b")})
		move(f.enc(b), f.encIdentity(identity("2")))
		out, diags := f.engine.MoveResourceState(t.Context(), f.resource, source(f))
		wantNoErrors(t, diags)
		wantValue(t, "state", out.State, b)
		wantValue(t, "identity", out.Identity, identity("2"))
		wantEqual(t, "private", string(out.Private), "q")
		wantEqual(t, "status", out.Status, instance.Tainted)
		request := last[*tfprotov6.MoveResourceStateRequest](f)
		wantEqual(t, "state sent", string(request.SourceState.JSON), `{"c":null,"o":"a","oc":null,"s":null,"tags":null,"wo":null}`)
		wantEqual(t, "identity sent", string(request.SourceIdentity.JSON), `{"id":"1","region":null}`)
		wantEqual(t, "private sent", string(request.SourcePrivate), "p")
		wantEqual(t, "types", request.SourceTypeName+" "+request.TargetTypeName, "test_other test_thing")
		// The normal upgrade follows.
		if _, diags := f.refresh(out); diags.HasErrors() {
			t.Fatal(diags)
		}
		wantEqual(t, "upgrades", count[*tfprotov6.UpgradeResourceStateRequest](f), 1)
	})
}
