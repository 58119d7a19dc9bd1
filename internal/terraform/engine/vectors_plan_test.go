//lint:file-ignore SA1019 Providers of the legacy SDK still set UnsafeToUseLegacyTypeSystem.

package engine_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"github.com/go-logr/logr/funcr"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// The vectors of contract § 7 for plans, by their numbers. Vectors for values alone are in
// package objchange.

// plansTo makes the server plan one state for every request.
func (f *fixture) plansTo(state cty.Value, requiresReplace ...*tftypes.AttributePath) {
	f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
		return &tfprotov6.PlanResourceChangeResponse{
			PlannedState: f.enc(state), RequiresReplace: requiresReplace, PlannedPrivate: r.PriorPrivate,
			PlannedIdentity: r.PriorIdentity,
		}, nil
	}
}

// plansProposed makes the server plan the proposed state, with requires_replace on updates.
func (f *fixture) plansProposed(requiresReplace ...*tftypes.AttributePath) {
	f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
		return &tfprotov6.PlanResourceChangeResponse{
			PlannedState: r.ProposedNewState, RequiresReplace: requiresReplace, PlannedPrivate: []byte("planned"),
			PlannedIdentity: r.PriorIdentity,
		}, nil
	}
}

func attributePath(name string) *tftypes.AttributePath {
	return tftypes.NewAttributePath().WithAttributeName(name)
}

func TestVectorsPlan(t *testing.T) {
	a := object(map[string]cty.Value{"o": str("a")})
	b := object(map[string]cty.Value{"o": str("b")})

	t.Run("an empty computed block is not configured (V20)", func(t *testing.T) {
		block := &schema.Block{Attributes: map[string]*schema.Attribute{"x": {Type: cty.String, Computed: true}}}
		r := &schema.Resource{Type: "test_thing", Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{"o": {Type: cty.String, Optional: true}},
			Blocks:     map[string]*schema.NestedBlock{"b": {Nesting: schema.NestingList, Block: block, Computed: true}},
		}}
		f := newFixture(t, r)
		state := cty.ObjectVal(map[string]cty.Value{"o": null, "b": cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"x": str("1")})})})
		f.plansTo(state)
		config := cty.ObjectVal(map[string]cty.Value{"o": null, "b": cty.ListValEmpty(block.ImpliedType())})
		p, diags := f.plan(f.existing(state, cty.NilVal, ""), config)
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.NoOp)
		request := last[*tfprotov6.PlanResourceChangeRequest](f)
		unconfigured := cty.ObjectVal(map[string]cty.Value{"o": null, "b": cty.NullVal(cty.List(block.ImpliedType()))})
		wantValue(t, "config", f.dec(request.Config), unconfigured)
		wantValue(t, "proposed", f.dec(request.ProposedNewState), unconfigured)
		wantValue(t, "validated config", f.dec(last[*tfprotov6.ValidateResourceConfigRequest](f).Config), unconfigured)
	})

	t.Run("a planned write-only value is found by its own check (V40)", func(t *testing.T) {
		f := newFixture(t, thing())
		config := object(map[string]cty.Value{"wo": str("sec")})
		f.plansTo(config)
		_, diags := f.plan(instance.Instance{}, config)
		wantError(t, diags, "Provider produced invalid plan")
	})

	t.Run("a legacy provider's invalid plan is used (V41)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Plan = func(*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
			return &tfprotov6.PlanResourceChangeResponse{
				PlannedState: f.enc(object(map[string]cty.Value{"o": str("A")})), UnsafeToUseLegacyTypeSystem: true,
			}, nil
		}
		var log bytes.Buffer
		ctx := logr.NewContext(t.Context(), funcr.New(func(_, args string) { log.WriteString(args) }, funcr.Options{Verbosity: 1}))
		p, diags := f.engine.Plan(ctx, f.resource, instance.Instance{}, terraform.Config{Value: a})
		wantNoErrors(t, diags)
		wantValue(t, "planned", p.State, object(map[string]cty.Value{"o": str("A")}))
		if !strings.Contains(log.String(), `"attribute"="o"`) {
			t.Errorf("the problem was not logged: %s", &log)
		}
	})

	t.Run("errors do not show sensitive values (V42)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.plansTo(object(map[string]cty.Value{"s": str("hunter3")}))
		_, diags := f.plan(instance.Instance{}, object(map[string]cty.Value{"s": str("hunter2")}))
		wantError(t, diags, "Provider produced invalid plan")
		if strings.Contains(diags.String(), "hunter") {
			t.Errorf("the error tells a value: %s", diags)
		}
	})

	t.Run("a replacement is planned anew without a prior state (V43)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.plansProposed(attributePath("o"))
		p, diags := f.plan(f.existing(object(map[string]cty.Value{"o": str("a"), "c": str("c")}), identity("1"), "p"), b)
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.DeleteThenCreate)
		wantEqual(t, "reason", p.Reason, terraform.ReplaceBecauseCannotUpdate)
		wantEqual(t, "paths", len(p.RequiresReplace), 1)
		wantEqual(t, "plan calls", count[*tfprotov6.PlanResourceChangeRequest](f), 2)
		second := last[*tfprotov6.PlanResourceChangeRequest](f)
		wantValue(t, "prior", f.dec(second.PriorState), cty.NullVal(f.resource.Schema.ImpliedType()))
		wantValue(t, "proposed", f.dec(second.ProposedNewState), b)
		wantEqual(t, "prior private", string(second.PriorPrivate), "planned")
		wantValue(t, "prior identity", f.decIdentity(second.PriorIdentity), identity("1"))
		wantValue(t, "planned", p.State, b)
	})

	t.Run("a required replacement for an unchanged path is dropped (V44)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.plansProposed(attributePath("o"))
		p, diags := f.plan(f.existing(a, identity("1"), "p"), object(map[string]cty.Value{"o": str("a"), "s": str("x")}))
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.Update)
		wantEqual(t, "paths", len(p.RequiresReplace), 0)
	})

	t.Run("a required replacement for an unknown path is an error (V45)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.plansProposed(attributePath("nosuch"))
		_, diags := f.plan(f.existing(a, identity("1"), "p"), b)
		wantError(t, diags, "Provider produced invalid plan")
	})

	t.Run("a create ignores required replacements (V46)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.plansProposed(attributePath("o"), attributePath("nosuch"))
		p, diags := f.plan(instance.Instance{}, b)
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.Create)
		wantEqual(t, "paths", len(p.RequiresReplace), 0)
	})

	t.Run("an unknown value at the path replaces (V47)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.plansTo(object(map[string]cty.Value{"o": str("a"), "c": unknown}), attributePath("c"))
		p, diags := f.plan(f.existing(object(map[string]cty.Value{"o": str("a"), "c": str("c")}), identity("1"), "p"), a)
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.DeleteThenCreate)
	})

	t.Run("a write-only path replaces (V48)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.plansTo(a, attributePath("wo"))
		p, diags := f.plan(f.existing(a, identity("1"), "p"), object(map[string]cty.Value{"o": str("a"), "wo": str("new")}))
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.DeleteThenCreate)
	})

	t.Run("another identity alone is no change (V49)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
			return &tfprotov6.PlanResourceChangeResponse{PlannedState: r.PriorState, PlannedIdentity: f.encIdentity(identity("2"))}, nil
		}
		in := f.existing(a, identity("1"), "p")
		p, diags := f.plan(in, a)
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.NoOp)
		out, diags := f.engine.Apply(t.Context(), p)
		wantNoErrors(t, diags)
		wantValue(t, "identity", out.Identity, identity("1"))
		wantEqual(t, "apply calls", count[*tfprotov6.ApplyResourceChangeRequest](f), 0)
	})

	t.Run("a failed create keeps the object that it was to replace (V50)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.plansProposed(attributePath("o"))
		in := f.existing(a, identity("1"), "p")
		p, diags := f.engine.Plan(t.Context(), f.resource, in, terraform.Config{Value: b, CreateBeforeDestroy: true})
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.CreateThenDelete)
		// The caller sets the old object aside and creates; the create fails half-way.
		f.Apply = func(r *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
			return &tfprotov6.ApplyResourceChangeResponse{
				NewState: r.PlannedState, NewIdentity: f.encIdentity(identity("2")),
				Diagnostics: providerError("Half-way", ""),
			}, nil
		}
		aside := instance.Instance{Deposed: []instance.Deposed{in.Depose("0a1b2c3d")}}
		p, diags = f.engine.Plan(t.Context(), f.resource, aside, terraform.Config{Value: b, CreateBeforeDestroy: true})
		wantNoErrors(t, diags)
		out, diags := f.engine.Apply(t.Context(), p)
		wantError(t, diags, "Half-way")
		wantEqual(t, "status", out.Status, instance.Tainted)
		wantEqual(t, "create_before_destroy", out.CreateBeforeDestroy, true)
		wantValue(t, "state", out.State, b)
		wantEqual(t, "deposed objects", len(out.Deposed), 1)
		wantValue(t, "deposed state", out.Deposed[0].State, a)
		wantValue(t, "deposed identity", out.Deposed[0].Identity, identity("1"))
		// The deposed object is refreshed and destroyed like any other.
		f.Apply = func(r *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
			return &tfprotov6.ApplyResourceChangeResponse{NewState: r.PlannedState}, nil
		}
		old, diags := f.destroy(out.Deposed[0].Instance())
		wantNoErrors(t, diags)
		wantEqual(t, "deposed object exists", old.Exists(), false)
	})

	t.Run("ignored changes return when the object is replaced (V51)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.plansProposed(attributePath("s"))
		ignore := terraform.IgnoreChanges{Paths: []cty.Path{cty.GetAttrPath("o")}}
		in := f.existing(object(map[string]cty.Value{"o": str("a"), "s": str("1")}), identity("1"), "p")
		p, diags := f.engine.Plan(t.Context(), f.resource, in, terraform.Config{
			Value: object(map[string]cty.Value{"o": str("b"), "s": str("1")}), IgnoreChanges: ignore,
		})
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.NoOp)
		wantValue(t, "config sent", f.dec(last[*tfprotov6.PlanResourceChangeRequest](f).Config), in.State)
		config := object(map[string]cty.Value{"o": str("b"), "s": str("2")})
		p, diags = f.engine.Plan(t.Context(), f.resource, in, terraform.Config{Value: config, IgnoreChanges: ignore})
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.DeleteThenCreate)
		wantValue(t, "config of the second plan", f.dec(last[*tfprotov6.PlanResourceChangeRequest](f).Config), config)
		wantValue(t, "config to apply", p.Config, config)
	})

	t.Run("ignored changes of one key (V52)", func(t *testing.T) {
		tags := func(pairs map[string]cty.Value) cty.Value {
			return object(map[string]cty.Value{"tags": cty.MapVal(pairs)})
		}
		f := newFixture(t, thing())
		config := terraform.Config{
			Value:         tags(map[string]cty.Value{"x": str("2"), "y": str("3")}),
			IgnoreChanges: terraform.IgnoreChanges{Paths: []cty.Path{cty.GetAttrPath("tags").IndexString("x")}},
		}
		_, diags := f.engine.Plan(t.Context(), f.resource, f.existing(tags(map[string]cty.Value{"x": str("1")}), identity("1"), ""), config)
		wantNoErrors(t, diags)
		wantValue(t, "restored", f.dec(last[*tfprotov6.PlanResourceChangeRequest](f).Config),
			tags(map[string]cty.Value{"x": str("1"), "y": str("3")}))
		_, diags = f.engine.Plan(t.Context(), f.resource, f.existing(tags(map[string]cty.Value{"z": str("1")}), identity("1"), ""), config)
		wantNoErrors(t, diags)
		wantValue(t, "removed", f.dec(last[*tfprotov6.PlanResourceChangeRequest](f).Config), tags(map[string]cty.Value{"y": str("3")}))
	})

	t.Run("all changes are ignored (V53)", func(t *testing.T) {
		f := newFixture(t, thing())
		prior := object(map[string]cty.Value{"o": str("a"), "oc": str("b"), "c": str("c")})
		p, diags := f.engine.Plan(t.Context(), f.resource, f.existing(prior, identity("1"), ""), terraform.Config{
			Value: b, IgnoreChanges: terraform.IgnoreChanges{All: true},
		})
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.NoOp)
		wantValue(t, "config sent", f.dec(last[*tfprotov6.PlanResourceChangeRequest](f).Config),
			object(map[string]cty.Value{"o": str("a"), "oc": str("b")}))
	})

	t.Run("what prevents its destruction is not replaced (V54)", func(t *testing.T) {
		f := newFixture(t, thing())
		f.plansProposed(attributePath("o"))
		p, diags := f.engine.Plan(t.Context(), f.resource, f.existing(a, identity("1"), ""), terraform.Config{Value: b, PreventDestroy: true})
		wantError(t, diags, "Instance cannot be destroyed")
		if _, diags := f.engine.Apply(t.Context(), p); !diags.HasErrors() {
			t.Error("the refused plan can be applied")
		}
		wantEqual(t, "apply calls", count[*tfprotov6.ApplyResourceChangeRequest](f), 0)
	})
}

func paths(names ...string) []*tftypes.AttributePath {
	var out []*tftypes.AttributePath
	for _, name := range names {
		out = append(out, attributePath(name))
	}
	return out
}
