package cli

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider"
)

// replay is a provider server that repeats the answers of a run of the program, so that the engine
// can interpret them.
type replay struct {
	provider.Server
	log
	// missing is set when there was no such answer during the run: the program did not get that
	// far, and nothing follows from the other answers.
	missing bool
	// upgraded is set when the answer to the upgrade of the identity was repeated.
	upgraded bool
}

// next returns the next answer.
func next[A any](r *replay, from *[]answer[A]) (A, error) {
	if len(*from) == 0 {
		var none A
		r.missing = true
		return none, provider.NotSent(errNotAsked)
	}
	a := (*from)[0]
	*from = (*from)[1:]
	return a.answer, a.err
}

// last returns the last answer, since the program asks the same more than once.
func last[A any](r *replay, from []answer[A]) (A, error) {
	if n := len(from); n > 1 {
		from = from[n-1:]
	}
	return next(r, &from)
}

// ValidateResourceConfig implements provider.Server.
func (r *replay) ValidateResourceConfig(
	context.Context, *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return last(r, r.validated)
}

// UpgradeResourceState implements provider.Server.
func (r *replay) UpgradeResourceState(
	context.Context, *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return last(r, r.stateUpgrade)
}

// UpgradeResourceIdentity implements provider.Server. What the engine asks of the answer, the
// program has not asked.
func (r *replay) UpgradeResourceIdentity(
	ctx context.Context, request *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	if r.upgraded {
		return r.Server.UpgradeResourceIdentity(ctx, request)
	}
	r.upgraded = true
	return last(r, r.identityUpgrade)
}

// ImportResourceState implements provider.Server.
func (r *replay) ImportResourceState(
	context.Context, *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	return last(r, r.imported)
}

// ReadResource implements provider.Server.
func (r *replay) ReadResource(context.Context, *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return last(r, r.read)
}

// PlanResourceChange implements provider.Server. A replacement is planned in two steps.
func (r *replay) PlanResourceChange(context.Context, *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return next(r, &r.planned)
}

// ApplyResourceChange implements provider.Server. It never applies anything again.
func (r *replay) ApplyResourceChange(
	context.Context, *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	r.missing = true
	return nil, provider.NotSent(errNotAsked)
}
