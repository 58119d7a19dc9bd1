package plugin

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc"

	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

// ValidateStateStoreConfig checks a state store's configuration.
func (s *Server) ValidateStateStoreConfig(
	ctx context.Context, r *tfprotov6.ValidateStateStoreConfigRequest,
) (*tfprotov6.ValidateStateStoreConfigResponse, error) {
	var a tfplugin.DiagnosticsResponse
	if err := s.invoke(ctx, tfplugin.ValidateStateStoreConfig,
		&tfplugin.ConfigRequest{TypeName: r.TypeName, Config: toValue(r.Config)}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.ValidateStateStoreConfigResponse{Diagnostics: s.diagnostics(a.Diagnostics)}, nil
}

// ConfigureStateStore configures a state store.
func (s *Server) ConfigureStateStore(
	ctx context.Context, r *tfprotov6.ConfigureStateStoreRequest,
) (*tfprotov6.ConfigureStateStoreResponse, error) {
	request := &tfplugin.ConfigureStateStoreRequest{TypeName: r.TypeName, Config: toValue(r.Config)}
	if r.Capabilities != nil {
		request.Capabilities = &tfplugin.ChunkSize{ChunkSize: r.Capabilities.ChunkSize}
	}
	var a tfplugin.ConfigureStateStoreResponse
	if err := s.invoke(ctx, tfplugin.ConfigureStateStore, request, &a); err != nil {
		return nil, err
	}
	out := &tfprotov6.ConfigureStateStoreResponse{Diagnostics: s.diagnostics(a.Diagnostics)}
	if a.Capabilities != nil {
		out.Capabilities = &tfprotov6.StateStoreServerCapabilities{ChunkSize: a.Capabilities.ChunkSize}
	}
	return out, nil
}

// ReadStateBytes reads a state in chunks. If the stream breaks, the last chunk is an error.
func (s *Server) ReadStateBytes(ctx context.Context, r *tfprotov6.ReadStateBytesRequest) (*tfprotov6.ReadStateBytesStream, error) {
	chunks, err := answers[tfplugin.ReadStateBytesChunk](ctx, s, tfplugin.ReadStateBytes, &tfplugin.StateRequest{
		TypeName: r.TypeName, StateId: r.StateID,
	})
	if err != nil {
		return nil, err
	}
	return &tfprotov6.ReadStateBytesStream{Chunks: func(yield func(tfprotov6.ReadStateByteChunk) bool) {
		for c, err := range chunks {
			if err != nil {
				yield(tfprotov6.ReadStateByteChunk{Diagnostics: errorDiagnostics(err)})
				return
			}
			if !yield(tfprotov6.ReadStateByteChunk{
				StateByteChunk: tfprotov6.StateByteChunk{
					Bytes:       c.Bytes,
					TotalLength: c.TotalLength,
					Range:       tfprotov6.StateByteRange{Start: c.Range.GetStart(), End: c.Range.GetEnd()},
				},
				Diagnostics: s.diagnostics(c.Diagnostics),
			}) {
				return
			}
		}
	}}, nil
}

// WriteStateBytes writes a state in chunks. A chunk with diagnostics ends the write; they are
// returned.
func (s *Server) WriteStateBytes(ctx context.Context, w *tfprotov6.WriteStateBytesStream) (*tfprotov6.WriteStateBytesResponse, error) {
	stream, release, err := s.stream(ctx, &grpc.StreamDesc{ClientStreams: true}, tfplugin.WriteStateBytes)
	if err != nil {
		return nil, err
	}
	defer release()
	for c, diagnostics := range w.Chunks {
		if len(diagnostics) > 0 {
			return &tfprotov6.WriteStateBytesResponse{Diagnostics: diagnostics}, nil
		}
		if c == nil {
			continue
		}
		chunk := &tfplugin.WriteStateBytesChunk{
			Bytes:       c.Bytes,
			TotalLength: c.TotalLength,
			Range:       &tfplugin.StateByteRange{Start: c.Range.Start, End: c.Range.End},
		}
		if c.Meta != nil {
			chunk.Meta = &tfplugin.WriteStateBytesChunk_Meta{TypeName: c.Meta.TypeName, StateId: c.Meta.StateID}
		}
		if err := stream.SendMsg(chunk); isEOF(err) {
			break // the provider answered early
		} else if err != nil {
			return nil, s.explain(ctx, err)
		}
	}
	if err := stream.CloseSend(); err != nil {
		return nil, s.explain(ctx, err)
	}
	var a tfplugin.DiagnosticsResponse
	if err := stream.RecvMsg(&a); err != nil {
		return nil, s.explain(ctx, err)
	}
	return &tfprotov6.WriteStateBytesResponse{Diagnostics: s.diagnostics(a.Diagnostics)}, nil
}

// GetStates lists the states in a store.
func (s *Server) GetStates(ctx context.Context, r *tfprotov6.GetStatesRequest) (*tfprotov6.GetStatesResponse, error) {
	var a tfplugin.GetStatesResponse
	if err := s.invoke(ctx, tfplugin.GetStates, &tfplugin.StateRequest{TypeName: r.TypeName}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.GetStatesResponse{StateIDs: a.StateIds, Diagnostics: s.diagnostics(a.Diagnostics)}, nil
}

// DeleteState deletes a state.
func (s *Server) DeleteState(ctx context.Context, r *tfprotov6.DeleteStateRequest) (*tfprotov6.DeleteStateResponse, error) {
	var a tfplugin.DiagnosticsResponse
	if err := s.invoke(ctx, tfplugin.DeleteState, &tfplugin.StateRequest{TypeName: r.TypeName, StateId: r.StateID}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.DeleteStateResponse{Diagnostics: s.diagnostics(a.Diagnostics)}, nil
}

// LockState locks a state.
func (s *Server) LockState(ctx context.Context, r *tfprotov6.LockStateRequest) (*tfprotov6.LockStateResponse, error) {
	var a tfplugin.LockStateResponse
	if err := s.invoke(ctx, tfplugin.LockState, &tfplugin.StateRequest{
		TypeName: r.TypeName, StateId: r.StateID, OperationOrLockId: r.Operation,
	}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.LockStateResponse{LockID: a.LockId, Diagnostics: s.diagnostics(a.Diagnostics)}, nil
}

// UnlockState unlocks a state.
func (s *Server) UnlockState(ctx context.Context, r *tfprotov6.UnlockStateRequest) (*tfprotov6.UnlockStateResponse, error) {
	var a tfplugin.DiagnosticsResponse
	if err := s.invoke(ctx, tfplugin.UnlockState, &tfplugin.StateRequest{
		TypeName: r.TypeName, StateId: r.StateID, OperationOrLockId: r.LockID,
	}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.UnlockStateResponse{Diagnostics: s.diagnostics(a.Diagnostics)}, nil
}
