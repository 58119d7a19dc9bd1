package inprocess

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider"
)

// ValidateListResourceConfig checks the configuration of a list.
func (s *Server) ValidateListResourceConfig(
	ctx context.Context, r *tfprotov6.ValidateListResourceConfigRequest,
) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	if s.list == nil {
		return nil, provider.ErrUnimplemented
	}
	q := *r
	fill(&q.Config, &q.IncludeResourceObject, &q.Limit)
	ctx, _ = s.withBeside(ctx, beside{includeResourceValue: q.IncludeResourceObject, limits: q.Limit})
	return call(ctx, s, &q, s.list.ValidateListResourceConfig)
}

// ListResource lists objects. If the stream breaks, the last result is an error.
func (s *Server) ListResource(ctx context.Context, r *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	if s.list == nil {
		return nil, provider.ErrUnimplemented
	}
	q := *r
	fill(&q.Config)
	ctx, _ = s.withBeside(ctx, beside{includeResource: q.IncludeResource, limit: q.Limit})
	return stream(ctx, s, &q, s.list.ListResource,
		func(a *tfprotov6.ListResourceServerStream) *iter.Seq[tfprotov6.ListResourceResult] { return &a.Results },
		func(err error) tfprotov6.ListResourceResult {
			return tfprotov6.ListResourceResult{Diagnostics: errorDiagnostics(err)}
		})
}
