package engine_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// TestLifecycle creates, reads, updates and destroys an object with a correct provider.
func TestLifecycle(t *testing.T) {
	f := newFixture(t, thing())
	computed := map[string]cty.Value{"oc": str("x"), "c": str("y")}
	f.Apply = func(r *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
		state := f.dec(r.PlannedState)
		if state.IsNull() {
			return &tfprotov6.ApplyResourceChangeResponse{NewState: r.PlannedState}, nil
		}
		values := state.AsValueMap()
		for name, v := range computed {
			values[name] = v
		}
		return &tfprotov6.ApplyResourceChangeResponse{
			NewState: f.enc(cty.ObjectVal(values)), Private: []byte("p"), NewIdentity: f.encIdentity(identity("1")),
		}, nil
	}
	f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
		out := &tfprotov6.PlanResourceChangeResponse{
			PlannedState: r.ProposedNewState, PlannedPrivate: r.PriorPrivate, PlannedIdentity: r.PriorIdentity,
		}
		if proposed := f.dec(r.ProposedNewState); !proposed.IsNull() && f.dec(r.PriorState).IsNull() {
			values := proposed.AsValueMap()
			values["oc"], values["c"] = unknown, unknown
			out.PlannedState = f.enc(cty.ObjectVal(values))
		}
		return out, nil
	}
	config := object(map[string]cty.Value{"o": str("a")})

	in, diags := f.create(config)
	wantNoErrors(t, diags)
	wantValue(t, "state", in.State, object(map[string]cty.Value{"o": str("a"), "oc": str("x"), "c": str("y")}))
	wantValue(t, "identity", in.Identity, identity("1"))
	wantEqual(t, "private", string(in.Private), "p")
	wantEqual(t, "status", in.Status, instance.Full)

	refreshed, diags := f.refresh(in)
	wantNoErrors(t, diags)
	if !refreshed.Unchanged {
		t.Error("the first refresh changed something")
	}
	in = refreshed.Instance
	p, diags := f.plan(in, config)
	wantNoErrors(t, diags)
	wantEqual(t, "action", p.Action, terraform.NoOp)

	in, diags = f.change(in, object(map[string]cty.Value{"o": str("b")}))
	wantNoErrors(t, diags)
	wantValue(t, "state", in.State, object(map[string]cty.Value{"o": str("b"), "oc": str("x"), "c": str("y")}))

	in, diags = f.destroy(in)
	wantNoErrors(t, diags)
	if in.Exists() || in.HasIdentity() || len(in.Private) > 0 || in.Status != instance.Empty {
		t.Errorf("something is left: %#v", in)
	}
	if n := count[*tfprotov6.UpgradeResourceStateRequest](f); n > 0 {
		t.Errorf("%d upgrades of what the provider itself just said", n)
	}
}
