package commandline

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider"
)

// Configured presents a configured provider to a run of the program. It needs no configuration,
// ignores the empty one that the program passes, and ignores StopProvider, since others use the
// provider too: the pool stops the provider of an interrupted operation. The program never learns
// the provider's configuration.
type Configured struct {
	provider.Server // answers all other calls
	Served          *tfprotov6.GetProviderSchemaResponse
}

// NoConfiguration is the schema of the configuration of a provider that is configured already.
func NoConfiguration() *tfprotov6.Schema { return &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}} }

// GetMetadata is not implemented: the program asks for the schema instead.
func (c *Configured) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	return nil, provider.ErrUnimplemented
}

// GetProviderSchema returns the part of the schema that the program needs.
func (c *Configured) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return c.Served, nil
}

// ValidateProviderConfig accepts the empty configuration.
func (c *Configured) ValidateProviderConfig(
	context.Context, *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{}, nil
}

// ConfigureProvider does nothing.
func (c *Configured) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

// StopProvider does nothing.
func (c *Configured) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}
