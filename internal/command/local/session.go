package local

import (
	"context"
	"sync"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// Session is one manifest, one provider and one state file. Make one with New, and Close it.
type Session struct {
	Provider *model.Provider
	// Source is the provider's address, such as registry.terraform.io/hashicorp/random.
	Source   string
	Manifest *Manifest
	State    *State
	// Stored returns the stored instance of a resource. It is used instead of State, for plans
	// only.
	Stored func(context.Context, *ManifestResource) (instance.Instance, error)
	// WithoutRefresh destroys objects as they are in the state, without reading them first. With
	// Stored, it plans them so.
	WithoutRefresh bool

	// Lease leases the executor of a resource. It is used instead of the provider, for kinds that
	// no provider has.
	Lease func(context.Context, *ManifestResource) (_ terraform.Executor, release func(), _ diagnostic.Diagnostics)

	resolves *resolver // of references; nil until it is needed
	launcher provider.Launcher
	pool     *pool.Pool

	mu      sync.Mutex
	engines map[provider.Server]*engine.Engine
	warned  map[provider.Server]bool
	// inUse counts the leases of each server; stop asks those with leases to stop.
	inUse map[provider.Server]int
}

// New returns a session. The provider is started when it is first needed.
func New(p *model.Provider, source string, launcher provider.Launcher, m *Manifest, s *State) *Session {
	return &Session{
		Provider: p, Source: source, Manifest: m, State: s, launcher: launcher,
		pool:    pool.New(pool.Options{IdleTimeout: time.Hour, KeepTrying: true}),
		engines: map[provider.Server]*engine.Engine{}, warned: map[provider.Server]bool{},
		inUse: map[provider.Server]int{},
	}
}

// stored returns the stored instance of a resource.
func (s *Session) stored(ctx context.Context, r *ManifestResource) (instance.Instance, error) {
	if s.Stored != nil {
		return s.Stored(ctx, r)
	}
	return s.State.Instance(r)
}

// Close stops the provider. It is killed when ctx ends.
func (s *Session) Close(ctx context.Context) error { return s.pool.Close(ctx) }

// acquire returns an executor for the provider with the resource's configuration.
func (s *Session) acquire(ctx context.Context, r *ManifestResource) (terraform.Executor, func(), Messages) {
	if s.Lease != nil {
		ex, release, diags := s.Lease(ctx, r)
		return ex, release, s.say(r, diags)
	}
	key := pool.Prepare(pool.Configuration{Launcher: s.launcher, Config: r.provider})
	lease, diags := s.pool.Acquire(ctx, key)
	if diags.HasErrors() {
		return nil, nil, s.spell(r, diags)
	}
	server := lease.Server()
	s.mu.Lock()
	defer s.mu.Unlock()
	var messages Messages
	if !s.warned[server] {
		s.warned[server] = true
		messages = s.spell(r, lease.Warnings())
	}
	e := s.engines[server]
	if e == nil {
		e = engine.New(server)
		s.engines[server] = e
	}
	s.inUse[server]++
	return e, func() {
		s.mu.Lock()
		s.inUse[server]--
		s.mu.Unlock()
		lease.Release()
	}, messages
}

// spell returns diagnostics of the provider configuration as messages.
func (s *Session) spell(r *ManifestResource, diags diagnostic.Diagnostics) Messages {
	out := translated("provider configuration", "", diags, s.Provider.UserPath)
	if len(out) > 0 && r.provider.RawEquals(s.Provider.Schema.Config.EmptyValue()) {
		for i := range out {
			out[i].Source = "provider configuration (there is none in the manifest)"
		}
	}
	return out
}

// say returns diagnostics of a resource as messages.
func (s *Session) say(r *ManifestResource, diags diagnostic.Diagnostics) Messages {
	return conceal(s.Manifest.secrets, translated(r.Source, r.Address(), diags, r.Model.UserPath))
}

// stop asks the providers in use to stop.
func (s *Session) stop(ctx context.Context) {
	s.mu.Lock()
	var servers []provider.Server
	for server, n := range s.inUse {
		if n > 0 {
			servers = append(servers, server)
		}
	}
	s.mu.Unlock()
	for _, server := range servers {
		_, _ = server.StopProvider(ctx, nil)
	}
}
