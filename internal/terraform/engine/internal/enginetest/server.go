package enginetest

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/schema"
)

// Server is a scripted provider.Server. A call whose function is nil is unimplemented.
type Server struct {
	tfprotov6.ProviderServer // nil: calls that are not implemented below panic
	tfprotov6.ListResourceServer
	tfprotov6.ActionServer
	tfprotov6.StateStoreServer

	Provider *schema.Provider
	// SchemaDiagnostics are the diagnostics of Schema.
	SchemaDiagnostics diagnostic.Diagnostics

	Validate func(*tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error)
	Upgrade  func(*tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error)
	Identity func(*tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error)
	Read     func(*tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error)
	Plan     func(*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error)
	Apply    func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error)
	Import   func(*tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error)
	Move     func(*tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error)
	List     func(*tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error)
	Function func(*tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error)

	ValidateData func(*tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error)
	ReadData     func(*tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error)

	// Forget keeps no record of the requests.
	Forget bool

	mu    sync.Mutex
	calls []any
}

var _ provider.Server = (*Server)(nil)

// Calls returns the requests so far, in order.
func (s *Server) Calls() []any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]any(nil), s.calls...)
}

// Requests returns the requests of one type so far, in order.
func Requests[T any](s *Server) []T {
	var out []T
	for _, c := range s.Calls() {
		if r, ok := c.(T); ok {
			out = append(out, r)
		}
	}
	return out
}

func answer[Req, Resp any](s *Server, f func(Req) (Resp, error), r Req) (Resp, error) {
	if !s.Forget {
		s.mu.Lock()
		s.calls = append(s.calls, r)
		s.mu.Unlock()
	}
	if f == nil {
		var none Resp
		return none, provider.ErrUnimplemented
	}
	return f(r)
}

// ValidateResourceConfig implements provider.Server.
func (s *Server) ValidateResourceConfig(
	_ context.Context, r *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return answer(s, s.Validate, r)
}

// UpgradeResourceState implements provider.Server.
func (s *Server) UpgradeResourceState(
	_ context.Context, r *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return answer(s, s.Upgrade, r)
}

// UpgradeResourceIdentity implements provider.Server.
func (s *Server) UpgradeResourceIdentity(
	_ context.Context, r *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return answer(s, s.Identity, r)
}

// ReadResource implements provider.Server.
func (s *Server) ReadResource(_ context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return answer(s, s.Read, r)
}

// PlanResourceChange implements provider.Server.
func (s *Server) PlanResourceChange(
	_ context.Context, r *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	return answer(s, s.Plan, r)
}

// ApplyResourceChange implements provider.Server.
func (s *Server) ApplyResourceChange(
	_ context.Context, r *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return answer(s, s.Apply, r)
}

// ImportResourceState implements provider.Server.
func (s *Server) ImportResourceState(
	_ context.Context, r *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	return answer(s, s.Import, r)
}

// MoveResourceState implements provider.Server.
func (s *Server) MoveResourceState(_ context.Context, r *tfprotov6.MoveResourceStateRequest) (*tfprotov6.MoveResourceStateResponse, error) {
	return answer(s, s.Move, r)
}

// ValidateListResourceConfig implements provider.Server. Every configuration is valid.
func (s *Server) ValidateListResourceConfig(
	context.Context, *tfprotov6.ValidateListResourceConfigRequest,
) (*tfprotov6.ValidateListResourceConfigResponse, error) {
	return &tfprotov6.ValidateListResourceConfigResponse{}, nil
}

// ListResource implements provider.Server.
func (s *Server) ListResource(_ context.Context, r *tfprotov6.ListResourceRequest) (*tfprotov6.ListResourceServerStream, error) {
	return answer(s, s.List, r)
}

// CallFunction implements provider.Server.
func (s *Server) CallFunction(_ context.Context, r *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	return answer(s, s.Function, r)
}

// ValidateDataResourceConfig implements provider.Server.
func (s *Server) ValidateDataResourceConfig(
	_ context.Context, r *tfprotov6.ValidateDataResourceConfigRequest,
) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return answer(s, s.ValidateData, r)
}

// ReadDataSource implements provider.Server.
func (s *Server) ReadDataSource(_ context.Context, r *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return answer(s, s.ReadData, r)
}

// ProtocolVersion implements provider.Server.
func (s *Server) ProtocolVersion() int { return s.Provider.Protocol }

// Schema implements provider.Server.
func (s *Server) Schema(context.Context) (*schema.Provider, diagnostic.Diagnostics) {
	return s.Provider, s.SchemaDiagnostics
}

// Done implements provider.Server.
func (s *Server) Done() <-chan struct{} { return nil }

// Close implements provider.Server.
func (s *Server) Close(context.Context) error { return nil }
