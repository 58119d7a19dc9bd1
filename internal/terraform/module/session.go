package module

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// conversation is one run of the program with all its providers.
type conversation struct {
	// ctx is that of the operation: what was begun goes on until it ends, whatever becomes of the program.
	ctx context.Context
	// journal is nil of a run that changes nothing.
	journal *journal
	// providers are those in the state file, by the addresses of resources.
	providers map[string]string
	// secrets are what no message may quote.
	secrets *redact.Redactor

	mu sync.Mutex
	// calls are under way; idle is signalled when none is.
	calls int
	idle  *sync.Cond
	// begun are the changes that the program has told of, and not asked for yet, by resource types; signal
	// is closed when there is another one.
	begun  map[string][]resource
	signal chan struct{}
	over   bool
}

func converse(ctx context.Context, j *journal) *conversation {
	c := &conversation{ctx: ctx, journal: j, begun: map[string][]resource{}, signal: make(chan struct{})}
	c.idle = sync.NewCond(&c.mu)
	return c
}

func (c *conversation) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls > 0
}

// enter counts a call in; false is that the run is over.
func (c *conversation) enter() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return false
	}
	c.calls++
	return true
}

func (c *conversation) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls--; c.calls == 0 {
		c.idle.Broadcast()
	}
}

// end has nothing begin any more, and waits for what has begun.
func (c *conversation) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for c.calls > 0 {
		c.idle.Wait()
	}
}

// tell takes note of a change that the program begins.
func (c *conversation) tell(r resource) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.begun[r.Type] = append(c.begun[r.Type], r)
	close(c.signal)
	c.signal = make(chan struct{})
}

// toldWithin is how long what the program tells may take to get here after what it asks.
const toldWithin = 20 * time.Second

// told is the change of a resource of a type that the program has told of. It does so right before it asks.
func (c *conversation) told(ctx context.Context, resourceType string) (resource, error) {
	late := time.After(toldWithin)
	for {
		c.mu.Lock()
		list, signal := c.begun[resourceType], c.signal
		if len(list) > 0 {
			c.begun[resourceType] = list[1:]
			c.mu.Unlock()
			return list[0], nil
		}
		c.mu.Unlock()
		select {
		case <-signal:
		case <-ctx.Done():
			return resource{}, ctx.Err()
		case <-late:
			return resource{}, errors.New("the program did not tell which resource it is about")
		}
	}
}

// session is a provider as a run of the program sees it. It is configured: how, is not the program's business.
type session struct {
	provider.Server
	*conversation
	source string
	schema *schema.Provider
	served *tfprotov6.GetProviderSchemaResponse
	engine *engine.Engine
}

// newSession asks the provider what it has.
func newSession(ctx context.Context, c *conversation, source string, server provider.Server, s *schema.Provider) (*session, error) {
	all, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	served := *all
	served.Provider = &tfprotov6.Schema{Block: &tfprotov6.SchemaBlock{}}
	return &session{Server: server, conversation: c, source: source, schema: s, served: &served, engine: engine.New(server)}, nil
}

// GetMetadata is not needed besides the schema.
func (s *session) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	return nil, provider.ErrUnimplemented
}

// GetProviderSchema tells of a provider that needs no configuration.
func (s *session) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return s.served, nil
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

// ReadResource implements tfprotov6.ProviderServer.
func (s *session) ReadResource(ctx context.Context, q *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if !s.enter() {
		return nil, errOver
	}
	defer s.leave()
	return s.Server.ReadResource(ctx, q)
}

// PlanResourceChange implements tfprotov6.ProviderServer.
func (s *session) PlanResourceChange(ctx context.Context, q *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	if !s.enter() {
		return nil, errOver
	}
	defer s.leave()
	return s.Server.PlanResourceChange(ctx, q)
}

// ReadDataSource implements tfprotov6.ProviderServer.
func (s *session) ReadDataSource(ctx context.Context, q *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	if !s.enter() {
		return nil, errOver
	}
	defer s.leave()
	return s.Server.ReadDataSource(ctx, q)
}

var errOver = status.Error(codes.FailedPrecondition, "the run has ended")

// notBegun is an answer to a change that the provider was not asked for.
func notBegun(err error) error {
	return status.Error(codes.FailedPrecondition, fmt.Sprintf("The provider was not asked for the change: %s.", err))
}

// ApplyResourceChange has the provider carry out a change, and keeps the journal of it. Whatever becomes of
// the program meanwhile, the provider goes on until it answers or the operation ends.
func (s *session) ApplyResourceChange(call context.Context, q *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if s.journal == nil || !s.enter() {
		return nil, errOver
	}
	defer s.leave()
	at, err := s.told(call, q.TypeName)
	if err != nil {
		return nil, notBegun(err)
	}
	r := s.schema.Resources[q.TypeName]
	if r == nil {
		return nil, notBegun(errors.New("there is no such resource type"))
	}
	c := &change{Resource: at, Source: s.source, Provider: s.providers[at.Address], Kind: instance.Update}
	switch {
	case wire.IsNull(packed(q.PlannedState)):
		c.Kind = instance.Delete
	case wire.IsNull(packed(q.PriorState)):
		c.Kind = instance.Create
		c.Planned, c.PlannedIdentity = packed(q.PlannedState), identified(q.PlannedIdentity)
		if identity := c.identity(r); identity != nil {
			_, diags := s.engine.Import(s.ctx, terraform.ResourceType{Schema: r}, *identity)
			c.Absent = diags.HasErrors() && terraform.NonExistent(diags)
		}
	}
	if err := s.journal.save(func() { s.journal.Changes = append(s.journal.Changes, c) }); err != nil {
		s.journal.forget(c)
		return nil, notBegun(fmt.Errorf("that it was to begin could not be recorded: %w", err))
	}
	answer, err := s.Server.ApplyResourceChange(s.ctx, q)
	if err != nil {
		return nil, err // what became of it is not known
	}
	s.conceal(r, packed(answer.NewState))
	failed := false
	for _, d := range answer.Diagnostics {
		failed = failed || d.Severity == tfprotov6.DiagnosticSeverityError
	}
	// Its failure is no reason to do anything else: it is in the next one, and in what is stored in the end.
	_ = s.journal.save(func() {
		c.Answered, c.State, c.Private = true, packed(answer.NewState), answer.Private
		c.Identity, c.Tainted = identified(answer.NewIdentity), failed && c.Kind == instance.Create
		c.SchemaVersion, c.Planned, c.PlannedIdentity = r.Version, nil, nil
		if r.Identity != nil {
			c.IdentityVersion = r.Identity.Version
		}
	})
	return answer, nil
}

// conceal adds the secrets of an answer.
func (c *conversation) conceal(r *schema.Resource, state []byte) {
	if v, err := wire.Unmarshal(state, r.ImpliedType()); err == nil && !v.IsNull() {
		conceal(c.secrets, r, instance.Instance{State: v})
	}
}

// forget takes back a change that did not begin.
func (j *journal) forget(c *change) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, x := range j.Changes {
		if x == c {
			j.Changes = append(j.Changes[:i:i], j.Changes[i+1:]...)
			return
		}
	}
}

var null = []byte{0xc0}

func packed(v *tfprotov6.DynamicValue) []byte {
	if v == nil || len(v.MsgPack) == 0 {
		return null
	}
	return v.MsgPack
}

func identified(i *tfprotov6.ResourceIdentityData) []byte {
	if i == nil || i.IdentityData == nil || wire.IsNull(packed(i.IdentityData)) {
		return nil
	}
	return packed(i.IdentityData)
}
