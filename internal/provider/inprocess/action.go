package inprocess

import (
	"context"
	"iter"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider"
)

// ValidateActionConfig checks an action's configuration.
func (s *Server) ValidateActionConfig(
	ctx context.Context, r *tfprotov6.ValidateActionConfigRequest,
) (*tfprotov6.ValidateActionConfigResponse, error) {
	if s.actions == nil {
		return nil, provider.ErrUnimplemented
	}
	q := *r
	fill(&q.Config)
	return call(ctx, s, &q, s.actions.ValidateActionConfig)
}

// PlanAction plans an action.
func (s *Server) PlanAction(ctx context.Context, r *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	if s.actions == nil {
		return nil, provider.ErrUnimplemented
	}
	q := *r
	fill(&q.Config)
	return call(ctx, s, &q, s.actions.PlanAction)
}

// InvokeAction invokes an action. If the stream breaks, the last event is a
// provider.BrokenInvocation.
func (s *Server) InvokeAction(ctx context.Context, r *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	if s.actions == nil {
		return nil, provider.ErrUnimplemented
	}
	q := *r
	fill(&q.Config)
	return stream(ctx, s, &q, s.actions.InvokeAction,
		func(a *tfprotov6.InvokeActionServerStream) *iter.Seq[tfprotov6.InvokeActionEvent] { return &a.Events },
		func(err error) tfprotov6.InvokeActionEvent {
			return tfprotov6.InvokeActionEvent{Type: provider.BrokenInvocation{
				CompletedInvokeActionEventType: tfprotov6.CompletedInvokeActionEventType{Diagnostics: errorDiagnostics(err)}, Err: err,
			}}
		})
}
