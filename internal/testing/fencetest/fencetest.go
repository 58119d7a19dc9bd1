package fencetest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/schema"
)

// Every runs an operation of a process once for each of its calls, or with -short for every fourth.
// The process is suspended at that call for longer than its lease, and takeOver is called
// meanwhile. The last time, it is not suspended: Every returns the calls of that run.
func Every(t *testing.T, operation func(*Trial), takeOver func()) []string {
	t.Helper()
	step := 1
	if testing.Short() {
		step = 4
	}
	for at := 0; ; at += step {
		x := &Trial{at: at, takeOver: takeOver}
		operation(x)
		if x.late > 0 {
			t.Errorf("suspended at call %d, %s, the process requested %d changes after another one had taken over", at, x.calls[at], x.late)
		}
		if !x.over {
			return x.calls
		}
	}
}

// Trial is one run of the operation.
type Trial struct {
	takeOver func()

	mu    sync.Mutex
	at    int
	calls []string
	// over is set when another process has taken over, and late counts the changes requested since.
	over bool
	late int
}

// Context returns a context with the lease of the process.
func (x *Trial) Context(ctx context.Context) context.Context {
	return provider.WithFence(ctx, func() error {
		if x.Over() {
			return errors.New("another process may have taken over")
		}
		return nil
	})
}

// Over reports whether another process has taken over.
func (x *Trial) Over() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.over
}

// Call is a call of the process.
func (x *Trial) Call(name string) {
	x.mu.Lock()
	suspended := len(x.calls) == x.at
	x.calls = append(x.calls, name)
	x.over = x.over || suspended
	x.mu.Unlock()
	if suspended {
		x.takeOver()
	}
}

// Provider returns a provider whose calls are calls of the process.
func (x *Trial) Provider(s provider.Server) provider.Server { return &server{s, x} }

type server struct {
	provider.Server
	trial *Trial
}

// Schema implements provider.Server.
func (s *server) Schema(ctx context.Context) (*schema.Provider, diagnostic.Diagnostics) {
	s.trial.Call("Schema")
	return s.Server.Schema(ctx)
}

// GetProviderSchema implements provider.Server.
func (s *server) GetProviderSchema(
	ctx context.Context, q *tfprotov6.GetProviderSchemaRequest,
) (*tfprotov6.GetProviderSchemaResponse, error) {
	s.trial.Call("GetProviderSchema")
	return s.Server.GetProviderSchema(ctx, q)
}

// GetResourceIdentitySchemas implements provider.Server.
func (s *server) GetResourceIdentitySchemas(
	ctx context.Context, q *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	s.trial.Call("GetResourceIdentitySchemas")
	return s.Server.GetResourceIdentitySchemas(ctx, q)
}

// ValidateResourceConfig implements provider.Server.
func (s *server) ValidateResourceConfig(
	ctx context.Context, q *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	s.trial.Call("ValidateResourceConfig")
	return s.Server.ValidateResourceConfig(ctx, q)
}

// UpgradeResourceState implements provider.Server.
func (s *server) UpgradeResourceState(
	ctx context.Context, q *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	s.trial.Call("UpgradeResourceState")
	return s.Server.UpgradeResourceState(ctx, q)
}

// UpgradeResourceIdentity implements provider.Server.
func (s *server) UpgradeResourceIdentity(
	ctx context.Context, q *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	s.trial.Call("UpgradeResourceIdentity")
	return s.Server.UpgradeResourceIdentity(ctx, q)
}

// ImportResourceState implements provider.Server.
func (s *server) ImportResourceState(
	ctx context.Context, q *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	s.trial.Call("ImportResourceState")
	return s.Server.ImportResourceState(ctx, q)
}

// ReadResource implements provider.Server.
func (s *server) ReadResource(ctx context.Context, q *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	s.trial.Call("ReadResource")
	return s.Server.ReadResource(ctx, q)
}

// PlanResourceChange implements provider.Server.
func (s *server) PlanResourceChange(
	ctx context.Context, q *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	s.trial.Call("PlanResourceChange")
	return s.Server.PlanResourceChange(ctx, q)
}

// Apply is the name of the calls of ApplyResourceChange.
const Apply = "ApplyResourceChange"

// ApplyResourceChange implements provider.Server. The process is suspended when the provider has
// the request: there it goes on, whatever happens to the process.
func (s *server) ApplyResourceChange(
	ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if s.trial.Over() {
		s.trial.mu.Lock()
		s.trial.late++
		s.trial.mu.Unlock()
	}
	answer, err := s.Server.ApplyResourceChange(ctx, q)
	s.trial.Call(Apply)
	return answer, err
}
