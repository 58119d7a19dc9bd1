package cli

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// Plan implements terraform.Executor. Values that are sensitive because of their source are marked
// in the prior state, too, since the mark alone is no change of the object.
func (e *Executor) Plan(
	ctx context.Context, r terraform.ResourceType, in instance.Instance, config terraform.Config,
) (terraform.Plan, diagnostic.Diagnostics) {
	config.Validated = false // the program validates always
	none := e.replay(log{})
	if p, diags := engine.New(none).Plan(ctx, r, in, config); !none.missing {
		return p, diags
	}
	refused := terraform.Plan{Resource: r, Prior: in}
	if diags := e.unsupported(r.Schema, config.Value); diags.HasErrors() {
		return refused, diags
	}
	before := in
	before.SensitivePaths = stored(r.Schema, config.SensitivePaths)
	out, diags := e.run(ctx, job{
		args: planning, configuration: configuration{resource: r, wanted: &config}, state: before,
		session: e.validates(r.Schema, config),
	})
	if diags.HasErrors() {
		return refused, diags
	}
	replayed := e.replay(out.log)
	plan, diags := engine.New(replayed).Plan(ctx, r, in, config)
	if diags = e.conclude(out, replayed, diags); diags.HasErrors() {
		return refused, diags
	}
	if diags := e.agrees(out, plan); diags.HasErrors() {
		return refused, diags
	}
	return plan, diags
}

// PlanDestroy implements terraform.Executor. The program destroys objects that are in the state and
// not in the configuration.
func (e *Executor) PlanDestroy(
	ctx context.Context, r terraform.ResourceType, in instance.Instance,
) (terraform.Plan, diagnostic.Diagnostics) {
	none := e.replay(log{})
	if p, diags := engine.New(none).PlanDestroy(ctx, r, in); diags.HasErrors() && !none.missing || p.Action == terraform.NoOp {
		return p, diags
	}
	refused := terraform.Plan{Resource: r, Prior: in}
	out, diags := e.run(ctx, job{args: planning, configuration: configuration{resource: r}, state: in, session: &session{}})
	if diags.HasErrors() {
		return refused, diags
	}
	replayed := e.replay(out.log)
	plan, diags := engine.New(replayed).PlanDestroy(ctx, r, in)
	if diags = e.conclude(out, replayed, diags); diags.HasErrors() {
		return refused, diags
	}
	if diags := e.agrees(out, plan); diags.HasErrors() {
		return refused, diags
	}
	return plan, diags
}

// actions are the program's actions and those that they stand for.
var actions = map[string][]terraform.Action{
	"noop":   {terraform.NoOp},
	"create": {terraform.Create},
	// The program plans an update when only the sensitive marks have changed.
	"update":  {terraform.Update, terraform.NoOp},
	"delete":  {terraform.Delete},
	"replace": {terraform.DeleteThenCreate, terraform.CreateThenDelete},
}

// agrees returns an error if the program's plan is not what the provider's answers mean. The
// program has no event for an object without changes.
func (e *Executor) agrees(out outcome, p terraform.Plan) diagnostic.Diagnostics {
	action := "noop"
	if len(out.changes) > 0 {
		action = out.changes[0].Action
	}
	for _, a := range actions[action] {
		if a == p.Action && len(out.changes) <= 1 {
			return nil
		}
	}
	return diagnostic.Errorf("Unexpected plan of the command line", "%s plans the action %s, but by the provider's "+
		"answers it is %s. Nothing was changed.", e.runner.Program(), action, p.Action)
}
