package pool

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/tracing"
)

// deadlineSlack tolerates clock skew at the deadline, which is sent to the provider.
const deadlineSlack = 100 * time.Millisecond

// guarded is a server that reports the results of its calls about remote objects to the pool:
// whether it answers, and whether its cloud throttles. It does not change the calls.
type guarded struct {
	provider.Server
	pool   *Pool
	member *member
	// user is the resource that the calls are for.
	user provider.User
}

// tried records the answer to a call that uses the credentials and the endpoint of the
// configuration. said returns what the request contained. Validations, imports and plans are not
// recorded: they often call nothing, and their errors are about the configuration of one resource.
func (g *guarded) tried(diags []*tfprotov6.Diagnostic, said func() provider.Said) {
	g.answered()
	if len(diags) == 0 {
		g.pool.tried(g.member, g.user, nil, provider.Said{})
		return
	}
	errors, request := diagnostic.FromProtocol(diags), said()
	if wait, ok := provider.Throttled(errors, request); ok {
		g.pool.throttled(g.member, g.user, wait)
	}
	g.pool.tried(g.member, g.user, errors, request)
}

// answered records an answer.
func (g *guarded) answered() {
	m := g.member
	if m.timeouts.Load() != 0 {
		m.timeouts.Store(0)
		m.calls.answered()
	}
	if m.unproven.Load() {
		m.unproven.Store(false)
	}
	if !m.entry.works.Load() {
		m.entry.works.Store(true)
	}
}

// deferred records an answer that the provider defers because of its configuration. It is
// configured only once, so that only another server can answer otherwise.
func (g *guarded) deferred(d *tfprotov6.Deferred) {
	if d != nil && d.Reason == tfprotov6.DeferredReasonProviderConfigUnknown {
		g.member.deferring.Store(true)
	}
}

// failed records a call without an answer. Crashes are detected elsewhere (watch).
func (g *guarded) failed(ctx context.Context, err error) {
	deadline, has := ctx.Deadline()
	switch code := status.Code(err); {
	case code == codes.DeadlineExceeded && has && time.Until(deadline) < deadlineSlack:
		g.pool.timedOut(g.member)
	case code == codes.Unavailable, code == codes.Canceled:
	default:
		g.answered() // with an error, which is an answer as well
	}
}

// Usage implements provider.UsageReporter if the server does.
func (g *guarded) Usage() provider.Usage {
	if r, ok := g.Server.(provider.UsageReporter); ok {
		return r.Usage()
	}
	return provider.Usage{}
}

// begin records a call. end is called with its error, or with the diagnostics of its answer.
func (g *guarded) begin(ctx context.Context, method string) (_ context.Context, end func(error, []*tfprotov6.Diagnostic)) {
	begin := time.Now()
	ctx, span := tracing.Child(ctx, method)
	g.member.calls.begin(g.user, method)
	return ctx, func(err error, diags []*tfprotov6.Diagnostic) {
		g.member.calls.end(g.user, method, err, time.Now())
		c := Call{Configuration: g.member.name, Method: method, Took: time.Since(begin), Failed: err != nil}
		if err != nil {
			g.failed(ctx, err)
		} else {
			c.Failed = diagnostic.FromProtocol(diags).HasErrors()
			g.pool.answeredIsolated(g.member, method)
		}
		span.End(c.Failed)
		g.pool.options.Called(c)
	}
}

// noted calls the server, and records its answer or its failure. note returns the diagnostics of
// the answer.
func noted[Q, A any](
	ctx context.Context, g *guarded, method string, call func(context.Context, Q) (A, error), q Q,
	note func(A) []*tfprotov6.Diagnostic,
) (A, error) {
	ctx, end := g.begin(ctx, method)
	a, err := call(ctx, q)
	var diags []*tfprotov6.Diagnostic
	if err == nil {
		diags = note(a)
	}
	end(err, diags)
	return a, err
}

// ValidateResourceConfig implements provider.Server.
func (g *guarded) ValidateResourceConfig(
	ctx context.Context, r *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return noted(ctx, g, "ValidateResourceConfig", g.Server.ValidateResourceConfig,
		r, func(a *tfprotov6.ValidateResourceConfigResponse) []*tfprotov6.Diagnostic {
			g.answered()
			return a.Diagnostics
		})
}

// UpgradeResourceState implements provider.Server.
func (g *guarded) UpgradeResourceState(
	ctx context.Context, r *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return noted(ctx, g, "UpgradeResourceState", g.Server.UpgradeResourceState,
		r, func(a *tfprotov6.UpgradeResourceStateResponse) []*tfprotov6.Diagnostic {
			g.answered()
			return a.Diagnostics
		})
}

// ReadResource implements provider.Server.
func (g *guarded) ReadResource(ctx context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return noted(ctx, g, "ReadResource", g.Server.ReadResource, r, func(a *tfprotov6.ReadResourceResponse) []*tfprotov6.Diagnostic {
		g.deferred(a.Deferred)
		g.tried(a.Diagnostics, func() (said provider.Said) {
			said.AddDynamic(r.CurrentState)
			said.AddIdentity(r.CurrentIdentity)
			return said
		})
		return a.Diagnostics
	})
}

// PlanResourceChange implements provider.Server.
func (g *guarded) PlanResourceChange(
	ctx context.Context, r *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	return noted(ctx, g, "PlanResourceChange", g.Server.PlanResourceChange,
		r, func(a *tfprotov6.PlanResourceChangeResponse) []*tfprotov6.Diagnostic {
			g.deferred(a.Deferred)
			g.answered()
			return a.Diagnostics
		})
}

// ApplyResourceChange implements provider.Server.
func (g *guarded) ApplyResourceChange(
	ctx context.Context, r *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return noted(ctx, g, "ApplyResourceChange", g.Server.ApplyResourceChange,
		r, func(a *tfprotov6.ApplyResourceChangeResponse) []*tfprotov6.Diagnostic {
			g.tried(a.Diagnostics, func() (said provider.Said) {
				said.AddDynamic(r.PriorState, r.PlannedState, r.Config)
				said.AddIdentity(r.PlannedIdentity)
				return said
			})
			return a.Diagnostics
		})
}

// ImportResourceState implements provider.Server.
func (g *guarded) ImportResourceState(
	ctx context.Context, r *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	return noted(ctx, g, "ImportResourceState", g.Server.ImportResourceState,
		r, func(a *tfprotov6.ImportResourceStateResponse) []*tfprotov6.Diagnostic {
			g.deferred(a.Deferred)
			g.answered()
			return a.Diagnostics
		})
}

// ReadDataSource implements provider.Server.
func (g *guarded) ReadDataSource(ctx context.Context, r *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	return noted(ctx, g, "ReadDataSource", g.Server.ReadDataSource, r, func(a *tfprotov6.ReadDataSourceResponse) []*tfprotov6.Diagnostic {
		g.deferred(a.Deferred)
		g.tried(a.Diagnostics, func() (said provider.Said) {
			said.AddDynamic(r.Config)
			return said
		})
		return a.Diagnostics
	})
}

// OpenEphemeralResource implements provider.Server.
func (g *guarded) OpenEphemeralResource(
	ctx context.Context, r *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	return noted(ctx, g, "OpenEphemeralResource", g.Server.OpenEphemeralResource,
		r, func(a *tfprotov6.OpenEphemeralResourceResponse) []*tfprotov6.Diagnostic {
			g.deferred(a.Deferred)
			g.tried(a.Diagnostics, func() (said provider.Said) {
				said.AddDynamic(r.Config)
				return said
			})
			return a.Diagnostics
		})
}

// RenewEphemeralResource implements provider.Server.
func (g *guarded) RenewEphemeralResource(
	ctx context.Context, r *tfprotov6.RenewEphemeralResourceRequest,
) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	return noted(ctx, g, "RenewEphemeralResource", g.Server.RenewEphemeralResource,
		r, func(a *tfprotov6.RenewEphemeralResourceResponse) []*tfprotov6.Diagnostic {
			g.answered()
			return a.Diagnostics
		})
}

// CloseEphemeralResource implements provider.Server.
func (g *guarded) CloseEphemeralResource(
	ctx context.Context, r *tfprotov6.CloseEphemeralResourceRequest,
) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	return noted(ctx, g, "CloseEphemeralResource", g.Server.CloseEphemeralResource,
		r, func(a *tfprotov6.CloseEphemeralResourceResponse) []*tfprotov6.Diagnostic {
			g.answered()
			return a.Diagnostics
		})
}

// PlanAction implements provider.Server.
func (g *guarded) PlanAction(ctx context.Context, r *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	return noted(ctx, g, "PlanAction", g.Server.PlanAction, r, func(a *tfprotov6.PlanActionResponse) []*tfprotov6.Diagnostic {
		g.deferred(a.Deferred)
		g.answered()
		return a.Diagnostics
	})
}

// InvokeAction implements provider.Server. The call ends with its stream, which must be read.
func (g *guarded) InvokeAction(ctx context.Context, r *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	ctx, end := g.begin(ctx, "InvokeAction")
	stream, err := g.Server.InvokeAction(ctx, r)
	if err != nil || stream.Events == nil {
		end(err, nil)
		return stream, err
	}
	return &tfprotov6.InvokeActionServerStream{Events: func(yield func(tfprotov6.InvokeActionEvent) bool) {
		var broken error
		var diags []*tfprotov6.Diagnostic
		defer func() { end(broken, diags) }()
		for event := range stream.Events {
			switch event := event.Type.(type) {
			case provider.BrokenInvocation:
				broken = event.Err
			case tfprotov6.CompletedInvokeActionEventType:
				diags = event.Diagnostics
				g.tried(diags, func() (said provider.Said) {
					said.AddDynamic(r.Config)
					return said
				})
			}
			if !yield(event) {
				return
			}
		}
	}}, nil
}
