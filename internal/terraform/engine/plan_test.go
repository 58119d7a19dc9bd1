//lint:file-ignore SA1019 Providers of the legacy SDK still set UnsafeToUseLegacyTypeSystem.

package engine_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

func TestPlanValidates(t *testing.T) {
	f := newFixture(t, thing())
	f.Validate = func(*tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
		return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: providerError("Not like this", "")}, nil
	}
	_, diags := f.plan(instance.Instance{}, object(nil))
	wantError(t, diags, "Not like this")
	wantEqual(t, "plans", count[*tfprotov6.PlanResourceChangeRequest](f), 0)
	_, diags = f.engine.Plan(t.Context(), f.resource, instance.Instance{}, terraform.Config{Value: object(nil), Validated: true})
	wantNoErrors(t, diags)
	wantEqual(t, "validations", count[*tfprotov6.ValidateResourceConfigRequest](f), 1)
}

func TestPlanRefusesInvalidConfiguration(t *testing.T) {
	f := newFixture(t, thing())
	for summary, config := range map[string]cty.Value{
		"Missing configuration":          cty.NilVal,
		"Incorrect attribute value type": cty.EmptyObjectVal,
	} {
		_, diags := f.plan(instance.Instance{}, config)
		wantError(t, diags, summary)
		wantError(t, f.engine.Validate(t.Context(), f.resource, terraform.Config{Value: config}), summary)
	}
	_, diags := f.plan(instance.Instance{}, cty.NullVal(f.resource.Schema.ImpliedType()))
	wantError(t, diags, "Missing configuration")
	marked := object(map[string]cty.Value{"o": str("hunter2").Mark("sensitive")})
	_, diags = f.plan(instance.Instance{}, marked)
	wantError(t, diags, "Incorrect attribute value type")
	wantEqual(t, "calls", len(f.Calls()), 0)
}

// The second plan of a replacement is checked, too, but its warnings are dropped.
func TestSecondPlan(t *testing.T) {
	b := object(map[string]cty.Value{"o": str("b")})
	warning := []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityWarning, Summary: "Mind the gap"}}
	tests := map[string]struct {
		second  *tfprotov6.PlanResourceChangeResponse
		summary string
	}{
		"right":  {&tfprotov6.PlanResourceChangeResponse{Diagnostics: warning}, ""},
		"errors": {&tfprotov6.PlanResourceChangeResponse{Diagnostics: providerError("Not again", "")}, "Not again"},
		"null": {
			&tfprotov6.PlanResourceChangeResponse{PlannedState: &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}}},
			"Provider produced invalid plan",
		},
		"legacy null": {
			&tfprotov6.PlanResourceChangeResponse{
				PlannedState: &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}}, UnsafeToUseLegacyTypeSystem: true,
			}, "Provider produced invalid plan",
		},
		"write-only": {
			&tfprotov6.PlanResourceChangeResponse{
				PlannedState: newFixture(t, thing()).enc(object(map[string]cty.Value{"wo": str("x")})),
			}, "Provider produced invalid plan",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, thing())
			f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
				if count[*tfprotov6.PlanResourceChangeRequest](f) == 1 {
					return &tfprotov6.PlanResourceChangeResponse{PlannedState: r.ProposedNewState, RequiresReplace: paths("o"), Diagnostics: warning}, nil
				}
				if test.second.PlannedState == nil {
					test.second.PlannedState = r.ProposedNewState
				}
				return test.second, nil
			}
			p, diags := f.plan(f.existing(object(nil), identity("1"), "p"), b)
			if test.summary != "" {
				wantError(t, diags, test.summary)
				return
			}
			wantNoErrors(t, diags)
			wantEqual(t, "warnings", len(diags.Warnings()), 1)
			wantEqual(t, "action", p.Action, terraform.DeleteThenCreate)
		})
	}
}

// Ignored attributes keep their prior values in a legacy provider's plan.
func TestIgnoreChangesInLegacyPlans(t *testing.T) {
	in := object(map[string]cty.Value{"o": str("a"), "oc": str("x")})
	for name, test := range map[string]struct {
		ignore terraform.IgnoreChanges
		want   cty.Value
	}{
		"all": {terraform.IgnoreChanges{All: true}, in},
		"path": {
			terraform.IgnoreChanges{Paths: []cty.Path{cty.GetAttrPath("o")}},
			object(map[string]cty.Value{"o": str("a"), "oc": str("legacy")}),
		},
		"none": {terraform.IgnoreChanges{}, object(map[string]cty.Value{"o": str("legacy"), "oc": str("legacy")})},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, thing())
			f.Plan = func(*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
				return &tfprotov6.PlanResourceChangeResponse{
					PlannedState: f.enc(object(map[string]cty.Value{
						"o": str("legacy"), "oc": str("legacy"),
					})),
					UnsafeToUseLegacyTypeSystem: true,
				}, nil
			}
			p, diags := f.engine.Plan(t.Context(), f.resource, f.existing(in, identity("1"), "p"), terraform.Config{
				Value: object(map[string]cty.Value{"o": str("b")}), IgnoreChanges: test.ignore,
			})
			wantNoErrors(t, diags)
			wantValue(t, "planned", p.State, test.want)
		})
	}
}

func TestIgnoreChanges(t *testing.T) {
	r := &schema.Resource{Type: "test_thing", Block: &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"o": {Type: cty.String, Optional: true}, "c": {Type: cty.String, Computed: true},
			"m": {Type: cty.Map(cty.String), Optional: true}, "l": {Type: cty.List(cty.String), Optional: true},
		},
	}}
	strs := cty.Map(cty.String)
	value := func(values map[string]cty.Value) cty.Value {
		all := map[string]cty.Value{"o": null, "c": null, "m": cty.NullVal(strs), "l": cty.NullVal(cty.List(cty.String))}
		for name, v := range values {
			all[name] = v
		}
		return cty.ObjectVal(all)
	}
	m := func(pairs ...string) cty.Value {
		values := map[string]cty.Value{}
		for i := 0; i < len(pairs); i += 2 {
			values[pairs[i]] = str(pairs[i+1])
		}
		if len(values) == 0 {
			return value(map[string]cty.Value{"m": cty.MapValEmpty(cty.String)})
		}
		return value(map[string]cty.Value{"m": cty.MapVal(values)})
	}
	l := func(texts ...string) cty.Value {
		var values []cty.Value
		for _, text := range texts {
			values = append(values, str(text))
		}
		return value(map[string]cty.Value{"l": cty.ListVal(values)})
	}
	key := cty.GetAttrPath("m").IndexString("x")
	tests := map[string]struct {
		path                cty.Path
		prior, config, want cty.Value
	}{
		"attribute": {
			cty.GetAttrPath("o"), value(map[string]cty.Value{"o": str("a")}),
			value(map[string]cty.Value{"o": str("b")}), value(map[string]cty.Value{"o": str("a")}),
		},
		"attribute unset": {
			cty.GetAttrPath("o"), value(map[string]cty.Value{"o": str("a")}), value(nil),
			value(map[string]cty.Value{"o": str("a")}),
		},
		"attribute newly set": {cty.GetAttrPath("o"), value(nil), value(map[string]cty.Value{"o": str("b")}), value(nil)},
		"no such attribute": {
			cty.GetAttrPath("nosuch"), value(nil), value(map[string]cty.Value{"o": str("b")}),
			value(map[string]cty.Value{"o": str("b")}),
		},
		"empty path":           {cty.Path{}, value(nil), value(map[string]cty.Value{"o": str("b")}), value(map[string]cty.Value{"o": str("b")})},
		"whole map":            {cty.GetAttrPath("m"), m("x", "1"), m("y", "2"), m("x", "1")},
		"key restored":         {key, m("x", "1", "z", "9"), m("y", "2"), m("x", "1", "y", "2")},
		"key kept":             {key, m("x", "1"), m("x", "1", "y", "2"), m("x", "1", "y", "2")},
		"last key removed":     {key, m("z", "1"), m("x", "2"), m()},
		"key of a null prior":  {key, value(nil), m("x", "2"), m()},
		"key of a null config": {key, m("x", "1", "z", "9"), value(nil), m("x", "1")},
		"key of nothing":       {key, value(nil), value(nil), value(nil)},
		"unknown map": {
			key, m("x", "1"), value(map[string]cty.Value{"m": cty.UnknownVal(strs)}),
			value(map[string]cty.Value{"m": cty.UnknownVal(strs)}),
		},
		"list element":         {cty.GetAttrPath("l").IndexInt(0), l("a", "b"), l("x", "y"), l("a", "y")},
		"no such list element": {cty.GetAttrPath("l").IndexInt(1), l("a"), l("x", "y"), l("x", "y")},
		"list by a key":        {cty.GetAttrPath("l").IndexString("x"), l("a"), l("x"), l("x")},
		"attribute by a key": {
			cty.GetAttrPath("o").IndexString("x"), value(map[string]cty.Value{"o": str("a")}),
			value(map[string]cty.Value{"o": str("b")}), value(map[string]cty.Value{"o": str("b")}),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, r)
			_, diags := f.engine.Plan(t.Context(), f.resource, f.existing(test.prior, cty.NilVal, ""), terraform.Config{
				Value: test.config, IgnoreChanges: terraform.IgnoreChanges{Paths: []cty.Path{test.path}},
			})
			wantNoErrors(t, diags)
			wantValue(t, "config sent", f.dec(last[*tfprotov6.PlanResourceChangeRequest](f).Config), test.want)
			wantValue(t, "config validated", f.dec(last[*tfprotov6.ValidateResourceConfigRequest](f).Config), test.config)
		})
	}
	t.Run("on create", func(t *testing.T) {
		f := newFixture(t, r)
		for _, ignore := range []terraform.IgnoreChanges{{All: true}, {Paths: []cty.Path{cty.GetAttrPath("o")}}} {
			config := value(map[string]cty.Value{"o": str("b")})
			_, diags := f.engine.Plan(t.Context(), f.resource, instance.Instance{}, terraform.Config{Value: config, IgnoreChanges: ignore})
			wantNoErrors(t, diags)
			wantValue(t, "config sent", f.dec(last[*tfprotov6.PlanResourceChangeRequest](f).Config), config)
		}
	})
	// As in Core, a value of a dynamic type keeps its type.
	t.Run("all, with a computed attribute of any type", func(t *testing.T) {
		f := newFixture(t, &schema.Resource{Type: "test_thing", Block: &schema.Block{
			Attributes: map[string]*schema.Attribute{"d": {Type: cty.DynamicPseudoType, Computed: true}},
		}})
		prior := cty.ObjectVal(map[string]cty.Value{"d": cty.NumberIntVal(7)})
		_, diags := f.engine.Plan(t.Context(), f.resource, f.existing(prior, cty.NilVal, ""), terraform.Config{
			Value: cty.ObjectVal(map[string]cty.Value{"d": cty.NullVal(cty.DynamicPseudoType)}), IgnoreChanges: terraform.IgnoreChanges{All: true},
		})
		wantNoErrors(t, diags)
		wantValue(t, "config sent", f.dec(last[*tfprotov6.PlanResourceChangeRequest](f).Config),
			cty.ObjectVal(map[string]cty.Value{"d": cty.NullVal(cty.Number)}))
	})
	// An ignored value keeps its prior sensitive paths: it is the prior value.
	t.Run("sensitive values", func(t *testing.T) {
		f := newFixture(t, r)
		in := f.existing(value(map[string]cty.Value{
			"o": str("a"), "m": cty.MapVal(map[string]cty.Value{"x": str("1"), "y": str("2")}),
		}), cty.NilVal, "")
		in.SensitivePaths = []cty.Path{cty.GetAttrPath("o"), cty.GetAttrPath("m").IndexString("x"), cty.GetAttrPath("l")}
		config := terraform.Config{
			Value:          value(map[string]cty.Value{"o": str("b"), "m": cty.MapVal(map[string]cty.Value{"x": str("1"), "y": str("3")})}),
			SensitivePaths: []cty.Path{cty.GetAttrPath("m").IndexString("y"), cty.GetAttrPath("o")},
		}
		for name, test := range map[string]struct {
			ignore terraform.IgnoreChanges
			want   string
		}{
			"none": {terraform.IgnoreChanges{}, "[m[\"y\"] o]"},
			"all":  {terraform.IgnoreChanges{All: true}, "[o m[\"x\"] l]"},
			"path": {terraform.IgnoreChanges{Paths: []cty.Path{cty.GetAttrPath("o")}}, "[m[\"y\"] o]"},
			"map":  {terraform.IgnoreChanges{Paths: []cty.Path{cty.GetAttrPath("m")}}, "[o m[\"x\"]]"},
			"key":  {terraform.IgnoreChanges{Paths: []cty.Path{cty.GetAttrPath("m").IndexString("y")}}, "[o]"},
		} {
			config.IgnoreChanges = test.ignore
			p, diags := f.engine.Plan(t.Context(), f.resource, in, config)
			wantNoErrors(t, diags)
			var got []string
			for _, path := range p.SensitivePaths {
				got = append(got, diagnostic.FormatPath(path))
			}
			wantEqual(t, name, fmt.Sprint(got), test.want)
		}
		config.IgnoreChanges = terraform.IgnoreChanges{All: true}
		p, diags := f.engine.Plan(t.Context(), f.resource, instance.Instance{}, config)
		wantNoErrors(t, diags)
		wantEqual(t, "of an object to be created", len(p.SensitivePaths), 2)
	})
	// The warning is about the configuration: it is reported once, with or without an object.
	t.Run("computed attribute", func(t *testing.T) {
		f := newFixture(t, r)
		config := terraform.Config{Value: value(nil), IgnoreChanges: terraform.IgnoreChanges{Paths: []cty.Path{cty.GetAttrPath("c")}}}
		want := diagnostic.Diagnostics{{
			Severity: diagnostic.Warning, Attribute: cty.GetAttrPath("c"), Summary: "Redundant ignore_changes element",
			Detail: "The provider alone decides this attribute, so there is no configured change to ignore.",
		}}.String()
		wantEqual(t, "warnings of the validation", f.engine.Validate(t.Context(), f.resource, config).String(), want)
		for _, in := range []instance.Instance{{}, f.existing(value(nil), cty.NilVal, "")} {
			_, diags := f.engine.Plan(t.Context(), f.resource, in, config)
			wantEqual(t, "warnings", diags.String(), want)
			validated := config
			validated.Validated = true
			_, diags = f.engine.Plan(t.Context(), f.resource, in, validated)
			wantEqual(t, "warnings after a validation", diags.String(), "")
		}
	})
}

// requires_replace has an effect if the value changes, or may change.
func TestRequiresReplace(t *testing.T) {
	r := &schema.Resource{Type: "test_thing", Block: &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"o": {Type: cty.String, Optional: true},
			"l": {Type: cty.List(cty.String), Optional: true}, "d": {Type: cty.DynamicPseudoType, Optional: true},
		},
	}}
	strs := func(texts ...string) cty.Value {
		if len(texts) == 0 {
			return cty.NullVal(cty.List(cty.String))
		}
		var values []cty.Value
		for _, text := range texts {
			values = append(values, str(text))
		}
		return cty.ListVal(values)
	}
	value := func(o, l, d cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"o": o, "l": l, "d": d}) }
	element := attributePath("l").WithElementKeyInt(1)
	tests := map[string]struct {
		prior, config cty.Value
		want          terraform.Action
	}{
		"element added":     {value(str("a"), strs("x"), null), value(str("a"), strs("x", "y"), null), terraform.DeleteThenCreate},
		"element removed":   {value(str("a"), strs("x", "y"), null), value(str("a"), strs("x"), null), terraform.DeleteThenCreate},
		"element unchanged": {value(str("a"), strs("x", "y"), null), value(str("b"), strs("z", "y"), null), terraform.Update},
		"element changed":   {value(str("a"), strs("x", "y"), null), value(str("a"), strs("x", "z"), null), terraform.DeleteThenCreate},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, r)
			f.plansProposed(element)
			p, diags := f.plan(f.existing(test.prior, cty.NilVal, ""), test.config)
			wantNoErrors(t, diags)
			wantEqual(t, "action", p.Action, test.want)
		})
	}
	// Paths end at a set: a provider may name the same set once for each of its elements.
	t.Run("path named twice", func(t *testing.T) {
		f := newFixture(t, r)
		f.plansProposed(attributePath("o"), element, attributePath("o"), element)
		p, diags := f.plan(f.existing(value(str("a"), strs("x", "y"), null), cty.NilVal, ""), value(str("b"), strs("x", "z"), null))
		wantNoErrors(t, diags)
		want := []cty.Path{cty.GetAttrPath("o"), cty.GetAttrPath("l").IndexInt(1)}
		if diff := cmp.Diff(want, p.RequiresReplace, cmp.Comparer(cty.Path.Equals)); diff != "" {
			t.Errorf("paths: -want, +got:\n%s", diff)
		}
	})
	t.Run("type changed", func(t *testing.T) {
		f := newFixture(t, r)
		f.plansProposed(attributePath("d"))
		for _, test := range []struct {
			before, after cty.Value
			want          terraform.Action
		}{
			{str("1"), cty.NumberIntVal(1), terraform.DeleteThenCreate},
			{cty.NullVal(cty.DynamicPseudoType), str("1"), terraform.DeleteThenCreate},
			{cty.TupleVal([]cty.Value{cty.True}), cty.TupleVal([]cty.Value{cty.False}), terraform.DeleteThenCreate},
		} {
			p, diags := f.plan(f.existing(value(str("a"), strs(), test.before), cty.NilVal, ""), value(str("a"), strs(), test.after))
			wantNoErrors(t, diags)
			wantEqual(t, "action", p.Action, test.want)
		}
	})
}

func TestPlanDestroy(t *testing.T) {
	a := object(map[string]cty.Value{"o": str("a")})
	t.Run("of nothing", func(t *testing.T) {
		f := newFixture(t, thing())
		p, diags := f.engine.PlanDestroy(t.Context(), f.resource, instance.Instance{})
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.NoOp)
		wantEqual(t, "calls", len(f.Calls()), 0)
	})
	t.Run("without plan_destroy", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Provider.Capabilities.PlanDestroy = false
		p, diags := f.engine.PlanDestroy(t.Context(), f.resource, f.existing(a, identity("1"), "p"))
		wantNoErrors(t, diags)
		wantEqual(t, "action", p.Action, terraform.Delete)
		wantEqual(t, "private", string(p.Private), "p")
		wantEqual(t, "calls", len(f.Calls()), 0)
		if _, diags := f.engine.Apply(t.Context(), p); diags.HasErrors() {
			t.Fatal(diags)
		}
		request := last[*tfprotov6.ApplyResourceChangeRequest](f)
		wantValue(t, "identity sent", f.decIdentity(request.PlannedIdentity), identity("1"))
		wantEqual(t, "private sent", string(request.PlannedPrivate), "p")
	})
	t.Run("something else planned", func(t *testing.T) {
		f := newFixture(t, thing())
		f.plansTo(a)
		_, diags := f.engine.PlanDestroy(t.Context(), f.resource, f.existing(a, identity("1"), "p"))
		wantError(t, diags, "Provider produced invalid plan")
	})
	t.Run("unknown identity", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
			return &tfprotov6.PlanResourceChangeResponse{
				PlannedState:    r.ProposedNewState,
				PlannedIdentity: f.encIdentity(cty.UnknownVal(f.resource.Schema.IdentityType())),
			}, nil
		}
		_, diags := f.engine.PlanDestroy(t.Context(), f.resource, f.existing(a, identity("1"), "p"))
		wantError(t, diags, "Provider produced invalid identity")
	})
	t.Run("planned identity only", func(t *testing.T) {
		f := newFixture(t, thing())
		f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
			return &tfprotov6.PlanResourceChangeResponse{PlannedState: r.ProposedNewState, PlannedIdentity: f.encIdentity(identity("planned"))}, nil
		}
		if _, diags := f.destroy(f.existing(a, cty.NilVal, "p")); diags.HasErrors() {
			t.Fatal(diags)
		}
		wantValue(t, "identity sent", f.decIdentity(last[*tfprotov6.ApplyResourceChangeRequest](f).PlannedIdentity), identity("planned"))
	})
}

// Computed blocks that are not configured are sent as null, at any depth.
func TestComputedBlocks(t *testing.T) {
	leaf := &schema.Block{Attributes: map[string]*schema.Attribute{"x": {Type: cty.String, Computed: true}}}
	outer := func(nesting schema.Nesting) *schema.Resource {
		return &schema.Resource{Type: "test_thing", Block: &schema.Block{Blocks: map[string]*schema.NestedBlock{
			"b": {Nesting: nesting, Block: &schema.Block{
				Attributes: map[string]*schema.Attribute{"o": {Type: cty.String, Optional: true}},
				Blocks:     map[string]*schema.NestedBlock{"c": {Nesting: schema.NestingSet, Block: leaf, Computed: true}},
			}},
			"plain": {Nesting: schema.NestingList, Block: leaf},
		}}}
	}
	inner := func(c cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"o": str("a"), "c": c}) }
	empty, unset := inner(cty.SetValEmpty(leaf.ImpliedType())), inner(cty.NullVal(cty.Set(leaf.ImpliedType())))
	configured := inner(cty.SetVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"x": null})}))
	wrap := map[schema.Nesting]func(cty.Value) cty.Value{
		schema.NestingSingle: func(v cty.Value) cty.Value { return v },
		schema.NestingGroup:  func(v cty.Value) cty.Value { return v },
		schema.NestingList:   func(v cty.Value) cty.Value { return cty.ListVal([]cty.Value{v}) },
		schema.NestingSet:    func(v cty.Value) cty.Value { return cty.SetVal([]cty.Value{v}) },
		schema.NestingMap:    func(v cty.Value) cty.Value { return cty.MapVal(map[string]cty.Value{"k": v}) },
	}
	for nesting, in := range wrap {
		t.Run(string(nesting), func(t *testing.T) {
			f := newFixture(t, outer(nesting))
			for name, test := range map[string]struct{ given, want cty.Value }{
				"empty": {in(empty), in(unset)}, "configured": {in(configured), in(configured)}, "null": {
					cty.NullVal(in(empty).Type()), cty.NullVal(in(empty).Type()),
				},
			} {
				plain := cty.ListValEmpty(leaf.ImpliedType())
				value := func(b cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"b": b, "plain": plain}) }
				wantNoErrors(t, f.engine.Validate(t.Context(), f.resource, terraform.Config{Value: value(test.given)}))
				wantValue(t, name, f.dec(last[*tfprotov6.ValidateResourceConfigRequest](f).Config), value(test.want))
			}
		})
	}
}

// Ignored changes affect only the plan: the apply request has the configuration as it was
// written.
func TestApplySendsTheOriginalConfiguration(t *testing.T) {
	for name, ignore := range map[string]terraform.IgnoreChanges{
		"one": {Paths: []cty.Path{cty.GetAttrPath("o")}},
		"all": {All: true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, thing())
			written := object(map[string]cty.Value{"o": str("b")})
			p, diags := f.engine.Plan(t.Context(), f.resource,
				f.existing(object(map[string]cty.Value{"o": str("a")}), identity("1"), "p"), terraform.Config{
					Value: written, IgnoreChanges: ignore,
				})
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if !p.Config.RawEquals(written) {
				t.Errorf("the plan's configuration is %#v", p.Config)
			}
		})
	}
}
