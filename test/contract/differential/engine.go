package differential

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// byEngine does a step with the engine alone, in the order of internal/command/local. It is for
// what no manifest can say: moves between resource types, provider_meta, and values that are
// sensitive though the schema does not say so.
func (l *linked) byEngine(ctx context.Context, x *compared, r *running) (outcome, error) {
	s := &engineStep{
		ctx: ctx, engine: engine.New(r.server), active: x.ours, step: l.wanted(x), x: x, source: r.source,
		resource: terraform.ResourceType{Schema: x.schema, ProviderMeta: x.ours.Meta()},
	}
	return s.run()
}

// engineStep is a step by the engine alone.
type engineStep struct {
	ctx      context.Context
	engine   *engine.Engine
	resource terraform.ResourceType
	active   *cloud.Active
	step     cases.Step
	x        *compared
	source   string
	out      outcome
}

func (s *engineStep) run() (outcome, error) {
	config, err := s.active.Case.ConfigValue(s.step)
	if err != nil {
		return outcome{}, err
	}
	if config.IsNull() {
		s.resource.ProviderMeta = cty.NilVal // a module tells it, and there is none that wants the object
	}
	s.out = outcome{raw: s.x.stored, reached: validates}
	if !config.IsNull() && s.failed(s.engine.Validate(s.ctx, s.resource, s.config(config))) {
		return s.out, nil
	}
	s.out.reached = plans
	in, err := s.stored()
	if err != nil {
		return outcome{}, err
	}
	in, ok := s.carryOut(in, config)
	if !ok {
		return s.out, nil
	}
	s.out.reached = applies
	s.out.raw, err = stateOf(s.resource.Schema, s.source, in)
	return s.out, err
}

// stored is the instance in the state. Of an object of another type nothing can be decoded.
func (s *engineStep) stored() (instance.Instance, error) {
	if s.x.movedFrom != "" {
		return readResource(s.x.stored, nil)
	}
	in, err := readResource(s.x.stored, s.resource.Schema)
	if err != nil {
		return in, err
	}
	// What the controller keeps between operations is as good as a state file.
	raw, err := instance.Encode(in, s.resource.Schema)
	if err != nil {
		return in, fmt.Errorf("encoding the instance: %w", err)
	}
	return instance.Decode(raw, s.resource.Schema)
}

func (s *engineStep) failed(diags diagnostic.Diagnostics) bool {
	for _, d := range diags {
		s.out.said = append(s.out.said, said{Severity: d.Severity, Summary: d.Summary, Path: d.Attribute})
	}
	return diags.HasErrors()
}

// carryOut plans and applies. An instance is only changed by what is applied, as tofu keeps
// nothing of a run that fails before that.
func (s *engineStep) carryOut(in instance.Instance, value cty.Value) (instance.Instance, bool) {
	config := s.config(value)
	config.Validated = true
	now := in
	now.Deposed = nil
	var deposed []terraform.Plan
	isPlanned := true
	for _, d := range in.Deposed {
		p, ok := s.planDestroy(d.Instance())
		isPlanned = isPlanned && ok
		deposed = append(deposed, p)
	}
	importing := false
	switch {
	case !now.Exists() && s.x.importID != "":
		imported, diags := s.engine.Import(s.ctx, s.resource, s.target())
		if s.failed(diags) {
			return in, false
		}
		now, importing = imported, true
		// Sensitive from the first plan on, as far as it has the values.
		now.SensitivePaths = slices.DeleteFunc(slices.Clone(config.SensitivePaths), func(path cty.Path) bool {
			_, err := path.Apply(now.State)
			return err != nil
		})
	case now.Exists():
		var ok bool
		if now, ok = s.refresh(now); !ok {
			return in, false
		}
	}
	if now.Exists() && !value.IsNull() {
		now.CreateBeforeDestroy = config.CreateBeforeDestroy
	}
	var p terraform.Plan
	var diags diagnostic.Diagnostics
	if value.IsNull() {
		p, diags = s.engine.PlanDestroy(s.ctx, s.resource, now)
	} else {
		p, diags = s.engine.Plan(s.ctx, s.resource, now, config)
	}
	if s.failed(diags) || !isPlanned {
		return in, false
	}
	if p.Action != terraform.NoOp || importing {
		s.out.planned = append(s.out.planned, plannedChange(p, importing))
	}
	return s.apply(now, p, config, deposed), true
}

// refresh moves the object here, where it is of another type, and reads it.
func (s *engineStep) refresh(in instance.Instance) (instance.Instance, bool) {
	if s.x.movedFrom != "" {
		moved, diags := s.engine.MoveResourceState(s.ctx, s.resource, engine.MoveSource{
			ProviderAddress: s.source, Schema: &schema.Resource{Type: s.x.movedFrom}, Instance: in,
		})
		if s.failed(diags) {
			return in, false
		}
		in = moved
	}
	refreshed, diags := s.engine.Refresh(s.ctx, s.resource, in)
	return refreshed.Instance, !s.failed(diags)
}

// planDestroy refreshes and plans to destroy a deposed object.
func (s *engineStep) planDestroy(in instance.Instance) (terraform.Plan, bool) {
	in, ok := s.refresh(in)
	if !ok {
		return terraform.Plan{}, false
	}
	p, diags := s.engine.PlanDestroy(s.ctx, s.resource, in)
	return p, !s.failed(diags)
}

func (s *engineStep) apply(now instance.Instance, p terraform.Plan, config terraform.Config, deposed []terraform.Plan) instance.Instance {
	begun := len(s.out.said)
	failed := func() bool { return slices.ContainsFunc(s.out.said[begun:], said.isError) }
	switch p.Action {
	case terraform.Create, terraform.Update, terraform.Delete, terraform.NoOp:
		var diags diagnostic.Diagnostics
		now, diags = s.engine.Apply(s.ctx, p)
		s.failed(diags)
	case terraform.DeleteThenCreate:
		now = s.destroy(now)
		if !now.Exists() && !failed() {
			now = s.create(now, config)
		}
	case terraform.CreateThenDelete:
		old := now
		now = s.create(instance.Instance{}, config)
		switch {
		case !now.Exists():
			now = old
		case failed():
			now.Deposed = append(now.Deposed, old.Depose("00000001"))
		default:
			if left := s.destroy(old); left.Exists() {
				now.Deposed = append(now.Deposed, left.Depose("00000001"))
			}
		}
	}
	isFailed := failed() && !p.Config.IsNull()
	for i, d := range deposed {
		if d.Action == terraform.NoOp {
			continue
		}
		if isFailed {
			now.Deposed = append(now.Deposed, d.Prior.Depose(fmt.Sprintf("0000001%d", i)))
			continue
		}
		left, diags := s.engine.Apply(s.ctx, d)
		if s.failed(diags); left.Exists() {
			now.Deposed = append(now.Deposed, left.Depose(fmt.Sprintf("0000001%d", i)))
		}
	}
	return now
}

func (s *engineStep) destroy(in instance.Instance) instance.Instance {
	p, diags := s.engine.PlanDestroy(s.ctx, s.resource, in)
	if s.failed(diags) {
		return in
	}
	out, diags := s.engine.Apply(s.ctx, p)
	s.failed(diags)
	return out
}

func (s *engineStep) create(in instance.Instance, config terraform.Config) instance.Instance {
	p, diags := s.engine.Plan(s.ctx, s.resource, in, config)
	if s.failed(diags) {
		return in
	}
	out, diags := s.engine.Apply(s.ctx, p)
	s.failed(diags)
	return out
}

func (s *engineStep) config(v cty.Value) terraform.Config {
	step := s.step
	out := terraform.Config{Value: v, CreateBeforeDestroy: step.CreateBeforeDestroy}
	for _, p := range step.Sensitive {
		out.SensitivePaths = append(out.SensitivePaths, cty.Path(p))
	}
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
	if s.step.Import == cases.ImportByIdentity {
		return terraform.ImportTarget{Identity: s.active.Identity(s.x.importID)}
	}
	return terraform.ImportTarget{ID: s.x.importID}
}

// stateOf is an instance as a resource of a state file; nil when there is nothing to store.
func stateOf(r *schema.Resource, source string, in instance.Instance) (json.RawMessage, error) {
	if !in.Exists() && len(in.Deposed) == 0 {
		return nil, nil
	}
	file, err := tfstate.Write(tfstate.State{Resources: []tfstate.ResourceBlock{{
		Mode: "managed", Type: r.Type, Name: objectName, Provider: fmt.Sprintf("provider[%q]", source),
		Instances: []tfstate.Instance{{Instance: in}},
	}}}, func(string) *schema.Resource { return r })
	if err != nil {
		return nil, err
	}
	all, err := tofu.Resources(file)
	return all[r.Type], err
}

// readResource is the instance in a resource of a state file.
func readResource(resource json.RawMessage, s *schema.Resource) (instance.Instance, error) {
	if resource == nil {
		return instance.Instance{}, nil
	}
	file, err := tofu.StateFile(resource)
	if err != nil {
		return instance.Instance{}, err
	}
	state, err := tfstate.Read(file, func(string) *schema.Resource { return s })
	if err != nil {
		return instance.Instance{}, err
	}
	for _, i := range state.All() {
		return i.Instance, nil
	}
	return instance.Instance{}, nil
}
