package plugin

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

// ValidateEphemeralResourceConfig checks an ephemeral resource's configuration.
func (s *Server) ValidateEphemeralResourceConfig(
	ctx context.Context, r *tfprotov6.ValidateEphemeralResourceConfigRequest,
) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	var a tfplugin.DiagnosticsResponse
	if err := s.invoke(ctx, tfplugin.ValidateEphemeralResourceConfig,
		&tfplugin.ConfigRequest{TypeName: r.TypeName, Config: toValue(r.Config)}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.ValidateEphemeralResourceConfigResponse{Diagnostics: s.diagnostics(a.Diagnostics)}, nil
}

// OpenEphemeralResource opens an ephemeral resource.
func (s *Server) OpenEphemeralResource(
	ctx context.Context, r *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	var a tfplugin.OpenEphemeralResourceResponse
	if err := s.invoke(ctx, tfplugin.OpenEphemeralResource, &tfplugin.ConfigRequest{
		TypeName:           r.TypeName,
		Config:             toValue(r.Config),
		ClientCapabilities: capabilities(s, r.ClientCapabilities),
	}, &a); err != nil {
		return nil, err
	}
	out := &tfprotov6.OpenEphemeralResourceResponse{
		Result:      fromValue(a.Result),
		Diagnostics: s.diagnostics(a.Diagnostics),
		Private:     a.Private,
		RenewAt:     fromTime(a.RenewAt),
		Deferred:    fromDeferred(a.Deferred),
	}
	if out.Deferred == nil && !diagnostic.FromProtocol(out.Diagnostics).HasErrors() {
		s.opened.add(r.TypeName, a.Private) // only then it is closed
	}
	return out, nil
}

// RenewEphemeralResource renews an ephemeral resource.
func (s *Server) RenewEphemeralResource(
	ctx context.Context, r *tfprotov6.RenewEphemeralResourceRequest,
) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	var a tfplugin.RenewEphemeralResourceResponse
	if err := s.invoke(ctx, tfplugin.RenewEphemeralResource,
		&tfplugin.EphemeralRequest{TypeName: r.TypeName, Private: r.Private}, &a); err != nil {
		return nil, err
	}
	out := &tfprotov6.RenewEphemeralResourceResponse{
		Diagnostics: s.diagnostics(a.Diagnostics),
		Private:     a.Private,
		RenewAt:     fromTime(a.RenewAt),
	}
	// Private bytes of which the answer has none, and those of a failure, stay what they are.
	if len(a.Private) > 0 && !diagnostic.FromProtocol(out.Diagnostics).HasErrors() && s.opened.remove(r.TypeName, r.Private) {
		s.opened.add(r.TypeName, a.Private)
	}
	return out, nil
}

// CloseEphemeralResource closes an ephemeral resource.
func (s *Server) CloseEphemeralResource(
	ctx context.Context, r *tfprotov6.CloseEphemeralResourceRequest,
) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	defer s.opened.remove(r.TypeName, r.Private)
	var a tfplugin.DiagnosticsResponse
	if err := s.invoke(ctx, tfplugin.CloseEphemeralResource,
		&tfplugin.EphemeralRequest{TypeName: r.TypeName, Private: r.Private}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.CloseEphemeralResourceResponse{Diagnostics: s.diagnostics(a.Diagnostics)}, nil
}
