package testprovider

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// Record is one request to a Server.
type Record struct {
	Method  string
	Request json.RawMessage
}

// Core is a provider with all required calls and no optional ones. Each call is recorded, then
// passed to Behave, then answered by Fill with the method's name as seed.
type Core struct {
	Protocol int
	// File is the file of the records, one JSON object per line. Nothing is recorded if it is
	// empty.
	File string
	// Behave may misbehave, or return the answer or error of the call. If it returns nil, or is
	// nil, Fill answers.
	Behave func(ctx context.Context, method string, request any) (answer any, err error)
	// Schema is the answer to GetProviderSchema. Defaults to Fill's.
	Schema *tfprotov6.GetProviderSchemaResponse

	mu sync.Mutex
}

// Server is a provider with all calls of the protocol.
type Server struct{ *Core }

var (
	_ tfprotov6.ProviderServer     = (*Core)(nil)
	_ tfprotov6.ProviderServer     = Server{}
	_ tfprotov6.ListResourceServer = Server{}
	_ tfprotov6.ActionServer       = Server{}
	_ tfprotov6.StateStoreServer   = Server{}
)

func (c *Core) record(method string, request any) {
	if c.File == "" {
		return
	}
	r, err := json.Marshal(request)
	if err != nil {
		panic(err)
	}
	line, err := json.Marshal(Record{Method: method, Request: r})
	if err != nil {
		panic(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	f, err := os.OpenFile(c.File, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		panic(err)
	}
}

func answer[T any](ctx context.Context, c *Core, method string, request any) (*T, error) {
	c.record(method, request)
	if c.Behave != nil {
		if a, err := c.Behave(ctx, method, request); err != nil || a != nil {
			out, _ := a.(*T)
			return out, err
		}
	}
	return Fill[T](c.Protocol, method), nil
}

// GetProviderSchema answers with Schema.
func (c *Core) GetProviderSchema(ctx context.Context, r *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	a, err := answer[tfprotov6.GetProviderSchemaResponse](ctx, c, "GetProviderSchema", r)
	if c.Schema != nil && err == nil {
		return c.Schema, nil
	}
	return a, err
}

// ValidateProviderConfig answers without diagnostics if only Schema is set, because they would
// disturb other tests.
func (c *Core) ValidateProviderConfig(
	ctx context.Context, r *tfprotov6.ValidateProviderConfigRequest,
) (*tfprotov6.ValidateProviderConfigResponse, error) {
	a, err := answer[tfprotov6.ValidateProviderConfigResponse](ctx, c, "ValidateProviderConfig", r)
	if c.Schema != nil && c.Behave == nil {
		return &tfprotov6.ValidateProviderConfigResponse{}, err
	}
	return a, err
}

// ConfigureProvider answers without diagnostics if only Schema is set.
func (c *Core) ConfigureProvider(ctx context.Context, r *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	a, err := answer[tfprotov6.ConfigureProviderResponse](ctx, c, "ConfigureProvider", r)
	if c.Schema != nil && c.Behave == nil {
		return &tfprotov6.ConfigureProviderResponse{}, err
	}
	return a, err
}

// GetMetadata is recorded and answered.
func (c *Core) GetMetadata(ctx context.Context, r *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	return answer[tfprotov6.GetMetadataResponse](ctx, c, "GetMetadata", r)
}

// GetResourceIdentitySchemas is recorded and answered.
func (c *Core) GetResourceIdentitySchemas(
	ctx context.Context, r *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return answer[tfprotov6.GetResourceIdentitySchemasResponse](ctx, c, "GetResourceIdentitySchemas", r)
}

// StopProvider is recorded and answered.
func (c *Core) StopProvider(ctx context.Context, r *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return answer[tfprotov6.StopProviderResponse](ctx, c, "StopProvider", r)
}

// ValidateResourceConfig is recorded and answered.
func (c *Core) ValidateResourceConfig(
	ctx context.Context, r *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return answer[tfprotov6.ValidateResourceConfigResponse](ctx, c, "ValidateResourceConfig", r)
}

// UpgradeResourceState is recorded and answered.
func (c *Core) UpgradeResourceState(
	ctx context.Context, r *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return answer[tfprotov6.UpgradeResourceStateResponse](ctx, c, "UpgradeResourceState", r)
}

// UpgradeResourceIdentity is recorded and answered.
func (c *Core) UpgradeResourceIdentity(
	ctx context.Context, r *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return answer[tfprotov6.UpgradeResourceIdentityResponse](ctx, c, "UpgradeResourceIdentity", r)
}

// ReadResource is recorded and answered.
func (c *Core) ReadResource(ctx context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return answer[tfprotov6.ReadResourceResponse](ctx, c, "ReadResource", r)
}

// PlanResourceChange is recorded and answered.
func (c *Core) PlanResourceChange(
	ctx context.Context, r *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	return answer[tfprotov6.PlanResourceChangeResponse](ctx, c, "PlanResourceChange", r)
}

// ApplyResourceChange is recorded and answered.
func (c *Core) ApplyResourceChange(
	ctx context.Context, r *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return answer[tfprotov6.ApplyResourceChangeResponse](ctx, c, "ApplyResourceChange", r)
}

// ImportResourceState is recorded and answered.
func (c *Core) ImportResourceState(
	ctx context.Context, r *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	return answer[tfprotov6.ImportResourceStateResponse](ctx, c, "ImportResourceState", r)
}

// MoveResourceState is recorded and answered.
func (c *Core) MoveResourceState(ctx context.Context, r *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	return answer[tfprotov6.MoveResourceStateResponse](ctx, c, "MoveResourceState", r)
}

// GenerateResourceConfig is recorded and answered.
func (c *Core) GenerateResourceConfig(
	ctx context.Context, r *tfprotov6.GenerateResourceConfigRequest,
) (*tfprotov6.GenerateResourceConfigResponse, error) {
	return answer[tfprotov6.GenerateResourceConfigResponse](ctx, c, "GenerateResourceConfig", r)
}

// ValidateDataResourceConfig is recorded and answered.
func (c *Core) ValidateDataResourceConfig(
	ctx context.Context, r *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return answer[tfprotov6.ValidateDataResourceConfigResponse](ctx, c, "ValidateDataResourceConfig", r)
}

// ReadDataSource is recorded and answered.
func (c *Core) ReadDataSource(ctx context.Context, r *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return answer[tfprotov6.ReadDataSourceResponse](ctx, c, "ReadDataSource", r)
}

// GetFunctions is recorded and answered.
func (c *Core) GetFunctions(ctx context.Context, r *tfprotov6.GetFunctionsRequest) (*tfprotov6.GetFunctionsResponse, error) {
	return answer[tfprotov6.GetFunctionsResponse](ctx, c, "GetFunctions", r)
}

// CallFunction is recorded and answered.
func (c *Core) CallFunction(ctx context.Context, r *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return answer[tfprotov6.CallFunctionResponse](ctx, c, "CallFunction", r)
}

// ValidateEphemeralResourceConfig is recorded and answered.
func (c *Core) ValidateEphemeralResourceConfig(
	ctx context.Context, r *tfprotov6.ValidateEphemeralResourceConfigRequest,
) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	return answer[tfprotov6.ValidateEphemeralResourceConfigResponse](ctx, c, "ValidateEphemeralResourceConfig", r)
}

// OpenEphemeralResource is recorded and answered. "opened" is answered without a deferral.
func (c *Core) OpenEphemeralResource(
	ctx context.Context, r *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	if r.TypeName == "opened" {
		return &tfprotov6.OpenEphemeralResourceResponse{}, nil
	}
	return answer[tfprotov6.OpenEphemeralResourceResponse](ctx, c, "OpenEphemeralResource", r)
}

// RenewEphemeralResource is recorded and answered.
func (c *Core) RenewEphemeralResource(
	ctx context.Context, r *tfprotov6.RenewEphemeralResourceRequest,
) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	return answer[tfprotov6.RenewEphemeralResourceResponse](ctx, c, "RenewEphemeralResource", r)
}

// CloseEphemeralResource is recorded and answered.
func (c *Core) CloseEphemeralResource(
	ctx context.Context, r *tfprotov6.CloseEphemeralResourceRequest,
) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	return answer[tfprotov6.CloseEphemeralResourceResponse](ctx, c, "CloseEphemeralResource", r)
}

// ValidateListResourceConfig is recorded and answered.
func (s Server) ValidateListResourceConfig(
	ctx context.Context, r *tfprotov6.ValidateListResourceConfigRequest,
) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return answer[tfprotov6.ValidateListResourceConfigResponse](ctx, s.Core, "ValidateListResourceConfig", r)
}

// ValidateActionConfig is recorded and answered.
func (s Server) ValidateActionConfig(
	ctx context.Context, r *tfprotov6.ValidateActionConfigRequest,
) (*tfprotov6.ValidateActionConfigResponse, error) {
	return answer[tfprotov6.ValidateActionConfigResponse](ctx, s.Core, "ValidateActionConfig", r)
}

// PlanAction is recorded and answered.
func (s Server) PlanAction(ctx context.Context, r *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	return answer[tfprotov6.PlanActionResponse](ctx, s.Core, "PlanAction", r)
}

// ValidateStateStoreConfig is recorded and answered.
func (s Server) ValidateStateStoreConfig(
	ctx context.Context, r *tfprotov6.ValidateStateStoreConfigRequest,
) (*tfprotov6.ValidateStateStoreConfigResponse, error) {
	return answer[tfprotov6.ValidateStateStoreConfigResponse](ctx, s.Core, "ValidateStateStoreConfig", r)
}

// ConfigureStateStore is recorded and answered.
func (s Server) ConfigureStateStore(
	ctx context.Context, r *tfprotov6.ConfigureStateStoreRequest,
) (*tfprotov6.ConfigureStateStoreResponse, error) {
	return answer[tfprotov6.ConfigureStateStoreResponse](ctx, s.Core, "ConfigureStateStore", r)
}

// GetStates is recorded and answered.
func (s Server) GetStates(ctx context.Context, r *tfprotov6.GetStatesRequest) (*tfprotov6.GetStatesResponse, error) {
	return answer[tfprotov6.GetStatesResponse](ctx, s.Core, "GetStates", r)
}

// DeleteState is recorded and answered.
func (s Server) DeleteState(ctx context.Context, r *tfprotov6.DeleteStateRequest) (*tfprotov6.DeleteStateResponse, error) {
	return answer[tfprotov6.DeleteStateResponse](ctx, s.Core, "DeleteState", r)
}

// LockState is recorded and answered.
func (s Server) LockState(ctx context.Context, r *tfprotov6.LockStateRequest) (*tfprotov6.LockStateResponse, error) {
	return answer[tfprotov6.LockStateResponse](ctx, s.Core, "LockState", r)
}

// UnlockState is recorded and answered.
func (s Server) UnlockState(ctx context.Context, r *tfprotov6.UnlockStateRequest) (*tfprotov6.UnlockStateResponse, error) {
	return answer[tfprotov6.UnlockStateResponse](ctx, s.Core, "UnlockState", r)
}

// ListResource yields two results.
func (s Server) ListResource(ctx context.Context, r *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	a, err := answer[tfprotov6.ListResourceServerStream](ctx, s.Core, "ListResource", r)
	if err == nil && a.Results == nil {
		a.Results = slices.Values(ListResults(s.Protocol))
	}
	return a, err
}

// ListResults returns the results of ListResource.
func ListResults(protocol int) []tfprotov6.ListResourceResult {
	return []tfprotov6.ListResourceResult{
		*Fill[tfprotov6.ListResourceResult](protocol, "first"), *Fill[tfprotov6.ListResourceResult](protocol, "second"),
	}
}

// InvokeAction yields progress and completion.
func (s Server) InvokeAction(ctx context.Context, r *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	a, err := answer[tfprotov6.InvokeActionServerStream](ctx, s.Core, "InvokeAction", r)
	if err == nil && a.Events == nil {
		a.Events = slices.Values(ActionEvents(s.Protocol))
	}
	return a, err
}

// ActionEvents returns the events of InvokeAction.
func ActionEvents(protocol int) []tfprotov6.InvokeActionEvent {
	return []tfprotov6.InvokeActionEvent{
		{Type: tfprotov6.ProgressInvokeActionEventType{Message: "half"}},
		{Type: tfprotov6.CompletedInvokeActionEventType{Diagnostics: []*tfprotov6.Diagnostic{Fill[tfprotov6.Diagnostic](protocol, "completed")}}},
	}
}

// ReadStateBytes yields two chunks.
func (s Server) ReadStateBytes(ctx context.Context, r *tfprotov6.ReadStateBytesRequest) (*tfprotov6.ReadStateBytesStream, error) {
	a, err := answer[tfprotov6.ReadStateBytesStream](ctx, s.Core, "ReadStateBytes", r)
	if err == nil && a.Chunks == nil {
		a.Chunks = slices.Values(StateChunks())
	}
	return a, err
}

// StateChunks returns the chunks of ReadStateBytes.
func StateChunks() []tfprotov6.ReadStateByteChunk {
	return []tfprotov6.ReadStateByteChunk{
		*Fill[tfprotov6.ReadStateByteChunk](6, "first"), *Fill[tfprotov6.ReadStateByteChunk](6, "second"),
	}
}

// WriteStateBytes records the chunks.
func (s Server) WriteStateBytes(ctx context.Context, w *tfprotov6.WriteStateBytesStream) (*tfprotov6.WriteStateBytesResponse, error) {
	var chunks []*tfprotov6.WriteStateBytesChunk
	for c, diagnostics := range w.Chunks {
		if len(diagnostics) > 0 {
			return &tfprotov6.WriteStateBytesResponse{Diagnostics: diagnostics}, nil
		}
		chunks = append(chunks, c)
	}
	return answer[tfprotov6.WriteStateBytesResponse](ctx, s.Core, "WriteStateBytes", chunks)
}
