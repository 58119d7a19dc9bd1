package inprocess

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// ValidateDataResourceConfig checks a data source's configuration.
func (s *Server) ValidateDataResourceConfig(
	ctx context.Context, r *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	q := *r
	fill(&q.Config)
	return call(ctx, s, &q, s.server.ValidateDataResourceConfig)
}

// ReadDataSource reads a data source.
func (s *Server) ReadDataSource(ctx context.Context, r *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	q := *r
	fill(&q.Config, &q.ProviderMeta)
	return call(ctx, s, &q, s.server.ReadDataSource)
}
