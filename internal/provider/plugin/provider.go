package plugin

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

// GetMetadata lists the provider's resource types, data sources and so on, without schemas.
func (s *Server) GetMetadata(ctx context.Context, _ *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	var a tfplugin.GetMetadataResponse
	if err := s.invoke(ctx, tfplugin.GetMetadata, &tfplugin.Empty{}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.GetMetadataResponse{
		ServerCapabilities: fromCapabilities(a.ServerCapabilities),
		Diagnostics:        s.diagnostics(a.Diagnostics),
		DataSources: fromNames(a.DataSources, func(n string) tfprotov6.DataSourceMetadata {
			return tfprotov6.DataSourceMetadata{TypeName: n}
		}),
		Functions: fromNames(a.Functions, func(n string) tfprotov6.FunctionMetadata {
			return tfprotov6.FunctionMetadata{Name: n}
		}),
		Resources: fromNames(a.Resources, func(n string) tfprotov6.ResourceMetadata {
			return tfprotov6.ResourceMetadata{TypeName: n}
		}),
		EphemeralResources: fromNames(a.EphemeralResources, func(n string) tfprotov6.EphemeralResourceMetadata {
			return tfprotov6.EphemeralResourceMetadata{TypeName: n}
		}),
		ListResources: fromNames(a.ListResources, func(n string) tfprotov6.ListResourceMetadata {
			return tfprotov6.ListResourceMetadata{TypeName: n}
		}),
		Actions: fromNames(a.Actions, func(n string) tfprotov6.ActionMetadata {
			return tfprotov6.ActionMetadata{TypeName: n}
		}),
		StateStores: fromNames(a.StateStores, func(n string) tfprotov6.StateStoreMetadata {
			return tfprotov6.StateStoreMetadata{TypeName: n}
		}),
	}, nil
}

func fromNames[T any](in []*tfplugin.GetMetadataResponse_Named, make func(string) T) []T {
	var out []T
	for _, n := range in {
		out = append(out, make(n.Name))
	}
	return out
}

// ValidateProviderConfig checks a provider configuration.
func (s *Server) ValidateProviderConfig(
	ctx context.Context, r *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	var a tfplugin.ValidateProviderConfigResponse
	if err := s.invoke(ctx, tfplugin.ValidateProviderConfig,
		&tfplugin.ValidateProviderConfigRequest{Config: toValue(r.Config)}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.ValidateProviderConfigResponse{
		PreparedConfig: fromValue(a.PreparedConfig),
		Diagnostics:    s.diagnostics(a.Diagnostics),
	}, nil
}

// ConfigureProvider configures the provider. It is called once per process.
func (s *Server) ConfigureProvider(
	ctx context.Context, r *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	var a tfplugin.DiagnosticsResponse
	if err := s.invoke(ctx, tfplugin.ConfigureProvider, &tfplugin.ConfigureProviderRequest{
		TerraformVersion:   cmp.Or(s.terraformVersion, r.TerraformVersion),
		Config:             toValue(r.Config),
		ClientCapabilities: capabilities(s, r.ClientCapabilities),
	}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.ConfigureProviderResponse{Diagnostics: s.diagnostics(a.Diagnostics)}, nil
}

// StopProvider asks the provider to cancel all calls in flight.
func (s *Server) StopProvider(ctx context.Context, _ *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	var a tfplugin.StopResponse
	if err := s.invoke(ctx, tfplugin.StopProvider, &tfplugin.Empty{}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.StopProviderResponse{Error: a.Error}, nil
}
