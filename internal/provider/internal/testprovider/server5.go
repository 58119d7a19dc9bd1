package testprovider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Core5 is Core in protocol 5.
type Core5 struct{ *Core }

// Server5 is Server in protocol 5.
type Server5 struct {
	Core5
	server Server
}

// New5 returns a Server in protocol 5.
func New5(c *Core) Server5 { return Server5{Core5: Core5{c}, server: Server{c}} }

var (
	_ tfprotov5.ProviderServer     = Core5{}
	_ tfprotov5.ProviderServer     = Server5{}
	_ tfprotov5.ListResourceServer = Server5{}
	_ tfprotov5.ActionServer       = Server5{}
)

// GetMetadata is recorded and answered.
func (c Core5) GetMetadata(ctx context.Context, r *tfprotov5.GetMetadataRequest) (*tfprotov5.GetMetadataResponse, error) {
	return lower[tfprotov5.GetMetadataResponse](c.Core.GetMetadata(ctx, convert[tfprotov6.GetMetadataRequest](r)))
}

// GetProviderSchema is recorded and answered.
func (c Core5) GetProviderSchema(ctx context.Context, r *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	return lower[tfprotov5.GetProviderSchemaResponse](c.Core.GetProviderSchema(ctx, convert[tfprotov6.GetProviderSchemaRequest](r)))
}

// GetResourceIdentitySchemas is recorded and answered.
func (c Core5) GetResourceIdentitySchemas(
	ctx context.Context, r *tfprotov5.GetResourceIdentitySchemasRequest,
) (*tfprotov5.GetResourceIdentitySchemasResponse, error) {
	return lower[tfprotov5.GetResourceIdentitySchemasResponse](c.Core.GetResourceIdentitySchemas(ctx,
		convert[tfprotov6.GetResourceIdentitySchemasRequest](r)))
}

// PrepareProviderConfig is recorded and answered.
func (c Core5) PrepareProviderConfig(
	ctx context.Context, r *tfprotov5.PrepareProviderConfigRequest,
) (*tfprotov5.PrepareProviderConfigResponse, error) {
	return lower[tfprotov5.PrepareProviderConfigResponse](c.Core.ValidateProviderConfig(ctx,
		convert[tfprotov6.ValidateProviderConfigRequest](r)))
}

// ConfigureProvider is recorded and answered.
func (c Core5) ConfigureProvider(ctx context.Context, r *tfprotov5.ConfigureProviderRequest) (*tfprotov5.ConfigureProviderResponse, error) {
	return lower[tfprotov5.ConfigureProviderResponse](c.Core.ConfigureProvider(ctx, convert[tfprotov6.ConfigureProviderRequest](r)))
}

// StopProvider is recorded and answered.
func (c Core5) StopProvider(ctx context.Context, r *tfprotov5.StopProviderRequest) (*tfprotov5.StopProviderResponse, error) {
	return lower[tfprotov5.StopProviderResponse](c.Core.StopProvider(ctx, convert[tfprotov6.StopProviderRequest](r)))
}

// ValidateResourceTypeConfig is recorded and answered.
func (c Core5) ValidateResourceTypeConfig(
	ctx context.Context, r *tfprotov5.ValidateResourceTypeConfigRequest,
) (*tfprotov5.ValidateResourceTypeConfigResponse, error) {
	return lower[tfprotov5.ValidateResourceTypeConfigResponse](c.Core.ValidateResourceConfig(ctx,
		convert[tfprotov6.ValidateResourceConfigRequest](r)))
}

// UpgradeResourceState is recorded and answered.
func (c Core5) UpgradeResourceState(
	ctx context.Context, r *tfprotov5.UpgradeResourceStateRequest,
) (*tfprotov5.UpgradeResourceStateResponse, error) {
	return lower[tfprotov5.UpgradeResourceStateResponse](c.Core.UpgradeResourceState(ctx, convert[tfprotov6.UpgradeResourceStateRequest](r)))
}

// UpgradeResourceIdentity is recorded and answered.
func (c Core5) UpgradeResourceIdentity(
	ctx context.Context, r *tfprotov5.UpgradeResourceIdentityRequest,
) (*tfprotov5.UpgradeResourceIdentityResponse, error) {
	return lower[tfprotov5.UpgradeResourceIdentityResponse](c.Core.UpgradeResourceIdentity(ctx,
		convert[tfprotov6.UpgradeResourceIdentityRequest](r)))
}

// ReadResource is recorded and answered.
func (c Core5) ReadResource(ctx context.Context, r *tfprotov5.ReadResourceRequest) (*tfprotov5.ReadResourceResponse, error) {
	return lower[tfprotov5.ReadResourceResponse](c.Core.ReadResource(ctx, convert[tfprotov6.ReadResourceRequest](r)))
}

// PlanResourceChange is recorded and answered.
func (c Core5) PlanResourceChange(
	ctx context.Context, r *tfprotov5.PlanResourceChangeRequest,
) (*tfprotov5.PlanResourceChangeResponse, error) {
	return lower[tfprotov5.PlanResourceChangeResponse](c.Core.PlanResourceChange(ctx, convert[tfprotov6.PlanResourceChangeRequest](r)))
}

// ApplyResourceChange is recorded and answered.
func (c Core5) ApplyResourceChange(
	ctx context.Context, r *tfprotov5.ApplyResourceChangeRequest,
) (*tfprotov5.ApplyResourceChangeResponse, error) {
	return lower[tfprotov5.ApplyResourceChangeResponse](c.Core.ApplyResourceChange(ctx, convert[tfprotov6.ApplyResourceChangeRequest](r)))
}

// ImportResourceState is recorded and answered.
func (c Core5) ImportResourceState(
	ctx context.Context, r *tfprotov5.ImportResourceStateRequest,
) (*tfprotov5.ImportResourceStateResponse, error) {
	return lower[tfprotov5.ImportResourceStateResponse](c.Core.ImportResourceState(ctx, convert[tfprotov6.ImportResourceStateRequest](r)))
}

// MoveResourceState is recorded and answered.
func (c Core5) MoveResourceState(ctx context.Context, r *tfprotov5.MoveResourceStateRequest) (*tfprotov5.MoveResourceStateResponse, error) {
	return lower[tfprotov5.MoveResourceStateResponse](c.Core.MoveResourceState(ctx, convert[tfprotov6.MoveResourceStateRequest](r)))
}

// GenerateResourceConfig is recorded and answered.
func (c Core5) GenerateResourceConfig(
	ctx context.Context, r *tfprotov5.GenerateResourceConfigRequest,
) (*tfprotov5.GenerateResourceConfigResponse, error) {
	return lower[tfprotov5.GenerateResourceConfigResponse](c.Core.GenerateResourceConfig(ctx,
		convert[tfprotov6.GenerateResourceConfigRequest](r)))
}

// ValidateDataSourceConfig is recorded and answered.
func (c Core5) ValidateDataSourceConfig(
	ctx context.Context, r *tfprotov5.ValidateDataSourceConfigRequest,
) (*tfprotov5.ValidateDataSourceConfigResponse, error) {
	return lower[tfprotov5.ValidateDataSourceConfigResponse](c.Core.ValidateDataResourceConfig(ctx,
		convert[tfprotov6.ValidateDataResourceConfigRequest](r)))
}

// ReadDataSource is recorded and answered.
func (c Core5) ReadDataSource(ctx context.Context, r *tfprotov5.ReadDataSourceRequest) (*tfprotov5.ReadDataSourceResponse, error) {
	return lower[tfprotov5.ReadDataSourceResponse](c.Core.ReadDataSource(ctx, convert[tfprotov6.ReadDataSourceRequest](r)))
}

// GetFunctions is recorded and answered.
func (c Core5) GetFunctions(ctx context.Context, r *tfprotov5.GetFunctionsRequest) (*tfprotov5.GetFunctionsResponse, error) {
	return lower[tfprotov5.GetFunctionsResponse](c.Core.GetFunctions(ctx, convert[tfprotov6.GetFunctionsRequest](r)))
}

// CallFunction is recorded and answered.
func (c Core5) CallFunction(ctx context.Context, r *tfprotov5.CallFunctionRequest) (*tfprotov5.CallFunctionResponse, error) {
	return lower[tfprotov5.CallFunctionResponse](c.Core.CallFunction(ctx, convert[tfprotov6.CallFunctionRequest](r)))
}

// ValidateEphemeralResourceConfig is recorded and answered.
func (c Core5) ValidateEphemeralResourceConfig(
	ctx context.Context, r *tfprotov5.ValidateEphemeralResourceConfigRequest,
) (*tfprotov5.ValidateEphemeralResourceConfigResponse, error) {
	return lower[tfprotov5.ValidateEphemeralResourceConfigResponse](c.Core.ValidateEphemeralResourceConfig(ctx,
		convert[tfprotov6.ValidateEphemeralResourceConfigRequest](r)))
}

// OpenEphemeralResource is recorded and answered.
func (c Core5) OpenEphemeralResource(
	ctx context.Context, r *tfprotov5.OpenEphemeralResourceRequest,
) (*tfprotov5.OpenEphemeralResourceResponse, error) {
	return lower[tfprotov5.OpenEphemeralResourceResponse](c.Core.OpenEphemeralResource(ctx,
		convert[tfprotov6.OpenEphemeralResourceRequest](r)))
}

// RenewEphemeralResource is recorded and answered.
func (c Core5) RenewEphemeralResource(
	ctx context.Context, r *tfprotov5.RenewEphemeralResourceRequest,
) (*tfprotov5.RenewEphemeralResourceResponse, error) {
	return lower[tfprotov5.RenewEphemeralResourceResponse](c.Core.RenewEphemeralResource(ctx,
		convert[tfprotov6.RenewEphemeralResourceRequest](r)))
}

// CloseEphemeralResource is recorded and answered.
func (c Core5) CloseEphemeralResource(
	ctx context.Context, r *tfprotov5.CloseEphemeralResourceRequest,
) (*tfprotov5.CloseEphemeralResourceResponse, error) {
	return lower[tfprotov5.CloseEphemeralResourceResponse](c.Core.CloseEphemeralResource(ctx,
		convert[tfprotov6.CloseEphemeralResourceRequest](r)))
}

// ValidateListResourceConfig is recorded and answered.
func (s Server5) ValidateListResourceConfig(
	ctx context.Context, r *tfprotov5.ValidateListResourceConfigRequest,
) (*tfprotov5.ValidateListResourceConfigResponse, error) {
	return lower[tfprotov5.ValidateListResourceConfigResponse](s.server.ValidateListResourceConfig(ctx,
		convert[tfprotov6.ValidateListResourceConfigRequest](r)))
}

// ValidateActionConfig is recorded and answered.
func (s Server5) ValidateActionConfig(
	ctx context.Context, r *tfprotov5.ValidateActionConfigRequest,
) (*tfprotov5.ValidateActionConfigResponse, error) {
	return lower[tfprotov5.ValidateActionConfigResponse](s.server.ValidateActionConfig(ctx, convert[tfprotov6.ValidateActionConfigRequest](r)))
}

// PlanAction is recorded and answered.
func (s Server5) PlanAction(ctx context.Context, r *tfprotov5.PlanActionRequest) (*tfprotov5.PlanActionResponse, error) {
	return lower[tfprotov5.PlanActionResponse](s.server.PlanAction(ctx, convert[tfprotov6.PlanActionRequest](r)))
}

// ListResource yields two results.
func (s Server5) ListResource(ctx context.Context, r *tfprotov5.ListResourceRequest) (*tfprotov5.ListResourceServerStream, error) {
	a, err := s.server.ListResource(ctx, convert[tfprotov6.ListResourceRequest](r))
	if err != nil {
		return nil, err
	}
	return &tfprotov5.ListResourceServerStream{Results: func(yield func(tfprotov5.ListResourceResult) bool) {
		for result := range a.Results {
			if !yield(*convert[tfprotov5.ListResourceResult](&result)) {
				return
			}
		}
	}}, nil
}

// InvokeAction yields progress and completion.
func (s Server5) InvokeAction(ctx context.Context, r *tfprotov5.InvokeActionRequest) (*tfprotov5.InvokeActionServerStream, error) {
	a, err := s.server.InvokeAction(ctx, convert[tfprotov6.InvokeActionRequest](r))
	if err != nil {
		return nil, err
	}
	return &tfprotov5.InvokeActionServerStream{Events: func(yield func(tfprotov5.InvokeActionEvent) bool) {
		for event := range a.Events {
			if !yield(*convert[tfprotov5.InvokeActionEvent](&event)) {
				return
			}
		}
	}}, nil
}
