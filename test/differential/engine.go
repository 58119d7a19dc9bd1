package differential

import (
	"context"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/diagnostic"
	"github.com/landbridge-io/landbridge/instance"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/terraform"
	"github.com/landbridge-io/landbridge/test/differential/internal/cases"
	"github.com/landbridge-io/landbridge/test/differential/internal/cloud"
)

// phase is how far a step gets. Tofu applies nothing at all when anything fails before.
type phase string

const (
	validates phase = "validate"
	plans     phase = "plan"
	applies   phase = "apply"
)

// outcome is what one side made of a step.
type outcome struct {
	instance instance.Instance
	// reached is the phase that failed, or the last one.
	reached phase
	// errors are the summaries of the errors.
	errors []string
	calls  []cloud.Call
	world  cloud.World
}

// engineStep is a step by the engine, in the order in which the scheduler calls it.
type engineStep struct {
	ctx      context.Context
	executor terraform.Executor
	resource terraform.Resource
	active   *cloud.Active
	importID string
	// wrote is the schema that the instance was stored with.
	wrote  *schema.Resource
	errors []string
}

func (s *engineStep) run(in instance.Instance) (outcome, error) {
	config, err := s.active.Case.ConfigValue(s.active.Step)
	if err != nil {
		return outcome{}, err
	}
	// What is stored between steps is all that is kept.
	raw, err := instance.Encode(in, s.wrote)
	if err != nil {
		return outcome{}, fmt.Errorf("encoding the instance: %w", err)
	}
	if in, err = instance.Decode(raw, s.resource.Schema); err != nil {
		return outcome{}, fmt.Errorf("decoding the instance: %w", err)
	}
	if s.active.Step.Taint && in.Exists() {
		in.Status = instance.Tainted
	}
	if !config.IsNull() {
		// Tofu validates before all else, so this decides what else there is to compare.
		if s.failed(s.executor.Validate(s.ctx, s.resource, s.config(config))) {
			return outcome{instance: in, reached: validates, errors: s.errors, calls: s.active.Calls(), world: s.active.World()}, nil
		}
		s.active.ForgetCalls()
	}
	reached, out := s.step(in, config)
	return outcome{instance: out, reached: reached, errors: s.errors, calls: s.active.Calls(), world: s.active.World()}, nil
}

func (s *engineStep) failed(diags diagnostic.Diagnostics) bool {
	for _, d := range diags.Errors() {
		s.errors = append(s.errors, d.Summary)
	}
	return diags.HasErrors()
}

// step plans and applies. An instance is only changed by what is applied, as tofu keeps
// nothing of a run that fails before that.
func (s *engineStep) step(in instance.Instance, value cty.Value) (phase, instance.Instance) {
	config := s.config(value)
	now := in
	now.Deposed = nil
	var deposed []terraform.Plan
	for _, d := range in.Deposed {
		p, ok := s.planDestroy(d.Instance())
		if !ok {
			return plans, in
		}
		deposed = append(deposed, p)
	}
	switch {
	case !now.Exists() && s.importID != "":
		imported, diags := s.executor.Import(s.ctx, s.resource, s.target())
		if s.failed(diags) {
			return plans, in
		}
		now = imported
	case now.Exists():
		refreshed, diags := s.executor.Refresh(s.ctx, s.resource, now)
		if s.failed(diags) {
			return plans, in
		}
		now = refreshed.Instance
	}
	var p terraform.Plan
	if value.IsNull() {
		if now.Exists() {
			var diags diagnostic.Diagnostics
			if p, diags = s.executor.PlanDestroy(s.ctx, s.resource, now); s.failed(diags) {
				return plans, in
			}
		}
	} else {
		var diags diagnostic.Diagnostics
		if p, diags = s.executor.Plan(s.ctx, s.resource, now, config); s.failed(diags) {
			return plans, in
		}
		config.Validated = true
	}
	return applies, s.apply(now, p, config, deposed)
}

// planDestroy refreshes and plans to destroy a deposed object.
func (s *engineStep) planDestroy(in instance.Instance) (terraform.Plan, bool) {
	refreshed, diags := s.executor.Refresh(s.ctx, s.resource, in)
	if s.failed(diags) {
		return terraform.Plan{}, false
	}
	p, diags := s.executor.PlanDestroy(s.ctx, s.resource, refreshed.Instance)
	return p, !s.failed(diags)
}

func (s *engineStep) apply(now instance.Instance, p terraform.Plan, config terraform.Config, deposed []terraform.Plan) instance.Instance {
	switch p.Action {
	case terraform.Create, terraform.Update, terraform.Delete, terraform.NoOp:
		var diags diagnostic.Diagnostics
		now, diags = s.executor.Apply(s.ctx, p)
		s.failed(diags)
	case terraform.DeleteThenCreate:
		now = s.destroy(now)
		if !now.Exists() && len(s.errors) == 0 {
			now = s.create(now, config)
		}
	case terraform.CreateThenDelete:
		old := now
		now = s.create(instance.Instance{}, config)
		switch {
		case !now.Exists():
			now = old
		case len(s.errors) > 0:
			now.Deposed = append(now.Deposed, old.Depose("00000001"))
		default:
			if left := s.destroy(old); left.Exists() {
				now.Deposed = append(now.Deposed, left.Depose("00000001"))
			}
		}
	}
	for i, d := range deposed {
		if d.Action == terraform.NoOp {
			continue
		}
		left, diags := s.executor.Apply(s.ctx, d)
		if s.failed(diags); left.Exists() {
			now.Deposed = append(now.Deposed, left.Depose(fmt.Sprintf("0000001%d", i)))
		}
	}
	return now
}

func (s *engineStep) destroy(in instance.Instance) instance.Instance {
	p, diags := s.executor.PlanDestroy(s.ctx, s.resource, in)
	if s.failed(diags) {
		return in
	}
	out, diags := s.executor.Apply(s.ctx, p)
	s.failed(diags)
	return out
}

func (s *engineStep) create(in instance.Instance, config terraform.Config) instance.Instance {
	p, diags := s.executor.Plan(s.ctx, s.resource, in, config)
	if s.failed(diags) {
		return in
	}
	out, diags := s.executor.Apply(s.ctx, p)
	s.failed(diags)
	return out
}

func (s *engineStep) config(v cty.Value) terraform.Config {
	step := s.active.Step
	out := terraform.Config{Value: v, CreateBeforeDestroy: step.CreateBeforeDestroy}
	if slices.Equal(step.IgnoreChanges, []string{"*"}) {
		out.IgnoreChanges.All = true
		return out
	}
	for _, name := range step.IgnoreChanges {
		out.IgnoreChanges.Paths = append(out.IgnoreChanges.Paths, cty.GetAttrPath(name))
	}
	return out
}

func (s *engineStep) target() terraform.ImportTarget {
	if s.active.Step.Import == cases.ImportByIdentity {
		return terraform.ImportTarget{Identity: s.active.Identity(s.importID)}
	}
	return terraform.ImportTarget{ID: s.importID}
}
