//lint:file-ignore SA1019 Providers of the legacy SDK still set UnsafeToUseLegacyTypeSystem.

package engine

import (
	"bytes"
	"context"

	"github.com/go-logr/logr"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine/objchange"
)

const invalidPlan = "Provider produced invalid plan"

// Plan implements terraform.Executor (contract § 3.4). For a replacement the plan's state,
// private bytes and identity are those of the object to be created.
func (e *Engine) Plan(
	ctx context.Context, r terraform.ResourceType, in instance.Instance, config terraform.Config,
) (terraform.Plan, diagnostic.Diagnostics) {
	none := terraform.Plan{Resource: r, Prior: in}
	c, diags := e.begin(ctx, r)
	if diags.HasErrors() {
		return none, diags
	}
	if diags := notRefreshed(in); diags.HasErrors() {
		return none, diags
	}
	original, diags := c.config(config.Value)
	if diags.HasErrors() {
		return none, diags
	}
	if !config.Validated {
		diags = append(diags, c.validate(ctx, original, config.IgnoreChanges)...)
		if diags.HasErrors() {
			return none, diags
		}
	}
	validation := diags.Warnings()

	tainted := in.Exists() && in.Status == instance.Tainted
	from := in
	if !in.Exists() || tainted {
		from = instance.Instance{State: cty.NullVal(c.state), Identity: nullIdentity(c.identity)}
	}
	request := planRequest{prior: from, config: original, private: config.PlannedPrivate}
	if config.IgnoreChanges.All || len(config.IgnoreChanges.Paths) > 0 {
		request.config = ignoreChanges(c.schema.Block, config.IgnoreChanges, from.State, original)
		if c.hasComputedBlocks {
			request.config = emptyComputedBlocks(c.schema.Block, request.config)
		}
	}
	answer, more := c.planChange(ctx, request)
	diags = append(diags, more...)
	if diags.HasErrors() {
		return none, diags
	}
	if answer.legacy {
		answer.state = ignoreInPlan(config.IgnoreChanges, from.State, answer.state)
	}
	paths, more := c.requiresReplace(answer.requiresReplace, from.State, answer.state)
	diags = append(diags, more...)

	plan := terraform.Plan{
		Resource: r, Prior: in, Config: original, SensitivePaths: ignoredMarks(config.IgnoreChanges, from, config.SensitivePaths),
		CreateBeforeDestroy: config.CreateBeforeDestroy, RequiresReplace: paths, Validation: validation,
	}
	switch {
	case tainted:
		plan.Action, plan.Reason = replacement(config.CreateBeforeDestroy), terraform.ReplaceBecauseTainted
	case from.State.IsNull():
		plan.Action = terraform.Create
	case len(paths) > 0:
		plan.Action, plan.Reason = replacement(config.CreateBeforeDestroy), terraform.ReplaceBecauseCannotUpdate
	case answer.unchanged || isNoOp(from.State, answer.state):
		plan.Action = terraform.NoOp
	default:
		plan.Action = terraform.Update
	}
	if plan.Action == terraform.NoOp || plan.Action == terraform.Update {
		diags = append(diags, c.knownIdentity(answer.identity)...)
	}
	if diags.HasErrors() {
		return none, diags
	}
	if config.Reapply && (plan.Action == terraform.NoOp || plan.Action == terraform.Update) {
		plan.State, plan.Private, plan.Identity = answer.state, answer.private, answer.identity
		diags = append(diags, c.reapply(ctx, from, request.config, config.IgnoreChanges, &plan)...)
		if diags.HasErrors() {
			return none, diags
		}
		plan.Warnings = diags.Warnings()
		return plan, diags
	}
	if plan.Reason == terraform.ReplaceBecauseCannotUpdate {
		answer, more = c.planChange(ctx, planRequest{
			prior: instance.Instance{
				State: cty.NullVal(c.state), Private: answer.private, Identity: answer.identity,
			},
			config: original, second: true,
		})
		diags = append(diags, more.Errors()...)
		if diags.HasErrors() {
			return none, diags
		}
	}
	if plan.Action.IsReplace() && config.PreventDestroy {
		return none, append(diags, cannotBeDestroyed(c.schema.Type)...)
	}
	plan.State, plan.Private, plan.Identity = answer.state, answer.private, answer.identity
	if c.provider.Protocol == 6 && !bytes.Equal(plan.Private, in.Private) {
		plan.Again = plan.Private
	}
	plan.Warnings = diags.Warnings()
	return plan, diags
}

func replacement(createBeforeDestroy bool) terraform.Action {
	if createBeforeDestroy {
		return terraform.CreateThenDelete
	}
	return terraform.DeleteThenCreate
}

func isNoOp(prior, planned cty.Value) bool {
	if !planned.IsWhollyKnown() {
		return false
	}
	return prior.RawEquals(planned)
}

func cannotBeDestroyed(what string) diagnostic.Diagnostics {
	return diagnostic.Errorf("Instance cannot be destroyed", "The plan for %s calls for the object to be destroyed, "+
		"but its configuration prevents that. Allow its destruction, or undo the change that calls for it.", what)
}

type planRequest struct {
	prior  instance.Instance
	config cty.Value
	// private are the bytes of an earlier plan of the same change.
	private []byte
	// second is set for the plan of the new object of a replacement.
	second bool
}

type planAnswer struct {
	state           cty.Value
	private         []byte
	identity        cty.Value
	requiresReplace []*tftypes.AttributePath
	legacy          bool
	// unchanged is set when state is, byte for byte, the prior state.
	unchanged bool
}

// planChange asks the provider to plan a create or an update, and checks the answer.
func (c *call) planChange(ctx context.Context, request planRequest) (planAnswer, diagnostic.Diagnostics) {
	proposed := objchange.ProposedNew(c.schema.Block, request.prior.State, request.config)
	rpc, diags := c.planRPC(request.prior, proposed, request.config)
	if diags.HasErrors() {
		return planAnswer{}, diags
	}
	answer, err := c.server.PlanResourceChange(provider.WithPlannedPrivate(ctx, request.private), rpc)
	if err != nil {
		return planAnswer{}, provider.CallError(err)
	}
	diags = diagnostic.FromProtocol(answer.Diagnostics)
	if answer.Deferred != nil && !diags.HasErrors() {
		return planAnswer{}, append(diags, c.deferred(answer.Deferred)...)
	}
	if diags.HasErrors() {
		return planAnswer{}, c.explainIdentity(diags, request.prior.Identity)
	}
	out := planAnswer{private: answer.PlannedPrivate, requiresReplace: answer.RequiresReplace, legacy: answer.UnsafeToUseLegacyTypeSystem}
	if answer.PlannedState != nil && sameBytes(answer.PlannedState.MsgPack, rpc.PriorState.MsgPack) && request.prior.Exists() {
		out.state, out.unchanged = request.prior.State, true // no need to decode
	} else if out.state, err = c.decodeState(answer.PlannedState); err != nil {
		return out,
			append(diags, diagnostic.AttributeErrorf(c.at(err), invalidPlan,
				"The provider's plan for %s does not fit its schema: %s. %s", c.schema.Type, err, providerBug)...)
	}
	var more diagnostic.Diagnostics
	out.identity, _, more = c.answeredIdentity(answer.PlannedIdentity)
	diags = append(diags, more...)
	diags = append(diags, c.checkWriteOnly(out.state, invalidPlan, "The plan")...)
	if !request.second || out.state.IsNull() {
		diags = append(diags, c.assertPlanValid(ctx, request, out)...)
	}
	return out, diags
}

func (c *call) assertPlanValid(ctx context.Context, request planRequest, out planAnswer) diagnostic.Diagnostics {
	log := logr.FromContextOrDiscard(ctx).V(1)
	// A null plan cannot be carried out, even if it is a legacy provider's.
	if out.legacy && !log.Enabled() && !out.state.IsNull() {
		return nil
	}
	var diags diagnostic.Diagnostics
	for _, err := range objchange.AssertPlanValid(c.schema.Block, request.prior.State, request.config, out.state) {
		path := c.at(err)
		if out.legacy && !out.state.IsNull() {
			log.Info("The provider's plan is invalid, which is tolerated because it uses the legacy plugin SDK",
				"type", c.schema.Type, "attribute", diagnostic.FormatPath(path), "problem", err.Error())
			continue
		}
		diags = append(diags, diagnostic.AttributeErrorf(path, invalidPlan,
			"The provider planned an invalid value for %s: %s. %s", c.schema.Type, err, providerBug)...)
	}
	return diags
}

// planRPC returns the request for a plan; config and proposed are null for a destroy.
func (c *call) planRPC(prior instance.Instance, proposed, config cty.Value) (*tfprotov6.PlanResourceChangeRequest, diagnostic.Diagnostics) {
	priorBytes, err := c.stateBytes(prior)
	if err != nil {
		return nil, c.unencodable("prior state", err)
	}
	proposedBytes, err := encode(proposed, c.state)
	if err != nil {
		return nil, c.unencodable("proposed state", err)
	}
	configBytes, err := encode(config, c.state)
	if err != nil {
		return nil, c.unencodable("configuration", err)
	}
	identity, err := c.identityBytes(prior)
	if err != nil {
		return nil, c.unencodable("identity", err)
	}
	return &tfprotov6.PlanResourceChangeRequest{
		TypeName: c.schema.Type, PriorState: dynamic(priorBytes), ProposedNewState: dynamic(proposedBytes),
		Config: dynamic(configBytes), PriorPrivate: prior.Private, ProviderMeta: optional(c.meta),
		PriorIdentity:      identityData(identity),
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{DeferralAllowed: true},
	}, nil
}

func (c *call) unencodable(what string, err error) diagnostic.Diagnostics {
	return diagnostic.AttributeErrorf(c.at(err), "Value cannot be encoded",
		"The %s of %s cannot be sent to the provider: %s.", what, c.schema.Type, err)
}
