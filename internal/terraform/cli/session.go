package cli

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/provider"
)

// session is the provider as one run of the program sees it, and what it was asked and answered.
// It is configured: how, is not the program's business.
type session struct {
	provider.Server // for what no run asks for
	// ctx is that of the operation.
	ctx    context.Context
	served *served
	flight flight

	// These answer instead of the provider; nil has the provider answer.
	validate func(*tfprotov6.ValidateResourceConfigRequest) *tfprotov6.ValidateResourceConfigResponse
	plan     func(*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error)
	// apply carries out the change that was asked for; nil refuses.
	apply func(context.Context) (*tfprotov6.ApplyResourceChangeResponse, error)
	// meanwhile is called when the provider begins the change, and what it returns when that has ended.
	meanwhile func() (over func())

	// supplies says that the program knows no identities.
	supplies bool

	mu  sync.Mutex
	log log
	// identity is what is supplied; nil as long as there is none.
	identity *tfprotov6.ResourceIdentityData
	// over says that the run has ended: what comes now is too late.
	over bool
}

// log is what the provider answered, the latest last.
type log struct {
	validated       []answer[*tfprotov6.ValidateResourceConfigResponse]
	stateUpgrade    []answer[*tfprotov6.UpgradeResourceStateResponse]
	identityUpgrade []answer[*tfprotov6.UpgradeResourceIdentityResponse]
	imported        []answer[*tfprotov6.ImportResourceStateResponse]
	read            []answer[*tfprotov6.ReadResourceResponse]
	planned         []answer[*tfprotov6.PlanResourceChangeResponse]
	// applied says that the provider was asked to change something.
	applied bool
}

type answer[A any] struct {
	answer A
	err    error
}

// ask has the provider answer, and takes note.
func ask[Q, A any](s *session, call context.Context, q Q, f func(context.Context, Q) (A, error), note func(*log) *[]answer[A]) (A, error) {
	s.flight.begin()
	defer s.flight.done()
	ctx, cancel := bound(s.ctx, call)
	defer cancel()
	a, err := f(ctx, q)
	s.mu.Lock()
	defer s.mu.Unlock()
	into := note(&s.log)
	*into = append(*into, answer[A]{a, err})
	return a, err
}

// said is a copy of the log.
func (s *session) said() log {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log
}

var errNotAsked = status.Error(codes.FailedPrecondition, "this was not asked for")

// GetMetadata is not needed besides the schema.
func (s *session) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	return nil, provider.ErrUnimplemented
}

// GetProviderSchema tells of the one resource type.
func (s *session) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return s.served.schema, nil
}

// GetResourceIdentitySchemas tells of the one resource type.
func (s *session) GetResourceIdentitySchemas(context.Context, *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return s.served.identity, nil
}

// ValidateProviderConfig has nothing to say of an empty configuration.
func (s *session) ValidateProviderConfig(context.Context, *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{}, nil
}

// ConfigureProvider does nothing: the provider is configured.
func (s *session) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

// StopProvider does nothing: the provider is at work for others, too.
func (s *session) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

// ValidateResourceConfig implements tfprotov6.ProviderServer.
func (s *session) ValidateResourceConfig(ctx context.Context, r *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	if s.validate != nil {
		if a := s.validate(r); a != nil {
			return a, nil
		}
	}
	return ask(s, ctx, r, s.Server.ValidateResourceConfig, func(l *log) *[]answer[*tfprotov6.ValidateResourceConfigResponse] { return &l.validated })
}

// UpgradeResourceState implements tfprotov6.ProviderServer.
func (s *session) UpgradeResourceState(ctx context.Context, r *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	return ask(s, ctx, r, s.Server.UpgradeResourceState, func(l *log) *[]answer[*tfprotov6.UpgradeResourceStateResponse] { return &l.stateUpgrade })
}

// UpgradeResourceIdentity implements tfprotov6.ProviderServer.
func (s *session) UpgradeResourceIdentity(ctx context.Context, r *tfprotov6.UpgradeResourceIdentityRequest) (*tfprotov6.UpgradeResourceIdentityResponse, error) {
	return ask(s, ctx, r, s.Server.UpgradeResourceIdentity, func(l *log) *[]answer[*tfprotov6.UpgradeResourceIdentityResponse] { return &l.identityUpgrade })
}

// ImportResourceState implements tfprotov6.ProviderServer.
func (s *session) ImportResourceState(ctx context.Context, r *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	a, err := ask(s, ctx, r, s.Server.ImportResourceState, func(l *log) *[]answer[*tfprotov6.ImportResourceStateResponse] { return &l.imported })
	if err != nil || len(a.ImportedResources) != 1 {
		return a, err
	}
	s.met(a.ImportedResources[0].Identity)
	return s.completed(ctx, a), nil
}

// ReadResource implements tfprotov6.ProviderServer.
func (s *session) ReadResource(ctx context.Context, r *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	q := *r
	q.CurrentIdentity = s.identified(r.CurrentIdentity)
	return ask(s, ctx, &q, s.Server.ReadResource, func(l *log) *[]answer[*tfprotov6.ReadResourceResponse] { return &l.read })
}

// PlanResourceChange implements tfprotov6.ProviderServer.
func (s *session) PlanResourceChange(ctx context.Context, r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if s.plan != nil {
		return s.plan(r)
	}
	q := *r
	q.PriorIdentity = s.identified(r.PriorIdentity)
	return ask(s, ctx, &q, s.Server.PlanResourceChange, func(l *log) *[]answer[*tfprotov6.PlanResourceChangeResponse] { return &l.planned })
}

// ApplyResourceChange carries out the change that was planned, once. Whatever becomes of the
// program meanwhile, the provider goes on until it answers or the operation ends.
func (s *session) ApplyResourceChange(context.Context, *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if !s.mayApply() {
		return nil, errNotAsked
	}
	defer s.flight.done()
	defer s.meanwhile()()
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	return s.apply(ctx)
}

// mayApply says whether the change is to be carried out now, and counts it in.
func (s *session) mayApply() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.apply == nil || s.log.applied || s.over {
		return false
	}
	s.log.applied = true
	s.flight.begin()
	return true
}

// end waits for the change that the provider is making, and has none begin any more.
func (s *session) end() {
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
	s.flight.wait()
}
