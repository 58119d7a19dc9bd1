package inprocess

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ValidateEphemeralResourceConfig checks an ephemeral resource's configuration.
func (s *Server) ValidateEphemeralResourceConfig(
	ctx context.Context, r *tfprotov6.ValidateEphemeralResourceConfigRequest,
) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	q := *r
	fill(&q.Config)
	return call(ctx, s, &q, s.server.ValidateEphemeralResourceConfig)
}

// OpenEphemeralResource opens an ephemeral resource.
func (s *Server) OpenEphemeralResource(
	ctx context.Context, r *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	q := *r
	fill(&q.Config)
	return call(ctx, s, &q, s.server.OpenEphemeralResource)
}

// RenewEphemeralResource renews an ephemeral resource.
func (s *Server) RenewEphemeralResource(
	ctx context.Context, r *tfprotov6.RenewEphemeralResourceRequest,
) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	return call(ctx, s, r, s.server.RenewEphemeralResource)
}

// CloseEphemeralResource closes an ephemeral resource.
func (s *Server) CloseEphemeralResource(
	ctx context.Context, r *tfprotov6.CloseEphemeralResourceRequest,
) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	return call(ctx, s, r, s.server.CloseEphemeralResource)
}
