package plugin

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

// ValidateDataResourceConfig checks a data source's configuration.
func (s *Server) ValidateDataResourceConfig(
	ctx context.Context, r *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	var a tfplugin.DiagnosticsResponse
	if err := s.invoke(ctx, tfplugin.ValidateDataResourceConfig,
		&tfplugin.ConfigRequest{TypeName: r.TypeName, Config: toValue(r.Config)}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.ValidateDataResourceConfigResponse{Diagnostics: s.diagnostics(a.Diagnostics)}, nil
}

// ReadDataSource reads a data source.
func (s *Server) ReadDataSource(ctx context.Context, r *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	var a tfplugin.ReadDataSourceResponse
	if err := s.invoke(ctx, tfplugin.ReadDataSource, &tfplugin.ReadDataSourceRequest{
		TypeName:           r.TypeName,
		Config:             toValue(r.Config),
		ProviderMeta:       toValue(r.ProviderMeta),
		ClientCapabilities: capabilities(s, r.ClientCapabilities),
	}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.ReadDataSourceResponse{
		State:       fromValue(a.State),
		Diagnostics: s.diagnostics(a.Diagnostics),
		Deferred:    fromDeferred(a.Deferred),
	}, nil
}
