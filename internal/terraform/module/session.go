package module

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/inflight"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/wire"
	"github.com/landbridge-io/landbridge/schema"
)

// session is one operation of the program with all its providers.
type session struct {
	// ctx is the context of the operation. A change may continue until it ends, even if the program
	// ends before.
	ctx context.Context
	// journal is nil if the operation makes no changes.
	journal *journal
	// providers are the provider configurations in the state file, by resource address.
	providers map[string]string
	// secrets are removed from messages.
	secrets *redact.Redactor
	calls   inflight.Calls

	// before is the state file from before the operation; nil if there is none. Its objects are the
	// module's own.
	before []byte
	// unchecked is set when objects are created without looking for existing ones.
	unchecked bool
	// refuses is Plan.Refuses.
	refuses    func(context.Context, terraform.Object) error
	appearing  appearing
	visibility *visibility
	objects    *objects
	kept       *kept

	mu sync.Mutex
	// releases end the leases of servers with further settings.
	releases []func()
	// met are the errors of creates whose objects exist already.
	met diagnostic.Diagnostics
	// announced are the changes that the program announced and did not request yet, by resource
	// type. changed is closed when there is another one.
	announced map[string][]resource
	changed   chan struct{}
}

func newSession(ctx context.Context, j *journal, secrets *redact.Redactor) *session {
	return &session{
		ctx: ctx, journal: j, secrets: secrets, objects: newObjects(), visibility: newVisibility(recent{}, 0),
		announced: map[string][]resource{}, changed: make(chan struct{}),
	}
}

// end waits until all calls have ended, and lets no more begin.
func (s *session) end() { s.calls.Wait() }

// announce records a change that the program begins.
func (s *session) announce(r resource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.announced[r.Type] = append(s.announced[r.Type], r)
	close(s.changed)
	s.changed = make(chan struct{})
}

// announcementTimeout bounds the delay between a request of the program and its announcement, which
// comes by another way.
const announcementTimeout = 20 * time.Second

// next returns the next announced change of a resource of a type. The program announces it right
// before it requests it.
func (s *session) next(ctx context.Context, resourceType string) (resource, error) {
	late := time.After(announcementTimeout)
	for {
		s.mu.Lock()
		list, changed := s.announced[resourceType], s.changed
		if len(list) > 0 {
			s.announced[resourceType] = list[1:]
			s.mu.Unlock()
			return list[0], nil
		}
		s.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return resource{}, ctx.Err()
		case <-late:
			return resource{}, errors.New("the program did not announce which resource it changes")
		}
	}
}

// attached is a configured provider as the program sees it.
type attached struct {
	commandline.Configured
	*session
	source string
	schema *schema.Provider
	// named are the servers of named configurations. configure returns a server with further
	// settings; nil if there are none.
	named     map[string]provider.Server
	configure func(ctx context.Context, name string, settings cty.Value) (provider.Server, diagnostic.Diagnostics)
	key       []byte
	// restricted is set unless the module may have any settings in its provider blocks.
	restricted bool
	// connections are the servers that were chosen for connections of the program.
	connections sync.Map
}

// newAttached asks the provider for its schema.
func newAttached(ctx context.Context, s *session, source string, server provider.Server, p *schema.Provider) (*attached, error) {
	all, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	served := *all
	served.Provider = commandline.NoConfiguration()
	return &attached{
		Configured: commandline.Configured{Server: server, Served: &served},
		session:    s, source: source, schema: p,
	}, nil
}

// ReadResource implements tfprotov6.ProviderServer.
func (s *attached) ReadResource(ctx context.Context, q *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	if !s.calls.Begin() {
		return nil, errOver
	}
	defer s.calls.End()
	answer, err := s.chosen(ctx).ReadResource(ctx, q)
	if err != nil {
		return nil, err
	}
	answer = s.unlessDoubted(q, s.unlessHidden(q, answer))
	s.kept.read(s.schema.Resources[q.TypeName], q, answer)
	s.sees(ctx, q.TypeName, nil, packed(answer.NewState), identified(answer.NewIdentity))
	return answer, nil
}

// PlanResourceChange implements tfprotov6.ProviderServer.
func (s *attached) PlanResourceChange(
	ctx context.Context, q *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	if !s.calls.Begin() {
		return nil, errOver
	}
	defer s.calls.End()
	if s.kept.has(s.schema.Resources[q.TypeName], q) {
		return unchanged(q), nil
	}
	answer, err := s.chosen(ctx).PlanResourceChange(ctx, q)
	if err == nil {
		s.creates(ctx, q, answer)
	}
	return answer, err
}

// ReadDataSource implements tfprotov6.ProviderServer.
func (s *attached) ReadDataSource(ctx context.Context, q *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	if !s.calls.Begin() {
		return nil, errOver
	}
	defer s.calls.End()
	return s.chosen(ctx).ReadDataSource(ctx, q)
}

var errOver = status.Error(codes.FailedPrecondition, "the run has ended")

var errNoObject = status.Error(codes.Unknown, "The provider answered with neither an object nor an error")

var errUnidentified = status.Error(codes.Unknown, "The provider answered with an object that has neither an id nor an identity")

// unidentified reports whether nothing identifies the object that a create has left.
func unidentified(r *schema.Resource, c *change, answer *tfprotov6.ApplyResourceChangeResponse) bool {
	planned, err := wire.Unmarshal(c.Planned, r.ImpliedType())
	if err != nil {
		return false
	}
	state, err := wire.Unmarshal(packed(answer.NewState), r.ImpliedType())
	if err != nil {
		return false
	}
	identity := cty.NilVal
	if b := identified(answer.NewIdentity); r.Identity != nil && b != nil {
		if identity, err = wire.Unmarshal(b, r.IdentityType()); err != nil {
			return false
		}
	}
	return terraform.Unidentified(planned, state, identity)
}

// notBegun returns the answer to a change for which the provider was not asked.
func notBegun(err error) error {
	return status.Error(codes.FailedPrecondition, fmt.Sprintf("The provider was not asked for the change: %s.", err))
}

// ApplyResourceChange asks the provider for a change, and records it in the journal. The call
// continues until the provider answers or the operation ends, even if the program ends before.
func (s *attached) ApplyResourceChange(
	call context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	if s.journal == nil || !s.calls.Begin() {
		return nil, errOver
	}
	defer s.calls.End()
	at, err := s.next(call, q.TypeName)
	if err != nil {
		return nil, notBegun(err)
	}
	r := s.schema.Resources[q.TypeName]
	if r == nil {
		return nil, notBegun(errors.New("there is no such resource type"))
	}
	server := s.connection(call)
	c := &change{
		Resource: at, Source: s.source, Configuration: server.name, Settings: server.settings != "",
		Provider: s.providers[at.Address], Kind: instance.Update,
	}
	switch {
	case wire.IsNull(packed(q.PlannedState)):
		c.Kind = instance.Delete
		c.Object = s.existing(server, r, packed(q.PriorState))
		if c.Object != nil && s.refuses != nil {
			if err := s.refuses(s.ctx, *c.Object); err != nil {
				return nil, notBegun(err)
			}
		}
	case wire.IsNull(packed(q.PriorState)):
		c.Kind = instance.Create
		c.Planned, c.PlannedIdentity = packed(q.PlannedState), identified(q.PlannedIdentity)
		c.Object = s.objectOf(server, r, c.Planned, c.PlannedIdentity)
		if err := s.look(c, r, server); err != nil {
			return nil, notBegun(err)
		}
	}
	if err := s.journal.save(func() { s.journal.Changes = append(s.journal.Changes, c) }); err != nil {
		s.journal.forget(c)
		return nil, notBegun(fmt.Errorf("its begin cannot be recorded: %w", err))
	}
	if err := provider.Fence(s.ctx); err != nil {
		s.journal.forget(c)
		return nil, notBegun(err)
	}
	answer, err := server.ApplyResourceChange(s.ctx, q)
	if err != nil {
		return nil, err // the outcome is unknown
	}
	if none := len(packed(answer.NewState)) == 0 || wire.IsNull(packed(answer.NewState)); c.Kind == instance.Create &&
		none && !hasErrors(answer.Diagnostics) {
		return nil, errNoObject // likewise: it may have made one
	}
	if c.Kind == instance.Create && !hasErrors(answer.Diagnostics) && unidentified(r, c, answer) {
		return nil, errUnidentified // likewise
	}
	answer = s.unlessUnproven(c, r, q, answer)
	s.conceal(r, packed(answer.NewState))
	failed := hasErrors(answer.Diagnostics)
	// If it fails, the answer is in the next record, and in the instance in the end.
	_ = s.journal.save(func() {
		c.Answered, c.State, c.Private = true, packed(answer.NewState), answer.Private
		c.Identity, c.Tainted = identified(answer.NewIdentity), failed && c.Kind == instance.Create
		c.Failed = failed
		c.SchemaVersion, c.Planned, c.PlannedIdentity = r.Version, nil, nil
		if r.Identity != nil {
			c.IdentityVersion = r.Identity.Version
		}
		if !c.destroyed() {
			c.Object = s.objectOf(server, r, c.State, c.Identity)
		}
	})
	s.sees(call, q.TypeName, packed(q.PriorState), packed(answer.NewState), identified(answer.NewIdentity))
	return answer, nil
}

var errStillShown = errors.New("the object of its identity that was destroyed is still shown by its API. It is tried again")

// look looks for an object before it is created, if its identity is known. It returns an error if
// the object exists and is not one of the module's own.
func (s *attached) look(c *change, r *schema.Resource, at configuredServer) error {
	identity := c.identity(r)
	if identity == nil {
		return nil
	}
	found, diags := engine.New(at.Server).Import(s.ctx, terraform.ResourceType{Schema: r}, *identity)
	c.Absent = diags.HasErrors() && terraform.NonExistent(diags)
	if diags.HasErrors() || s.unchecked || !terraform.Told(r, *identity, found.State) {
		return nil
	}
	if o := s.found(at, r, found); s.journal.destroys(o) || s.visibility.destroyed.shows(o, time.Now(), s.visibility.grace) {
		return errStillShown
	}
	if owns(s.before, r, found) {
		return nil
	}
	address := strings.TrimPrefix(c.Resource.Address, callAddress)
	met := terraform.ObjectExistsError("identity", "it is not changed: "+address+
		" cannot take it over. Delete the object, or change the instance to declare another one. "+
		"If the provider is mistaken and there is none, set spec.lifecycle.existenceCheck to Never.")
	met[0].Summary += ": " + address
	s.mu.Lock()
	s.met = append(s.met, met...)
	s.mu.Unlock()
	return errors.New("an object of its identity exists already")
}

// owns reports whether an object is in a state file. Programs that know no identities do not store
// them.
func owns(state []byte, r *schema.Resource, found instance.Instance) bool {
	if state == nil {
		return false
	}
	file, err := tfstate.Read(state, func(t string) *schema.Resource {
		if t != r.Type {
			return nil
		}
		return r
	})
	if err != nil {
		return true // it is unknown
	}
	for block, i := range file.All() {
		if block.Mode == "managed" && block.Type == r.Type && sameObject(r, i.Instance, found) {
			return true
		}
	}
	return false
}

// sameObject reports whether two instances are of the same object, by the identity or the
// attributes of the same names.
func sameObject(r *schema.Resource, a, b instance.Instance) bool {
	if len(a.RawState) > 0 {
		return true // it is unknown
	}
	if a.HasIdentity() && b.HasIdentity() {
		return a.Identity.RawEquals(b.Identity)
	}
	for name := range r.Identity.Attributes {
		if r.Block.Attributes[name] != nil && !a.State.GetAttr(name).RawEquals(b.State.GetAttr(name)) {
			return false
		}
	}
	return true
}

// conceal registers the secrets of an answer.
func (s *session) conceal(r *schema.Resource, state []byte) {
	if v, err := wire.Unmarshal(state, r.ImpliedType()); err == nil && !v.IsNull() {
		conceal(s.secrets, r, instance.Instance{State: v})
	}
}

// forget removes a change that did not begin.
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
