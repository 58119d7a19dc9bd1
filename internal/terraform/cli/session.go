package cli

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/inflight"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
)

// session is the provider as one run of the program sees it. It records the provider's answers.
type session struct {
	commandline.Configured
	// ctx is the context of the operation.
	ctx      context.Context
	identity *tfprotov6.GetResourceIdentitySchemasResponse
	calls    inflight.Calls

	// validate and plan answer instead of the provider; nil asks the provider.
	validate func(*tfprotov6.ValidateResourceConfigRequest) *tfprotov6.ValidateResourceConfigResponse
	plan     func(*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error)
	// apply makes the planned change; nil refuses.
	apply func(context.Context) (*tfprotov6.ApplyResourceChangeResponse, error)
	// meanwhile is called when the provider begins the change. The returned function is called when
	// the change has ended.
	meanwhile func() (over func())

	// supplies is set when the program does not support identities.
	supplies bool

	mu  sync.Mutex
	log log
	// supplied is the identity for requests of such a program; nil until there is one.
	supplied *tfprotov6.ResourceIdentityData
}

// open prepares the session for a run. ctx is the context of the operation.
func (s *session) open(ctx context.Context, server provider.Server, known *served, supplies bool) {
	s.ctx, s.supplies = ctx, supplies
	s.Configured = commandline.Configured{Server: server, Served: known.schema}
	s.identity = known.identity
}

// log is the provider's answers, the latest last.
type log struct {
	validated       []answer[*tfprotov6.ValidateResourceConfigResponse]
	stateUpgrade    []answer[*tfprotov6.UpgradeResourceStateResponse]
	identityUpgrade []answer[*tfprotov6.UpgradeResourceIdentityResponse]
	imported        []answer[*tfprotov6.ImportResourceStateResponse]
	read            []answer[*tfprotov6.ReadResourceResponse]
	planned         []answer[*tfprotov6.PlanResourceChangeResponse]
	// applied is set when the provider was asked for a change.
	applied bool
}

type answer[A any] struct {
	answer A
	err    error
}

// ask asks the provider, and records the answer.
func ask[Q, A any](s *session, call context.Context, q Q, f func(context.Context, Q) (A, error), note func(*log) *[]answer[A]) (A, error) {
	if !s.calls.Begin() {
		var none A
		return none, errNotAsked
	}
	defer s.calls.End()
	ctx, cancel := bound(s.ctx, call)
	defer cancel()
	a, err := f(ctx, q)
	s.mu.Lock()
	defer s.mu.Unlock()
	into := note(&s.log)
	*into = append(*into, answer[A]{a, err})
	return a, err
}

// recorded returns the log.
func (s *session) recorded() log {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log
}

var errNotAsked = status.Error(codes.FailedPrecondition, "the run does not expect this call")

// GetResourceIdentitySchemas returns the schema of the one resource type.
func (s *session) GetResourceIdentitySchemas(
	context.Context, *tfprotov6.GetResourceIdentitySchemasRequest,
) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return s.identity, nil
}

// ValidateResourceConfig implements tfprotov6.ProviderServer.
func (s *session) ValidateResourceConfig(
	ctx context.Context, r *tfprotov6.ValidateResourceConfigRequest,
) (*tfprotov6.ValidateResourceConfigResponse, error) {
	if s.validate != nil {
		if a := s.validate(r); a != nil {
			return a, nil
		}
	}
	return ask(s, ctx, r, s.Server.ValidateResourceConfig,
		func(l *log) *[]answer[*tfprotov6.ValidateResourceConfigResponse] { return &l.validated })
}

// UpgradeResourceState implements tfprotov6.ProviderServer.
func (s *session) UpgradeResourceState(
	ctx context.Context, r *tfprotov6.UpgradeResourceStateRequest,
) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return ask(s, ctx, r, s.Server.UpgradeResourceState,
		func(l *log) *[]answer[*tfprotov6.UpgradeResourceStateResponse] { return &l.stateUpgrade })
}

// UpgradeResourceIdentity implements tfprotov6.ProviderServer.
func (s *session) UpgradeResourceIdentity(
	ctx context.Context, r *tfprotov6.UpgradeResourceIdentityRequest,
) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return ask(s, ctx, r, s.Server.UpgradeResourceIdentity,
		func(l *log) *[]answer[*tfprotov6.UpgradeResourceIdentityResponse] { return &l.identityUpgrade })
}

// ImportResourceState implements tfprotov6.ProviderServer.
func (s *session) ImportResourceState(
	ctx context.Context, r *tfprotov6.ImportResourceStateRequest,
) (*tfprotov6.ImportResourceStateResponse, error) {
	a, err := ask(s, ctx, r, s.Server.ImportResourceState,
		func(l *log) *[]answer[*tfprotov6.ImportResourceStateResponse] { return &l.imported })
	if err != nil || len(a.ImportedResources) != 1 {
		return a, err
	}
	s.learn(a.ImportedResources[0].Identity)
	return s.complete(ctx, a), nil
}

// ReadResource implements tfprotov6.ProviderServer.
func (s *session) ReadResource(ctx context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	q := *r
	q.CurrentIdentity = s.identityFor(r.CurrentIdentity)
	return ask(s, ctx, &q, s.Server.ReadResource, func(l *log) *[]answer[*tfprotov6.ReadResourceResponse] { return &l.read })
}

// PlanResourceChange implements tfprotov6.ProviderServer.
func (s *session) PlanResourceChange(
	ctx context.Context, r *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	if s.plan != nil {
		return s.plan(r)
	}
	q := *r
	q.PriorIdentity = s.identityFor(r.PriorIdentity)
	return ask(s, ctx, &q, s.Server.PlanResourceChange, func(l *log) *[]answer[*tfprotov6.PlanResourceChangeResponse] { return &l.planned })
}

// ApplyResourceChange makes the planned change, once. The call continues until the provider answers
// or the operation ends, even if the program ends before.
func (s *session) ApplyResourceChange(
	context.Context, *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if !s.mayApply() {
		return nil, errNotAsked
	}
	defer s.calls.End()
	defer s.meanwhile()()
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	return s.apply(ctx)
}

// mayApply reports whether the change has to be made now, and begins a call if so.
func (s *session) mayApply() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.apply == nil || s.log.applied || !s.calls.Begin() {
		return false
	}
	s.log.applied = true
	return true
}

// end waits until the provider has answered, and lets no more calls begin.
func (s *session) end() { s.calls.Wait() }

// bound returns a context for a call, which ends with the operation, and when the program no longer
// waits for the answer.
func bound(operation, call context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(operation)
	stop := context.AfterFunc(call, cancel)
	return ctx, func() { stop(); cancel() }
}
