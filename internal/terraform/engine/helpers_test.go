package engine_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/terraform/engine/internal/enginetest"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

var (
	null    = cty.NullVal(cty.String)
	unknown = cty.UnknownVal(cty.String)
)

func str(s string) cty.Value { return cty.StringVal(s) }

// thing returns the schema of most tests: one attribute of each kind, and an identity.
func thing() *schema.Resource {
	return &schema.Resource{
		Type: "test_thing", Version: 1,
		Block: &schema.Block{Attributes: map[string]*schema.Attribute{
			"o":    {Type: cty.String, Optional: true},
			"oc":   {Type: cty.String, Optional: true, Computed: true},
			"c":    {Type: cty.String, Computed: true},
			"tags": {Type: cty.Map(cty.String), Optional: true},
			"wo":   {Type: cty.String, Optional: true, WriteOnly: true},
			"s":    {Type: cty.String, Optional: true, Sensitive: true},
		}},
		Identity: &schema.Identity{Version: 2, Attributes: map[string]*schema.IdentityAttribute{
			"id":     {Type: cty.String, RequiredForImport: true},
			"region": {Type: cty.String, OptionalForImport: true},
		}},
	}
}

// object returns a value of thing: what is not given is null.
func object(values map[string]cty.Value) cty.Value {
	all := map[string]cty.Value{"o": null, "oc": null, "c": null, "wo": null, "s": null, "tags": cty.NullVal(cty.Map(cty.String))}
	for name, v := range values {
		all[name] = v
	}
	return cty.ObjectVal(all)
}

func identity(id string) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"id": str(id), "region": null})
}

// fixture is an engine over a scripted server of one resource type.
type fixture struct {
	testing.TB
	*enginetest.Server
	engine   *engine.Engine
	resource terraform.ResourceType
}

// newFixture returns a fixture whose server accepts every configuration, upgrades nothing, reads
// what it was sent, plans what was proposed, and applies what was planned.
func newFixture(t testing.TB, r *schema.Resource) *fixture {
	s := &enginetest.Server{
		Provider: &schema.Provider{
			Protocol: 6, Config: &schema.Block{}, Resources: map[string]*schema.Resource{r.Type: r},
			Capabilities: schema.Capabilities{PlanDestroy: true, MoveResourceState: true},
		},
		Validate: func(*tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
			return &tfprotov6.ValidateResourceConfigResponse{}, nil
		},
		Read: func(r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
			return &tfprotov6.ReadResourceResponse{NewState: r.CurrentState, Private: r.Private, NewIdentity: r.CurrentIdentity}, nil
		},
		Plan: func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
			return &tfprotov6.PlanResourceChangeResponse{
				PlannedState: r.ProposedNewState, PlannedPrivate: r.PriorPrivate, PlannedIdentity: r.PriorIdentity,
			}, nil
		},
		Apply: func(r *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
			return &tfprotov6.ApplyResourceChangeResponse{NewState: r.PlannedState, Private: r.PlannedPrivate, NewIdentity: r.PlannedIdentity}, nil
		},
	}
	s.Upgrade = func(req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
		v, err := wire.UnmarshalJSON(req.RawState.JSON, r.ImpliedType())
		if err != nil {
			return &tfprotov6.UpgradeResourceStateResponse{Diagnostics: providerError("Upgrade", err.Error())}, nil
		}
		return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: enc(t, v, r.ImpliedType())}, nil
	}
	return &fixture{TB: t, Server: s, engine: engine.New(s), resource: terraform.ResourceType{Schema: r}}
}

func providerError(summary, detail string) []*tfprotov6.Diagnostic {
	return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityError, Summary: summary, Detail: detail}}
}

func enc(t testing.TB, v cty.Value, ty cty.Type) *tfprotov6.DynamicValue {
	t.Helper()
	b, err := wire.Marshal(v, ty)
	if err != nil {
		t.Fatal(err)
	}
	return &tfprotov6.DynamicValue{MsgPack: b}
}

func (f *fixture) enc(v cty.Value) *tfprotov6.DynamicValue {
	f.Helper()
	return enc(f.TB, v, f.resource.Schema.ImpliedType())
}

func (f *fixture) encIdentity(v cty.Value) *tfprotov6.ResourceIdentityData {
	f.Helper()
	return &tfprotov6.ResourceIdentityData{IdentityData: enc(f.TB, v, f.resource.Schema.IdentityType())}
}

func (f *fixture) dec(v *tfprotov6.DynamicValue) cty.Value {
	f.Helper()
	if v == nil {
		f.Fatal("the field is absent")
	}
	out, err := wire.Unmarshal(v.MsgPack, f.resource.Schema.ImpliedType())
	if err != nil {
		f.Fatal(err)
	}
	return out
}

func (f *fixture) decIdentity(v *tfprotov6.ResourceIdentityData) cty.Value {
	f.Helper()
	if v == nil {
		return cty.NullVal(f.resource.Schema.IdentityType())
	}
	out, err := wire.Unmarshal(v.IdentityData.MsgPack, f.resource.Schema.IdentityType())
	if err != nil {
		f.Fatal(err)
	}
	return out
}

// existing returns an instance as an earlier apply stored it, without Wire.
func (f *fixture) existing(state, identity cty.Value, private string) instance.Instance {
	in := instance.Instance{
		State: state, SchemaVersion: f.resource.Schema.Version, Identity: identity,
		Private: []byte(private), Status: instance.Full,
	}
	if f.resource.Schema.Identity != nil {
		in.IdentityVersion = f.resource.Schema.Identity.Version
	}
	return in
}

func (f *fixture) refresh(in instance.Instance) (terraform.Refreshed, diagnostic.Diagnostics) {
	return f.engine.Refresh(f.Context(), f.resource, in)
}

func (f *fixture) plan(in instance.Instance, config cty.Value) (terraform.Plan, diagnostic.Diagnostics) {
	return f.engine.Plan(f.Context(), f.resource, in, terraform.Config{Value: config})
}

// create plans and applies a create.
func (f *fixture) create(config cty.Value) (instance.Instance, diagnostic.Diagnostics) {
	f.Helper()
	p, diags := f.plan(instance.Instance{}, config)
	wantNoErrors(f.TB, diags)
	return f.engine.Apply(f.Context(), p)
}

// change plans and applies an update.
func (f *fixture) change(in instance.Instance, config cty.Value) (instance.Instance, diagnostic.Diagnostics) {
	f.Helper()
	p, diags := f.plan(in, config)
	wantNoErrors(f.TB, diags)
	if p.Action != terraform.Update {
		f.Fatalf("planned %s, not an update", p.Action)
	}
	return f.engine.Apply(f.Context(), p)
}

// destroy plans and applies a destroy.
func (f *fixture) destroy(in instance.Instance) (instance.Instance, diagnostic.Diagnostics) {
	f.Helper()
	p, diags := f.engine.PlanDestroy(f.Context(), f.resource, in)
	wantNoErrors(f.TB, diags)
	return f.engine.Apply(f.Context(), p)
}

func wantNoErrors(t testing.TB, diags diagnostic.Diagnostics) {
	t.Helper()
	if diags.HasErrors() {
		t.Fatalf("unexpected errors:\n%s", diags)
	}
}

func wantError(t testing.TB, diags diagnostic.Diagnostics, summary string) {
	t.Helper()
	if !diags.HasSummary(summary) {
		t.Fatalf("no error %q, but:\n%s", summary, diags)
	}
}

func wantValue(t testing.TB, what string, got, want cty.Value) {
	t.Helper()
	if got == cty.NilVal || want == cty.NilVal {
		if got != want && (got != cty.NilVal && !got.IsNull() || want != cty.NilVal && !want.IsNull()) {
			t.Errorf("%s: got %#v, want %#v", what, got, want)
		}
		return
	}
	if !got.RawEquals(want) {
		t.Errorf("%s: got %#v, want %#v", what, got, want)
	}
}

func wantEqual[T any](t testing.TB, what string, got, want T) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// last returns the last request of one type.
func last[T any](f *fixture) T {
	f.Helper()
	all := enginetest.Requests[T](f.Server)
	if len(all) == 0 {
		var none T
		f.Fatalf("there was no %T", none)
	}
	return all[len(all)-1]
}

func count[T any](f *fixture) int { return len(enginetest.Requests[T](f.Server)) }
