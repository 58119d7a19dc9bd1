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

// noted calls the server, and records its answer or its failure. note returns the diagnostics of
// the answer.
func noted[Q, A any](ctx context.Context, g *guarded, method string, call func(context.Context, Q) (A, error), q Q, note func(A) []*tfprotov6.Diagnostic) (A, error) {
	begin := time.Now()
	ctx, span := tracing.Child(ctx, method)
	g.member.calls.begin(g.user, method)
	a, err := call(ctx, q)
	g.member.calls.end(g.user, method, err, time.Now())
	c := Call{Configuration: g.member.name, Method: method, Took: time.Since(begin), Failed: err != nil}
	if err != nil {
		g.failed(ctx, err)
	} else {
		c.Failed = diagnostic.FromProtocol(note(a)).HasErrors()
		g.pool.answeredIsolated(g.member, method)
	}
	span.End(c.Failed)
	g.pool.options.Called(c)
	return a, err
}

// ValidateResourceConfig implements provider.Server.
func (g *guarded) ValidateResourceConfig(ctx context.Context, r *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return noted(ctx, g, "ValidateResourceConfig", g.Server.ValidateResourceConfig, r, func(a *tfprotov6.ValidateResourceConfigResponse) []*tfprotov6.Diagnostic {
		g.answered()
		return a.Diagnostics
	})
}

// UpgradeResourceState implements provider.Server.
func (g *guarded) UpgradeResourceState(ctx context.Context, r *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return noted(ctx, g, "UpgradeResourceState", g.Server.UpgradeResourceState, r, func(a *tfprotov6.UpgradeResourceStateResponse) []*tfprotov6.Diagnostic {
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
func (g *guarded) PlanResourceChange(ctx context.Context, r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	return noted(ctx, g, "PlanResourceChange", g.Server.PlanResourceChange, r, func(a *tfprotov6.PlanResourceChangeResponse) []*tfprotov6.Diagnostic {
		g.deferred(a.Deferred)
		g.answered()
		return a.Diagnostics
	})
}

// ApplyResourceChange implements provider.Server.
func (g *guarded) ApplyResourceChange(ctx context.Context, r *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	return noted(ctx, g, "ApplyResourceChange", g.Server.ApplyResourceChange, r, func(a *tfprotov6.ApplyResourceChangeResponse) []*tfprotov6.Diagnostic {
		g.tried(a.Diagnostics, func() (said provider.Said) {
			said.AddDynamic(r.PriorState, r.PlannedState, r.Config)
			said.AddIdentity(r.PlannedIdentity)
			return said
		})
		return a.Diagnostics
	})
}

// ImportResourceState implements provider.Server.
func (g *guarded) ImportResourceState(ctx context.Context, r *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	return noted(ctx, g, "ImportResourceState", g.Server.ImportResourceState, r, func(a *tfprotov6.ImportResourceStateResponse) []*tfprotov6.Diagnostic {
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
