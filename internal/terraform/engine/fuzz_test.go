//lint:file-ignore SA1019 Providers of the legacy SDK still set UnsafeToUseLegacyTypeSystem.

package engine_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/internal/wire"
)

// With any answer, the engine neither panics nor loses an object, and its result can be
// stored.
func FuzzAnswers(f *testing.F) {
	r := thing()
	seed := func(v cty.Value, ty cty.Type) []byte { return enc(f, v, ty).MsgPack }
	a := object(map[string]cty.Value{"o": str("a")})
	f.Add(seed(a, r.ImpliedType()), seed(identity("1"), r.IdentityType()), []byte("p"), false, false)
	f.Add(seed(object(map[string]cty.Value{"c": unknown, "wo": str("x")}), r.ImpliedType()),
		seed(cty.UnknownVal(r.IdentityType()), r.IdentityType()), []byte(nil), true, true)
	f.Add([]byte{0xc0}, []byte{0xc0}, []byte(nil), true, false)
	f.Add([]byte(nil), []byte(nil), []byte(nil), false, true)
	f.Add([]byte("\xdd\xff\xff\xff\xff"), []byte("\x80"), []byte(nil), false, false)
	f.Fuzz(func(t *testing.T, state, id, private []byte, fails, legacy bool) {
		fx := newFixture(t, r)
		value := &tfprotov6.DynamicValue{MsgPack: state}
		data := &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: id}}
		var said []*tfprotov6.Diagnostic
		if fails {
			said = providerError("No", "")
		}
		fx.Read = func(*tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
			return &tfprotov6.ReadResourceResponse{NewState: value, NewIdentity: data, Private: private, Diagnostics: said}, nil
		}
		fx.Apply = func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
			return &tfprotov6.ApplyResourceChangeResponse{
				NewState: value, NewIdentity: data, Private: private, Diagnostics: said,
				UnsafeToUseLegacyTypeSystem: legacy,
			}, nil
		}
		fx.Import = func(*tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
			return &tfprotov6.ImportResourceStateResponse{
				ImportedResources: []*tfprotov6.ImportedResource{{
					TypeName: r.Type, State: value, Identity: data, Private: private,
				}},
			}, nil
		}
		fx.Upgrade = func(*tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
			return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: value}, nil
		}
		fx.Identity = func(*tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
			return &tfprotov6.UpgradeResourceIdentityResponse{UpgradedIdentity: data}, nil
		}
		store := func(in instance.Instance) {
			b, err := instance.Encode(in, r)
			if err != nil {
				t.Fatalf("what was returned cannot be stored: %s", err)
			}
			if _, err := instance.Decode(b, r); err != nil {
				t.Fatal(err)
			}
		}
		in := fx.existing(a, identity("1"), "p")
		b := object(map[string]cty.Value{"o": str("b")})
		for _, prior := range []instance.Instance{in, fx.stored(`{"version":1,"status":"Full","state":{"x":1},"identity":{"y":2}}`)} {
			out, diags := fx.refresh(prior)
			store(out.Instance)
			if diags.HasErrors() && !out.Instance.Exists() {
				t.Fatalf("a failed refresh lost the object: %s", diags)
			}
		}
		changed, diags := fx.change(in, b)
		store(changed)
		if !changed.Exists() || diags.HasErrors() && !changed.HasIdentity() {
			t.Fatalf("an update lost the object: %s", diags)
		}
		created, diags := fx.create(b)
		store(created)
		if !diags.HasErrors() && !created.Exists() {
			t.Fatal("a create without errors made nothing")
		}
		if diags.HasErrors() && created.Exists() && created.Status != instance.Tainted {
			t.Fatalf("a failed create left an object that is %s", created.Status)
		}
		destroyed, diags := fx.destroy(in)
		store(destroyed)
		if diags.HasErrors() != destroyed.Exists() {
			t.Fatalf("a destroy left an object: %t, %s", destroyed.Exists(), diags)
		}
		imported, diags := fx.engine.Import(t.Context(), fx.resource, terraform.ImportTarget{ID: "1"})
		store(imported)
		if diags.HasErrors() == imported.Exists() {
			t.Fatalf("an import made an object: %t, %s", imported.Exists(), diags)
		}
		fx.Plan = func(*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
			return &tfprotov6.PlanResourceChangeResponse{
				PlannedState: value, PlannedIdentity: data, PlannedPrivate: private, Diagnostics: said,
				UnsafeToUseLegacyTypeSystem: legacy, RequiresReplace: paths("o", "tags"),
			}, nil
		}
		for _, prior := range []instance.Instance{in, {}} {
			if p, diags := fx.plan(prior, b); !diags.HasErrors() && (p.State.IsNull() || p.Action == "") {
				t.Fatalf("a plan without errors plans nothing: %+v", p)
			}
		}
		if p, diags := fx.engine.PlanDestroy(t.Context(), fx.resource, in); !diags.HasErrors() && p.Action != terraform.Delete {
			t.Fatalf("planned %s", p.Action)
		}
	})
}

// The same for a resource type with every form of attribute and block, and for plans with a
// configuration that uses them.
func FuzzStates(f *testing.F) {
	r := schematest.Everything().Resources["everything_thing"]
	everything := rapid.Custom(func(t *rapid.T) cty.Value { return schematest.Value(t, r.Block) })
	for i := range 4 {
		v := everything.Example(i)
		f.Add(enc(f, v, r.ImpliedType()).MsgPack, enc(f, everything.Example(i+10), r.ImpliedType()).MsgPack, false)
		f.Add(enc(f, cty.UnknownVal(r.ImpliedType()), r.ImpliedType()).MsgPack, enc(f, v, r.ImpliedType()).MsgPack, true)
	}
	f.Fuzz(func(t *testing.T, state, config []byte, legacy bool) {
		given, err := wire.Unmarshal(config, r.ImpliedType())
		if err != nil || given.IsNull() || !given.IsWhollyKnown() {
			return
		}
		fx := newFixture(t, r)
		value := &tfprotov6.DynamicValue{MsgPack: state}
		fx.Read = func(*tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
			return &tfprotov6.ReadResourceResponse{NewState: value}, nil
		}
		prior := instance.Instance{}
		if read, diags := fx.refresh(fx.existing(r.Block.EmptyValue(), cty.NilVal, "")); !diags.HasErrors() {
			prior = read.Instance
		}
		fx.Plan = func(*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
			return &tfprotov6.PlanResourceChangeResponse{PlannedState: value, UnsafeToUseLegacyTypeSystem: legacy}, nil
		}
		for _, in := range []instance.Instance{{}, prior} {
			for _, ignore := range []terraform.IgnoreChanges{{}, {All: true}} {
				fx.engine.Plan(t.Context(), fx.resource, in, terraform.Config{Value: given, IgnoreChanges: ignore})
			}
		}
		fx.plansProposed()
		fx.Apply = func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
			return &tfprotov6.ApplyResourceChangeResponse{NewState: value, UnsafeToUseLegacyTypeSystem: legacy}, nil
		}
		if p, diags := fx.plan(instance.Instance{}, given); !diags.HasErrors() {
			out, _ := fx.engine.Apply(t.Context(), p)
			if _, err := instance.Encode(out, r); err != nil {
				t.Fatalf("what was returned cannot be stored: %s", err)
			}
		}
	})
}
