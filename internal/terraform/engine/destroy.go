package engine

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// PlanDestroy implements terraform.Executor (contract § 3.8). A provider that cannot plan a
// destroy is not asked. An instance without an object is a NoOp.
func (e *Engine) PlanDestroy(ctx context.Context, r terraform.ResourceType, in instance.Instance) (terraform.Plan, diagnostic.Diagnostics) {
	none := terraform.Plan{Resource: r, Prior: in}
	c, diags := e.begin(ctx, r)
	if diags.HasErrors() {
		return none, diags
	}
	null := cty.NullVal(c.state)
	plan := terraform.Plan{
		Resource: r, Prior: in, Action: terraform.Delete, Config: null, State: null, Private: in.Private,
		Identity: nullIdentity(c.identity), SensitivePaths: in.SensitivePaths,
	}
	if !in.Exists() {
		plan.Action = terraform.NoOp
		return plan, nil
	}
	if diags := notRefreshed(in); diags.HasErrors() {
		return none, diags
	}
	if !c.provider.Capabilities.PlanDestroy {
		return plan, nil
	}
	request, diags := c.planRPC(in, null, null)
	if diags.HasErrors() {
		return none, diags
	}
	answer, err := c.server.PlanResourceChange(ctx, request)
	if err != nil {
		return none, provider.CallError(err)
	}
	diags = diagnostic.FromProtocol(answer.Diagnostics)
	if answer.Deferred != nil && !diags.HasErrors() {
		diags = append(diags, c.deferred(answer.Deferred)...)
	}
	if diags.HasErrors() {
		return none, diags
	}
	if planned, err := c.decodeState(answer.PlannedState); err != nil || !planned.IsNull() {
		return none,
			append(
				diags, diagnostic.Errorf(invalidPlan, "The provider planned something other than the absence of %s "+
					"for its destruction. %s", c.schema.Type, providerBug)...,
			)
	}
	identity, _, more := c.answeredIdentity(answer.PlannedIdentity)
	if !more.HasErrors() {
		more = c.knownIdentity(identity)
	}
	diags = append(diags, more...)
	if diags.HasErrors() {
		return none, diags
	}
	plan.Private, plan.Identity = answer.PlannedPrivate, identity
	return plan, diags
}
