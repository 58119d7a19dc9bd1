package plugin

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/tfplugin"
)

// ValidateActionConfig checks an action's configuration.
func (s *Server) ValidateActionConfig(
	ctx context.Context, r *tfprotov6.ValidateActionConfigRequest,
) (*tfprotov6.ValidateActionConfigResponse, error) {
	var a tfplugin.DiagnosticsResponse
	if err := s.invoke(ctx, tfplugin.ValidateActionConfig,
		&tfplugin.ConfigRequest{TypeName: r.ActionType, Config: toValue(r.Config)}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.ValidateActionConfigResponse{Diagnostics: s.diagnostics(a.Diagnostics)}, nil
}

// PlanAction plans an action.
func (s *Server) PlanAction(ctx context.Context, r *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	var a tfplugin.PlanActionResponse
	if err := s.invoke(ctx, tfplugin.PlanAction, &tfplugin.ConfigRequest{
		TypeName:           r.ActionType,
		Config:             toValue(r.Config),
		ClientCapabilities: capabilities(s, r.ClientCapabilities),
	}, &a); err != nil {
		return nil, err
	}
	return &tfprotov6.PlanActionResponse{
		Diagnostics: s.diagnostics(a.Diagnostics),
		Deferred:    fromDeferred(a.Deferred),
	}, nil
}

// InvokeAction invokes an action. It returns when the first event has arrived. If the stream
// breaks, the last event is a provider.BrokenInvocation.
func (s *Server) InvokeAction(ctx context.Context, r *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	events, err := answers[tfplugin.InvokeActionEvent](ctx, s, tfplugin.InvokeAction, &tfplugin.ConfigRequest{
		TypeName:           r.ActionType,
		Config:             toValue(r.Config),
		ClientCapabilities: capabilities[deferring](s, nil),
	})
	if err != nil {
		return nil, err
	}
	return &tfprotov6.InvokeActionServerStream{Events: func(yield func(tfprotov6.InvokeActionEvent) bool) {
		for e, err := range events {
			if err != nil {
				yield(brokenInvocation(err))
				return
			}
			var out tfprotov6.InvokeActionEvent
			switch event := e.Type.(type) {
			case *tfplugin.InvokeActionEvent_Progress_:
				out.Type = tfprotov6.ProgressInvokeActionEventType{Message: s.process.output.redact.Replace(event.Progress.GetMessage())}
			case *tfplugin.InvokeActionEvent_Completed:
				out.Type = tfprotov6.CompletedInvokeActionEventType{Diagnostics: s.diagnostics(event.Completed.GetDiagnostics())}
			default:
				continue // an event type of a newer protocol version
			}
			if !yield(out) {
				return
			}
		}
	}}, nil
}

func brokenInvocation(err error) tfprotov6.InvokeActionEvent {
	return tfprotov6.InvokeActionEvent{Type: provider.BrokenInvocation{
		CompletedInvokeActionEventType: tfprotov6.CompletedInvokeActionEventType{Diagnostics: errorDiagnostics(err)}, Err: err,
	}}
}
