package plugin

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

// ValidateListResourceConfig checks the configuration of a list.
func (s *Server) ValidateListResourceConfig(
	ctx context.Context, r *tfprotov6.ValidateListResourceConfigRequest,
) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	var a tfplugin.DiagnosticsResponse
	if err := s.invoke(ctx, tfplugin.ValidateListResourceConfig, &tfplugin.ValidateListResourceConfigRequest{
		TypeName:              r.TypeName,
		Config:                toValue(r.Config),
		IncludeResourceObject: toValue(r.IncludeResourceObject),
		Limit:                 toValue(r.Limit),
	}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.ValidateListResourceConfigResponse{Diagnostics: s.diagnostics(a.Diagnostics)}, nil
}

// ListResource lists objects. If the stream breaks, the last result is an error.
func (s *Server) ListResource(ctx context.Context, r *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	events, err := answers[tfplugin.ListResourceEvent](ctx, s, tfplugin.ListResource, &tfplugin.ListResourceRequest{
		TypeName:              r.TypeName,
		Config:                toValue(r.Config),
		IncludeResourceObject: r.IncludeResource,
		Limit:                 r.Limit,
	})
	if err != nil {
		return nil, err
	}
	return &tfprotov6.ListResourceServerStream{Results: func(yield func(tfprotov6.ListResourceResult) bool) {
		for e, err := range events {
			if err != nil {
				yield(tfprotov6.ListResourceResult{Diagnostics: errorDiagnostics(err)})
				return
			}
			if !yield(tfprotov6.ListResourceResult{
				DisplayName: e.DisplayName,
				Resource:    fromValue(e.ResourceObject),
				Identity:    fromIdentity(e.Identity),
				Diagnostics: s.diagnostics(e.Diagnostic),
			}) {
				return
			}
		}
	}}, nil
}
