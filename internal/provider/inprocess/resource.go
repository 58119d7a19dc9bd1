package inprocess

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ValidateResourceConfig checks a resource's configuration.
func (s *Server) ValidateResourceConfig(
	ctx context.Context, r *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	q := *r
	fill(&q.Config)
	return call(ctx, s, &q, s.server.ValidateResourceConfig)
}

// UpgradeResourceState upgrades a stored state to the current schema version.
func (s *Server) UpgradeResourceState(
	ctx context.Context, r *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return call(ctx, s, r, s.server.UpgradeResourceState)
}

// UpgradeResourceIdentity upgrades a stored identity to the current schema version.
func (s *Server) UpgradeResourceIdentity(
	ctx context.Context, r *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return call(ctx, s, r, s.server.UpgradeResourceIdentity)
}

// ReadResource reads the remote object.
func (s *Server) ReadResource(ctx context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	q := *r
	fill(&q.CurrentState, &q.ProviderMeta)
	return call(ctx, s, &q, s.server.ReadResource)
}

// PlanResourceChange plans a change.
func (s *Server) PlanResourceChange(
	ctx context.Context, r *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	q := *r
	fill(&q.PriorState, &q.ProposedNewState, &q.Config, &q.ProviderMeta)
	return call(ctx, s, &q, s.server.PlanResourceChange)
}

// ApplyResourceChange applies a planned change.
func (s *Server) ApplyResourceChange(
	ctx context.Context, r *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	q := *r
	fill(&q.PriorState, &q.PlannedState, &q.Config, &q.ProviderMeta)
	return call(ctx, s, &q, s.server.ApplyResourceChange)
}

// ImportResourceState imports an object by id or by identity.
func (s *Server) ImportResourceState(
	ctx context.Context, r *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	return call(ctx, s, r, s.server.ImportResourceState)
}

// MoveResourceState converts the state of another resource type.
func (s *Server) MoveResourceState(
	ctx context.Context, r *tfprotov6.MoveResourceStateRequest,
) (*tfprotov6.MoveResourceStateResponse, error) {
	return call(ctx, s, r, s.server.MoveResourceState)
}

// GenerateResourceConfig generates a configuration from a state.
func (s *Server) GenerateResourceConfig(
	ctx context.Context, r *tfprotov6.GenerateResourceConfigRequest,
) (*tfprotov6.GenerateResourceConfigResponse, error) {
	q := *r
	fill(&q.State)
	return call(ctx, s, &q, s.server.GenerateResourceConfig)
}
