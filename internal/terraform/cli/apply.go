//lint:file-ignore SA1019 What the legacy SDK may do is what has to be said here.

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

// Apply implements terraform.Executor. The program plans again, and is answered with the plan; the
// provider is asked to change what was planned, and nothing else. It is not interrupted when the
// program is: it goes on until it answers, or ctx ends.
func (e *Executor) Apply(ctx context.Context, p terraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	none := e.replay(log{})
	if before, diags := engine.New(none).Apply(ctx, p); !none.missing {
		return before, diags // there is nothing to do, or it cannot be done
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
			diags = diagnostic.Errorf("Unexpected answer of the command line", "%s ended well without asking the provider for the change that was planned.", e.runner.options.Program)
		}
		return p.Prior, diags
	case change.said.HasErrors():
		return change.after, change.said
	}
	file, err := readState(out.state, p.Resource.Schema)
	if !out.ok() || err != nil || file.Exists() != change.after.Exists() {
		return change.after, append(change.said, e.lastWords(out)...)
	}
	after := change.after
	if file.Exists() {
		after, _ = e.adopt(after, file)
	}
	return after, append(change.said, e.warnings(out, change.said)...)
}

// carriedOut is a change that the engine carried out for a run of the program: what it makes of the
// provider's answer is known whatever becomes of the run.
type carriedOut struct {
	provider.Server
	begun  bool
	answer *tfprotov6.ApplyResourceChangeResponse
	err    error

	after instance.Instance
	said  diagnostic.Diagnostics
}

func (c *carriedOut) do(ctx context.Context, p terraform.Plan) (*tfprotov6.ApplyResourceChangeResponse, error) {
	c.begun, c.err = true, errNotAsked
	faultpoint.Reach(faultpoint.CommandLine, faultpoint.BeforeAsk)
	c.after, c.said = engine.New(c).Apply(ctx, p)
	faultpoint.Reach(faultpoint.CommandLine, faultpoint.BeforeAnswer)
	return c.answer, c.err
}

// ApplyResourceChange takes note of the answer.
func (c *carriedOut) ApplyResourceChange(ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	c.answer, c.err = c.Server.ApplyResourceChange(ctx, q)
	return c.answer, c.err
}

// planned is a plan as the provider would answer it. That it may depart from the configuration, for
// the sake of ignore_changes above all, was found to be all right when it was made.
func planned(p terraform.Plan) (*tfprotov6.PlanResourceChangeResponse, diagnostic.Diagnostics) {
	r := p.Resource.Schema
	state, err := wire.Marshal(p.State, r.ImpliedType())
	if err != nil {
		return nil, diagnostic.Errorf("Value cannot be encoded", "The planned state of %s cannot be told to the command line: %s.", r.Type, err)
	}
	out := &tfprotov6.PlanResourceChangeResponse{
		PlannedState: &tfprotov6.DynamicValue{MsgPack: state}, PlannedPrivate: p.Private, UnsafeToUseLegacyTypeSystem: true,
	}
	if r.Identity != nil && p.Identity != cty.NilVal && !p.Identity.IsNull() {
		identity, err := wire.Marshal(p.Identity, r.IdentityType())
		if err != nil {
			return nil, diagnostic.Errorf("Value cannot be encoded", "The planned identity of %s cannot be told to the command line: %s.", r.Type, err)
		}
		out.PlannedIdentity = &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: identity}}
	}
	return out, nil
}

// lastWords is what a program has to say that failed after the provider had done its part: nothing is
// amiss with the object.
func (e *Executor) lastWords(out outcome) diagnostic.Diagnostics {
	said := e.disagreement("is another one", "is as it is stored now")
	if !out.ok() {
		said = e.failed(out)
	}
	for i := range said {
		said[i].Severity = diagnostic.Warning
		said[i].Detail += " What the provider answered is stored all the same."
	}
	return said
}
