//lint:file-ignore SA1019 The field that allows what the legacy SDK may do is deprecated.

package cli

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/wire"
)

// Apply implements terraform.Executor. The program plans again, and gets the given plan as the
// answer; the provider is asked for that change and nothing else. If the program is killed, the
// call continues until the provider answers or ctx ends.
func (e *Executor) Apply(ctx context.Context, p terraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	none := e.replay(log{})
	if before, diags := engine.New(none).Apply(ctx, p); !none.missing {
		return before, diags // there is nothing to do, or the plan is invalid
	}
	answer, diags := planned(p)
	if diags.HasErrors() {
		return p.Prior, diags
	}
	c := configuration{resource: p.Resource}
	if p.Action != terraform.Delete {
		c.wanted = &terraform.Config{Value: p.Config, SensitivePaths: p.SensitivePaths, CreateBeforeDestroy: p.CreateBeforeDestroy}
	}
	before := p.Prior
	before.SensitivePaths = stored(p.Resource.Schema, p.SensitivePaths)
	change := &carriedOut{Server: e.server}
	s := &session{
		// It was validated when it was planned.
		validate: func(*tfprotov6.ValidateResourceConfigRequest) *tfprotov6.ValidateResourceConfigResponse {
			return &tfprotov6.ValidateResourceConfigResponse{}
		},
		plan: func(*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
			return answer, nil
		},
		apply: func(ctx context.Context) (*tfprotov6.ApplyResourceChangeResponse, error) { return change.do(ctx, p) },
	}
	out, diags := e.run(ctx, job{args: applying, configuration: c, state: before, session: s})
	if change.begun {
		faultpoint.Reach(faultpoint.CommandLine, faultpoint.BeforeState)
	}
	switch {
	case diags.HasErrors() && !change.begun:
		return p.Prior, diags
	case !change.begun:
		diags = e.failed(out)
		if out.ok() {
			diags = diagnostic.Errorf("Unexpected answer of the command line",
				"%s succeeded without asking the provider for the planned change.", e.runner.Program())
		}
		return p.Prior, diags
	case change.diags.HasErrors():
		return change.after, change.diags
	}
	file, err := readState(out.state, p.Resource.Schema)
	if !out.ok() || err != nil || file.Exists() != change.after.Exists() {
		return change.after, append(change.diags, e.failedAfterChange(out)...)
	}
	after := change.after
	if file.Exists() {
		after, _ = e.adopt(after, file)
	}
	return after, append(change.diags, e.warnings(out, change.diags)...)
}

// carriedOut is a change that the engine makes for a run of the program, so that its outcome is
// known even if the run fails.
type carriedOut struct {
	provider.Server
	begun  bool
	answer *tfprotov6.ApplyResourceChangeResponse
	err    error

	after instance.Instance
	diags diagnostic.Diagnostics
}

func (c *carriedOut) do(ctx context.Context, p terraform.Plan) (*tfprotov6.ApplyResourceChangeResponse, error) {
	c.begun, c.err = true, errNotAsked
	faultpoint.Reach(faultpoint.CommandLine, faultpoint.BeforeAsk)
	c.after, c.diags = engine.New(c).Apply(ctx, p)
	faultpoint.Reach(faultpoint.CommandLine, faultpoint.BeforeAnswer)
	return c.answer, c.err
}

// ApplyResourceChange records the answer.
func (c *carriedOut) ApplyResourceChange(
	ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	c.answer, c.err = c.Server.ApplyResourceChange(ctx, q)
	return c.answer, c.err
}

// planned returns a plan as the provider's answer. The plan was checked when it was made, so it may
// differ from the configuration, mostly because of ignore_changes.
func planned(p terraform.Plan) (*tfprotov6.PlanResourceChangeResponse, diagnostic.Diagnostics) {
	r := p.Resource.Schema
	state, err := wire.Marshal(p.State, r.ImpliedType())
	if err != nil {
		return nil, diagnostic.Errorf("Value cannot be encoded",
			"The planned state of %s cannot be encoded for the command line: %s.", r.Type, err)
	}
	out := &tfprotov6.PlanResourceChangeResponse{
		PlannedState: &tfprotov6.DynamicValue{MsgPack: state}, PlannedPrivate: p.Private, UnsafeToUseLegacyTypeSystem: true,
	}
	if r.Identity != nil && p.Identity != cty.NilVal && !p.Identity.IsNull() {
		identity, err := wire.Marshal(p.Identity, r.IdentityType())
		if err != nil {
			return nil, diagnostic.Errorf("Value cannot be encoded",
				"The planned identity of %s cannot be encoded for the command line: %s.", r.Type, err)
		}
		out.PlannedIdentity = &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: identity}}
	}
	return out, nil
}

// failedAfterChange returns the warnings of a run that failed after the provider made the change.
func (e *Executor) failedAfterChange(out outcome) diagnostic.Diagnostics {
	diags := e.disagreement("is a different one", "is the one that is stored now")
	if !out.ok() {
		diags = e.failed(out)
	}
	for i := range diags {
		diags[i].Severity = diagnostic.Warning
		diags[i].Detail += " The provider's answer is stored."
	}
	return diags
}
