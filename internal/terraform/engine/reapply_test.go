package engine_test

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Arguments that are as configured are set again: the provider is told that they are not set.
func TestReapply(t *testing.T) {
	state := object(map[string]cty.Value{
		"o": str("a"), "oc": str("b"), "c": str("c"), "s": str("hunter2"),
		"tags": cty.MapVal(map[string]cty.Value{"k": str("v")}),
	})
	config := object(map[string]cty.Value{"o": str("a"), "s": str("hunter2"), "tags": cty.MapVal(map[string]cty.Value{"k": str("v")})})
	told := func(values map[string]cty.Value) cty.Value {
		out := state.AsValueMap()
		for name, v := range values {
			out[name] = v
		}
		return cty.ObjectVal(out)
	}
	tests := map[string]struct {
		replaces []string
		ignore   []cty.Path
		fails    bool
		action   terraform.Action
		told     cty.Value
		warnings int
	}{
		"all":                      {action: terraform.Update, told: told(map[string]cty.Value{"o": null, "s": null})},
		"one forces a replacement": {replaces: []string{"o"}, action: terraform.Update, told: told(map[string]cty.Value{"s": null})},
		"all force a replacement":  {replaces: []string{"o", "s"}, action: terraform.NoOp},
		"one is ignored": {
			ignore: []cty.Path{cty.GetAttrPath("s")}, action: terraform.Update,
			told: told(map[string]cty.Value{"o": null}),
		},
		"it cannot be planned": {fails: true, action: terraform.NoOp, warnings: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, thing())
			f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
				out := &tfprotov6.PlanResourceChangeResponse{
					PlannedState: r.ProposedNewState, PlannedPrivate: r.PriorPrivate, PlannedIdentity: r.PriorIdentity,
				}
				prior := f.dec(r.PriorState)
				if test.fails && prior.GetAttr("o").IsNull() {
					out.Diagnostics = providerError("o is needed", "")
				}
				for _, name := range test.replaces {
					if prior.GetAttr(name).IsNull() {
						out.RequiresReplace = append(out.RequiresReplace, attributePath(name))
					}
				}
				return out, nil
			}
			in := f.existing(state, identity("1"), "p")
			p, diags := f.engine.Plan(t.Context(), f.resource, in, terraform.Config{
				Value: config, Reapply: true, IgnoreChanges: terraform.IgnoreChanges{Paths: test.ignore},
			})
			wantNoErrors(t, diags)
			wantEqual(t, "warnings", len(diags.Warnings()), test.warnings)
			wantEqual(t, "action", p.Action, test.action)
			wantValue(t, "prior", p.Prior.State, state)
			if p.Action == terraform.NoOp {
				return
			}
			wantValue(t, "planned", p.State, state)
			out, diags := f.engine.Apply(t.Context(), p)
			wantNoErrors(t, diags)
			wantValue(t, "told", f.dec(last[*tfprotov6.ApplyResourceChangeRequest](f).PriorState), test.told)
			wantValue(t, "result", out.State, state)
		})
	}
}

// What fails leaves the object as it was, and not as the provider was told.
func TestReapplyThatFails(t *testing.T) {
	f := newFixture(t, thing())
	state := object(map[string]cty.Value{"o": str("a")})
	p, diags := f.engine.Plan(t.Context(), f.resource, f.existing(state, identity("1"), "p"), terraform.Config{Value: state, Reapply: true})
	wantNoErrors(t, diags)
	f.Apply = func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
		return nil, errors.New("connection lost")
	}
	out, diags := f.engine.Apply(t.Context(), p)
	if !diags.HasErrors() {
		t.Error("it did not fail")
	}
	wantValue(t, "result", out.State, state)
}
