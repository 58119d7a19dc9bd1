package engine_test

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// A create without an answer reports that its outcome is unknown.
func TestCreateOutcomeUnknown(t *testing.T) {
	tests := map[string]struct {
		answer  *tfprotov6.ApplyResourceChangeResponse
		err     error
		unknown bool
	}{
		"crashed":         {err: status.Error(codes.Unavailable, "gone"), unknown: true},
		"cancelled":       {err: status.Error(codes.Canceled, "cancelled"), unknown: true},
		"out of time":     {err: status.Error(codes.DeadlineExceeded, "late"), unknown: true},
		"internal error":  {err: status.Error(codes.Internal, "oops"), unknown: true},
		"not sent":        {err: provider.NotSent(status.Error(codes.Unavailable, "gone"))},
		"not implemented": {err: status.Error(codes.Unimplemented, "what?")},
		"no object":       {answer: &tfprotov6.ApplyResourceChangeResponse{}, unknown: true},
		"rubbish": {
			answer: &tfprotov6.ApplyResourceChangeResponse{
				NewState: &tfprotov6.DynamicValue{MsgPack: []byte{0xc1}},
			}, unknown: true,
		},
		"null": {
			answer: &tfprotov6.ApplyResourceChangeResponse{
				NewState: &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}},
			}, unknown: true,
		},
		"error": {answer: &tfprotov6.ApplyResourceChangeResponse{Diagnostics: providerError("No", "")}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, thing())
			f.Apply = func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
				return test.answer, test.err
			}
			out, diags := f.create(object(nil))
			wantEqual(t, "errors", diags.HasErrors(), true)
			wantEqual(t, "outcome unknown", terraform.OutcomeUnknown(diags), test.unknown)
			wantEqual(t, "exists", out.Exists(), false)
			// With an object that was known before, the outcome is known.
			_, diags = f.change(f.existing(object(nil), identity("1"), "p"), object(map[string]cty.Value{"o": str("b")}))
			wantEqual(t, "outcome of an update unknown", terraform.OutcomeUnknown(diags), false)
		})
	}
}

// An object that nothing identifies cannot be found again, so a create that has left one may have
// made another.
func TestCreateUnidentified(t *testing.T) {
	ofID := func(id cty.Value) cty.Value { return object(map[string]cty.Value{"id": id}) }
	for name, test := range map[string]struct {
		planned, answered, identity cty.Value
		errors, unknown             bool
	}{
		"null":          {planned: cty.UnknownVal(cty.String), answered: null, unknown: true},
		"empty":         {planned: cty.UnknownVal(cty.String), answered: str(""), unknown: true},
		"with an error": {planned: cty.UnknownVal(cty.String), answered: null, errors: true},
		"an id":         {planned: cty.UnknownVal(cty.String), answered: str("1")},
		"an identity":   {planned: cty.UnknownVal(cty.String), answered: null, identity: identity("1")},
		"an empty one": {
			planned: cty.UnknownVal(cty.String), answered: null,
			identity: cty.ObjectVal(map[string]cty.Value{"id": null, "region": null}), unknown: true,
		},
		"null was planned": {planned: null, answered: null},
	} {
		t.Run(name, func(t *testing.T) {
			r := thing()
			r.Block.Attributes["id"] = &schema.Attribute{Type: cty.String, Computed: true}
			f := newFixture(t, r)
			f.Plan = func(*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
				return &tfprotov6.PlanResourceChangeResponse{PlannedState: f.enc(ofID(test.planned))}, nil
			}
			f.Apply = func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
				answer := &tfprotov6.ApplyResourceChangeResponse{NewState: f.enc(ofID(test.answered))}
				if test.identity != cty.NilVal {
					answer.NewIdentity = f.encIdentity(test.identity)
				}
				if test.errors {
					answer.Diagnostics = providerError("No", "")
				}
				return answer, nil
			}
			out, diags := f.create(ofID(null))
			wantEqual(t, "errors", diags.HasErrors(), test.unknown || test.errors)
			wantEqual(t, "outcome unknown", terraform.OutcomeUnknown(diags), test.unknown)
			wantEqual(t, "exists", out.Exists(), !test.unknown)
		})
	}
}

// A fence stops a change before it is requested.
func TestFence(t *testing.T) {
	f := newFixture(t, thing())
	f.Apply = func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
		t.Error("the change is requested")
		return nil, status.Error(codes.Unavailable, "gone")
	}
	a := object(map[string]cty.Value{"o": str("a")})
	ctx := provider.WithFence(t.Context(), func() error { return errors.New("another process leads") })
	_, diags := f.engine.Apply(ctx, terraform.Plan{Resource: f.resource, Action: terraform.Create, State: a, Config: a})
	if !diags.HasSummary("Change not requested") || terraform.OutcomeUnknown(diags) {
		t.Errorf("got %v", diags)
	}
}

func TestApplyRefuses(t *testing.T) {
	f := newFixture(t, thing())
	a := object(map[string]cty.Value{"o": str("a")})
	in := f.existing(a, identity("1"), "p")
	tests := map[string]struct {
		plan    terraform.Plan
		summary string
	}{
		"a replacement":           {terraform.Plan{Action: terraform.DeleteThenCreate, Prior: in, State: a, Config: a}, "Plan cannot be applied"},
		"nothing":                 {terraform.Plan{Prior: in, State: a, Config: a}, "Plan cannot be applied"},
		"a create over an object": {terraform.Plan{Action: terraform.Create, Prior: in, State: a, Config: a}, "Plan cannot be applied"},
		"an update of nothing":    {terraform.Plan{Action: terraform.Update, State: a, Config: a}, "Plan cannot be applied"},
		"a delete of nothing":     {terraform.Plan{Action: terraform.Delete}, "Plan cannot be applied"},
		"a raw prior state": {
			terraform.Plan{
				Action: terraform.Update, Prior: instance.Instance{RawState: []byte("{}")}, State: a, Config: a,
			}, "Resource instance needs a refresh",
		},
		"an unknown config": {
			terraform.Plan{
				Action: terraform.Update, Prior: in, State: a, Config: object(map[string]cty.Value{"o": unknown}),
			}, "Configuration contains unknown value",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.plan.Resource = f.resource
			out, diags := f.engine.Apply(t.Context(), test.plan)
			wantError(t, diags, test.summary)
			wantEqual(t, "exists", out.Exists(), test.plan.Prior.Exists())
			wantEqual(t, "calls", len(f.Calls()), 0)
		})
	}
}

// An apply keeps the other fields of an instance.
func TestApplyKeepsOtherFields(t *testing.T) {
	f := newFixture(t, thing())
	b := object(map[string]cty.Value{"o": str("b")})
	in := f.existing(object(nil), identity("1"), "p")
	in.Deposed = []instance.Deposed{{Key: "0a1b2c3d", Status: instance.Full}}
	in.Operation = &instance.Operation{ID: "1"}
	p, diags := f.engine.Plan(t.Context(), f.resource, in, terraform.Config{
		Value: b, CreateBeforeDestroy: true, SensitivePaths: []cty.Path{cty.GetAttrPath("o")},
	})
	wantNoErrors(t, diags)
	changed, diags := f.engine.Apply(t.Context(), p)
	wantNoErrors(t, diags)
	wantEqual(t, "create_before_destroy", changed.CreateBeforeDestroy, true)
	wantEqual(t, "sensitive paths", len(changed.SensitivePaths), 1)
	destroyed, diags := f.destroy(changed)
	wantNoErrors(t, diags)
	for name, out := range map[string]instance.Instance{"changed": changed, "destroyed": destroyed} {
		if len(out.Deposed) != 1 || out.Operation != in.Operation {
			t.Errorf("%s: %+v", name, out)
		}
	}
	// A no-op stores new sensitive paths.
	p, diags = f.engine.Plan(t.Context(), f.resource, changed, terraform.Config{Value: b})
	wantNoErrors(t, diags)
	wantEqual(t, "action", p.Action, terraform.NoOp)
	out, diags := f.engine.Apply(t.Context(), p)
	wantNoErrors(t, diags)
	wantEqual(t, "sensitive paths after a no-op", len(out.SensitivePaths), 0)
	wantEqual(t, "create_before_destroy after a no-op", out.CreateBeforeDestroy, false)
}

// Sensitive paths and create_before_destroy are stored from the configuration, even if an update
// failed halfway. Paths that do not exist in the object are left out: the attribute may be
// write-only.
func TestApplyStoresConfigurationFlags(t *testing.T) {
	f := newFixture(t, thing())
	in := f.existing(object(nil), identity("1"), "p")
	config := terraform.Config{
		Value: object(map[string]cty.Value{"o": str("b")}), CreateBeforeDestroy: true,
		SensitivePaths: []cty.Path{cty.GetAttrPath("o"), cty.GetAttrPath("r").IndexInt(0), cty.GetAttrPath("nosuch")},
	}
	for name, diags := range map[string][]*tfprotov6.Diagnostic{"success": nil, "error": providerError("No", "")} {
		t.Run(name, func(t *testing.T) {
			p, more := f.engine.Plan(t.Context(), f.resource, in, config)
			wantNoErrors(t, more)
			f.answersApply(config.Value, "q", identity("1"), diags)
			out, _ := f.engine.Apply(t.Context(), p)
			wantEqual(t, "create_before_destroy", out.CreateBeforeDestroy, true)
			if len(out.SensitivePaths) != 1 || !out.SensitivePaths[0].Equals(cty.GetAttrPath("o")) {
				t.Errorf("sensitive paths: %v", out.SensitivePaths)
			}
		})
	}
}

// As in Core, an object that could not be deleted has no create_before_destroy: it has no
// configuration.
func TestFailedDeleteClearsCreateBeforeDestroy(t *testing.T) {
	f := newFixture(t, thing())
	in := f.existing(object(nil), identity("1"), "p")
	in.CreateBeforeDestroy = true
	p, diags := f.engine.PlanDestroy(t.Context(), f.resource, in)
	wantNoErrors(t, diags)
	f.answersApply(object(nil), "p", identity("1"), providerError("No", ""))
	out, diags := f.engine.Apply(t.Context(), p)
	wantError(t, diags, "No")
	wantEqual(t, "create_before_destroy", out.CreateBeforeDestroy, false)
}

// A refresh after an apply sends the provider's own bytes, and finds the object unchanged.
func TestApplyThenRefresh(t *testing.T) {
	f := newFixture(t, thing())
	f.answersApply(object(map[string]cty.Value{"o": str("a")}), "p", identity("1"), nil)
	in, diags := f.create(object(map[string]cty.Value{"o": str("a")}))
	wantNoErrors(t, diags)
	out, diags := f.refresh(in)
	wantNoErrors(t, diags)
	wantEqual(t, "unchanged", out.Unchanged, true)
	wantEqual(t, "upgrades", count[*tfprotov6.UpgradeResourceStateRequest](f), 0)
	if read := last[*tfprotov6.ReadResourceRequest](f).CurrentState.MsgPack; &read[0] != &in.Wire.State[0] {
		t.Error("the state was encoded again")
	}
	// After an error, Wire has the bytes of the stored object.
	f.answersApply(object(map[string]cty.Value{"o": str("b"), "c": unknown}), "", cty.NilVal, providerError("No", ""))
	in, _ = f.change(in, object(map[string]cty.Value{"o": str("b")}))
	wantValue(t, "state", in.State, object(map[string]cty.Value{"o": str("b")}))
	out, diags = f.refresh(in)
	wantNoErrors(t, diags)
	wantEqual(t, "unchanged after an error", out.Unchanged, true)
	wantValue(t, "state sent", f.dec(last[*tfprotov6.ReadResourceRequest](f).CurrentState), in.State)
	wantValue(t, "identity sent", f.decIdentity(last[*tfprotov6.ReadResourceRequest](f).CurrentIdentity), identity("1"))
}
