package inprocess

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// GetMetadata lists the provider's resource types, data sources and so on, without schemas.
func (s *Server) GetMetadata(ctx context.Context, r *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	ctx, b := s.withBeside(ctx, beside{})
	a, err := call(ctx, s, r, s.server.GetMetadata)
	if err == nil && b != nil && b.generateResourceConfig && a.ServerCapabilities != nil {
		a.ServerCapabilities.GenerateResourceConfig = true
	}
	return a, err
}

// GetProviderSchema returns all schemas except identity schemas.
func (s *Server) GetProviderSchema(
	ctx context.Context, r *tfprotov6.GetProviderSchemaRequest,
) (*tfprotov6.GetProviderSchemaResponse, error) {
	ctx, b := s.withBeside(ctx, beside{})
	a, err := call(ctx, s, r, s.server.GetProviderSchema)
	if err == nil && b != nil && b.generateResourceConfig && a.ServerCapabilities != nil {
		a.ServerCapabilities.GenerateResourceConfig = true
	}
	return a, err
}

// GetResourceIdentitySchemas returns the identity schemas.
func (s *Server) GetResourceIdentitySchemas(
	ctx context.Context, r *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return call(ctx, s, r, s.server.GetResourceIdentitySchemas)
}

// ValidateProviderConfig checks a provider configuration.
func (s *Server) ValidateProviderConfig(
	ctx context.Context, r *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	q := *r
	fill(&q.Config)
	return call(ctx, s, &q, s.server.ValidateProviderConfig)
}

// ConfigureProvider configures the provider.
func (s *Server) ConfigureProvider(
	ctx context.Context, r *tfprotov6.ConfigureProviderRequest,
) (*tfprotov6.ConfigureProviderResponse, error) {
	q := *r
	fill(&q.Config)
	return call(ctx, s, &q, s.server.ConfigureProvider)
}

// StopProvider asks the provider to cancel all calls in flight.
func (s *Server) StopProvider(ctx context.Context, r *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	s.stops.now()
	return call(ctx, s, r, s.server.StopProvider)
}
