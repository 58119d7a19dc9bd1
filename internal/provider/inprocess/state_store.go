package inprocess

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider"
)

// ValidateStateStoreConfig checks a state store's configuration.
func (s *Server) ValidateStateStoreConfig(
	ctx context.Context, r *tfprotov6.ValidateStateStoreConfigRequest,
) (*tfprotov6.ValidateStateStoreConfigResponse, error) {
	if s.stores == nil {
		return nil, provider.ErrUnimplemented
	}
	q := *r
	fill(&q.Config)
	return call(ctx, s, &q, s.stores.ValidateStateStoreConfig)
}

// ConfigureStateStore configures a state store.
func (s *Server) ConfigureStateStore(
	ctx context.Context, r *tfprotov6.ConfigureStateStoreRequest,
) (*tfprotov6.ConfigureStateStoreResponse, error) {
	if s.stores == nil {
		return nil, provider.ErrUnimplemented
	}
	q := *r
	fill(&q.Config)
	return call(ctx, s, &q, s.stores.ConfigureStateStore)
}

// GetStates lists the states in a store.
func (s *Server) GetStates(ctx context.Context, r *tfprotov6.GetStatesRequest) (*tfprotov6.GetStatesResponse, error) {
	if s.stores == nil {
		return nil, provider.ErrUnimplemented
	}
	return call(ctx, s, r, s.stores.GetStates)
}

// DeleteState deletes a state.
func (s *Server) DeleteState(ctx context.Context, r *tfprotov6.DeleteStateRequest) (*tfprotov6.DeleteStateResponse, error) {
	if s.stores == nil {
		return nil, provider.ErrUnimplemented
	}
	return call(ctx, s, r, s.stores.DeleteState)
}

// LockState locks a state.
func (s *Server) LockState(ctx context.Context, r *tfprotov6.LockStateRequest) (*tfprotov6.LockStateResponse, error) {
	if s.stores == nil {
		return nil, provider.ErrUnimplemented
	}
	return call(ctx, s, r, s.stores.LockState)
}

// UnlockState unlocks a state.
func (s *Server) UnlockState(ctx context.Context, r *tfprotov6.UnlockStateRequest) (*tfprotov6.UnlockStateResponse, error) {
	if s.stores == nil {
		return nil, provider.ErrUnimplemented
	}
	return call(ctx, s, r, s.stores.UnlockState)
}

// ReadStateBytes reads a state in chunks. If the stream breaks, the last chunk is an error.
func (s *Server) ReadStateBytes(ctx context.Context, r *tfprotov6.ReadStateBytesRequest) (*tfprotov6.ReadStateBytesStream, error) {
	if s.stores == nil {
		return nil, provider.ErrUnimplemented
	}
	return stream(ctx, s, r, s.stores.ReadStateBytes,
		func(a *tfprotov6.ReadStateBytesStream) *iter.Seq[tfprotov6.ReadStateByteChunk] { return &a.Chunks },
		func(err error) tfprotov6.ReadStateByteChunk {
			return tfprotov6.ReadStateByteChunk{Diagnostics: errorDiagnostics(err)}
		})
}

// WriteStateBytes writes a state in chunks.
func (s *Server) WriteStateBytes(ctx context.Context, w *tfprotov6.WriteStateBytesStream) (*tfprotov6.WriteStateBytesResponse, error) {
	if s.stores == nil {
		return nil, provider.ErrUnimplemented
	}
	return call(ctx, s, w, s.stores.WriteStateBytes)
}
