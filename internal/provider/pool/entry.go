package pool

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
)

const (
	// checkEvery is the number of leases between checks of a server's usage.
	checkEvery = 32
	// fewCalls is the number of calls within which a leak does not reach Options.Growth.
	fewCalls = 200
	// drainFor bounds the wait for the calls of a server that is to be relieved.
	drainFor = 25 * time.Millisecond
	// quickly is the time within which a server has to be configured to be relieved: calls wait
	// meanwhile. Others are replaced when they have grown. longestRelief is when a relief fails.
	quickly       = time.Second
	longestRelief = 10 * time.Second
	// healthyFor is the time after which a crash counts as the first one.
	healthyFor = time.Minute
)

// entry is the state of one key. The pool's mutex guards it.
type entry struct {
	key Key
	// isolated are resources that have servers of their own (isolation.go).
	isolated isolations
	// works is set when a server of the configuration has answered since a resource was isolated
	// last. Until then, isolatedBackoff delays the servers of all isolated resources, and additions
	// counts how often resources were isolated.
	works           atomic.Bool
	isolatedBackoff backoff
	additions       int
	// of is the entry of the configuration if this one is that of an isolated resource, which is
	// user; else nil.
	of      *entry
	user    provider.User
	current *member
	// retired holds the servers that were replaced and still have leases.
	retired map[*member]struct{}
	// starting is the start in progress, of the first server or of a replacement.
	starting *start
	// backoff delays the next start.
	backoff
	// noRoom is since when there is no room for a server, or zero. refused is when that was told
	// last.
	noRoom, refused time.Time
	// limiter limits the rate of leases. Entries of isolated resources have that of their
	// configuration.
	limiter *limiter
	// outage is the state of a configuration that does not work.
	outage outage
	// users are resources that have used the configuration lately, and throttled those whose calls
	// were throttled.
	users, throttled witnesses
	// troubled is set when the last call that used the configuration failed because of it. It needs
	// no mutex.
	troubled atomic.Bool
	// growth is the limit of this provider; see Options.Growth.
	growth int64
	// relief is the number of calls after which a server is relieved of leaked memory; 0 until one
	// has leaked.
	relief int64
}

// backoff is the delay between a failure and the next start. failure is why there is no server; the
// next start is at retryAt.
type backoff struct {
	failure  *Failure
	failures int
	retryAt  time.Time
}

// member is one configured server.
type member struct {
	entry *entry
	// name is the name of the configuration.
	name   string
	server provider.Server
	// guarded is the server in leases of the program's own.
	guarded *guarded
	// unproven is set for a server that was started after a failure and has not answered yet.
	// TryAcquire gives one lease at a time then; probed is set while it is out.
	unproven atomic.Bool
	// deferring is set for a server that has deferred an answer because of its configuration.
	deferring atomic.Bool
	probed    bool
	// timeouts counts consecutive calls that were not answered in time; suspected is set during the
	// check whether the server still answers.
	timeouts  atomic.Int32
	suspected bool
	// calls are those that are not answered.
	calls    calls
	warnings diagnostic.Diagnostics
	started  time.Time
	// version is that of the launcher when the server was launched.
	version int64
	// base is the memory of the server's process after its configuration.
	base provider.Usage

	// relieved is the number of calls at the last relief.
	relieved int64
	// relieving is set while the server is relieved.
	relieving bool
	// configuring is how long its configuration took last.
	configuring time.Duration

	leases, acquired int
	// interrupted is the number of leases of interrupted operations. stopped is closed with the
	// last lease; nil unless the server is being told to stop because of them.
	interrupted int
	stopped     chan struct{}
	idleSince   time.Time
	// retiring is set when there are no more leases; the end is no crash then.
	retiring bool
	ending   bool
}

type start struct {
	at   time.Time
	done chan struct{}
	// failure is set before done is closed.
	failure *Failure
}

// start starts a server in the background. The mutex is held.
func (p *Pool) start(e *entry) {
	s := &start{at: time.Now(), done: make(chan struct{})}
	e.starting = s
	configuration := e.key.configuration
	p.background.Go(func() {
		ctx, cancel := context.WithTimeout(p.ctx, p.options.StartTimeout)
		defer cancel()
		m, err := p.launch(ctx, configuration)
		p.mu.Lock()
		defer p.mu.Unlock()
		defer close(s.done)
		e.starting = nil
		if err == nil && p.closed {
			m.entry, m.retiring = e, true
			p.end(m)
			err = errClosed()
		}
		if err != nil {
			s.failure = err
			p.failed(&e.backoff, err)
			return
		}
		p.stats.Starts++
		p.stats.Servers++
		m.entry = e
		m.unproven.Store(e.failures > 0)
		old := e.current
		e.current, e.failure = m, nil
		if e.growth == 0 {
			e.growth = p.options.Growth
		}
		p.background.Go(func() { p.watch(m) })
		if old != nil {
			p.stats.Replacements++
			p.retire(old)
		}
	})
}

// failed records a failure, with a longer backoff each time. The mutex is held.
func (p *Pool) failed(b *backoff, err *Failure) {
	wait := p.options.MaxBackoff
	if trouble, _ := provider.TroubleOf(err.Diagnostics, provider.Said{}); trouble == provider.Unreachable {
		wait = min(wait, longestOutage)
	}
	if b.failures < 30 {
		wait = min(wait, p.options.MinBackoff<<b.failures)
	}
	b.failures++
	b.failure, b.retryAt = err, time.Now().Add(wait)
	if err.Reason != Closed {
		err.RetryAt = b.retryAt
		p.options.Logger.Info("provider cannot be used", "reason", err.Reason, "failures", b.failures, "retryAfter", wait.String())
	}
}

// retire ends a replaced server after its last lease. The mutex is held.
func (p *Pool) retire(m *member) {
	m.retiring = true
	if m.leases == 0 {
		p.end(m)
		return
	}
	if m.entry.retired == nil {
		m.entry.retired = map[*member]struct{}{}
	}
	m.entry.retired[m] = struct{}{}
}

// end closes a server without leases. The mutex is held.
func (p *Pool) end(m *member) {
	if m.ending {
		return
	}
	m.ending = true
	delete(m.entry.retired, m)
	p.background.Go(func() { p.close(m.server) })
}

// close closes a server.
func (p *Pool) close(server provider.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), p.options.StopTimeout)
	defer cancel()
	if err := server.Close(ctx); err != nil {
		p.options.Logger.Info("provider did not end in time", "error", err.Error())
	}
}

// watch waits for the end of a server, and records a crash.
func (p *Pool) watch(m *member) {
	<-m.server.Done()
	// A server that has ended returns the reason from each call.
	_, err := m.server.GetMetadata(context.Background(), &tfprotov6.GetMetadataRequest{})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stats.Servers--
	delete(m.entry.retired, m)
	if m.retiring {
		return
	}
	p.stats.Crashes++
	m.entry.current = nil
	if err == nil {
		err = errors.New("the provider ended")
	}
	p.ended(m, &Failure{Reason: Crashed, Diagnostics: provider.CallError(err)})
}

// check replaces a server that has grown.
func (p *Pool) check(e *entry, m *member) {
	reporter, ok := m.server.(provider.UsageReporter)
	if !ok {
		return
	}
	u := reporter.Usage()
	calls := u.Calls - m.base.Calls
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.current != m || e.starting != nil || p.closed || time.Now().Before(e.retryAt) {
		return
	}
	switch {
	case u.ResidentBytes == 0:
		if calls < p.options.MaxCalls {
			return
		}
	case u.ResidentBytes-m.base.ResidentBytes <= e.growth:
		if e.relief > 0 && m.configuring < quickly && u.Calls-m.relieved >= e.relief {
			m.relieved = u.Calls
			p.relieve(m)
		}
		return
	case calls < fewCalls:
		e.growth = min(2*e.growth, math.MaxInt64/4)
		return
	}
	if u.ResidentBytes > 0 {
		// It leaks: its successors are relieved earlier.
		e.relief = max(2*checkEvery, calls/8)
	}
	p.options.Logger.V(1).Info("replacing provider that has grown", "calls", calls, "residentBytes", u.ResidentBytes)
	p.start(e)
}

// relieve stops and configures a server again, so that it releases the memory that it keeps of each
// call: servers of the plugin framework do. StopProvider cancels calls in flight, so there must be
// none: new ones wait, and if the running ones take long, nothing is done this time. StopProvider
// may undo the configuration, so it is repeated. Operations may be under way meanwhile: between two
// calls of one, Terraform starts and configures a provider anew, too. The mutex is held.
func (p *Pool) relieve(m *member) {
	server, ok := m.server.(provider.Excluder)
	if !ok || m.relieving {
		return
	}
	m.relieving = true
	e := m.entry
	configuration := e.key.configuration
	p.background.Go(func() {
		ctx, cancel := context.WithTimeout(p.ctx, longestRelief)
		defer cancel()
		var failure *Failure
		var took time.Duration
		ran, _ := server.Alone(ctx, drainFor, func(ctx context.Context) error {
			if _, err := m.server.StopProvider(ctx, &tfprotov6.StopProviderRequest{}); err != nil {
				failure = &Failure{Reason: ConfigureFailed, Err: err, Diagnostics: provider.CallError(err)}
				return err
			}
			began := time.Now()
			if _, failure = configure(ctx, m.server, configuration); failure != nil {
				return failure.Diagnostics.Err()
			}
			took = time.Since(began)
			return nil
		})
		p.mu.Lock()
		defer p.mu.Unlock()
		m.relieving = false
		switch {
		case failure != nil && e.current == m && !p.closed:
			p.failed(&e.backoff, failure)
			e.current = nil
			p.retire(m)
		case failure == nil && ran:
			p.stats.Reliefs++
			m.configuring = took
		}
	})
}

// members returns the servers that run. The pool's mutex is held.
func (e *entry) members() []*member {
	out := slices.Collect(maps.Keys(e.retired))
	if e.current != nil {
		out = append(out, e.current)
	}
	return out
}

// launch starts and configures a server as Terraform does: validate, then configure with the
// original configuration (contract § 1).
func (p *Pool) launch(ctx context.Context, c *Configuration) (*member, *Failure) {
	version := c.version() // before the launch, during which it may change
	server, err := p.unconfigured(ctx, c.Launcher)
	if err != nil {
		return nil, &Failure{Reason: StartFailed, Err: err, Diagnostics: diagnostic.Errorf("Failed to start provider", "%s", err)}
	}
	m := &member{name: c.Name, server: server, version: version, started: time.Now(), idleSince: time.Now()}
	m.guarded = &guarded{Server: server, pool: p, member: m}
	began := time.Now()
	var failure *Failure
	if m.warnings, failure = configure(ctx, server, c); failure != nil {
		_ = server.Close(ctx)
		return nil, failure
	}
	m.configuring = time.Since(began)
	if r, ok := server.(provider.UsageReporter); ok {
		m.base = r.Usage()
	}
	return m, nil
}

func configure(ctx context.Context, server provider.Server, c *Configuration) (warnings diagnostic.Diagnostics, _ *Failure) {
	s, diags := server.Schema(ctx)
	if diags.HasErrors() {
		return nil, &Failure{Reason: InvalidConfig, Diagnostics: diags}
	}
	if r, ok := server.(provider.Redactor); ok {
		r.Redact(slices.Concat(secrets(s.Config, c.Config), c.Secrets)...)
	}
	t := s.Config.ImpliedType()
	if errs := c.Config.Type().TestConformance(t); len(errs) > 0 {
		return nil, &Failure{
			Reason: InvalidConfig,
			Diagnostics: diagnostic.Errorf("Invalid provider configuration",
				"The configuration does not fit the provider's schema: %s.", errors.Join(errs...)),
		}
	}
	config, err := encode(c.Config, t)
	if err != nil {
		return nil, &Failure{
			Reason: InvalidConfig,
			Diagnostics: diagnostic.Errorf("Invalid provider configuration",
				"The configuration cannot be encoded: %s.", err),
		}
	}
	validated, err := server.ValidateProviderConfig(ctx, &tfprotov6.ValidateProviderConfigRequest{Config: config})
	if err != nil {
		return nil, &Failure{Reason: InvalidConfig, Diagnostics: provider.CallError(err)}
	}
	warnings = diagnostic.FromProtocol(validated.Diagnostics)
	if warnings.HasErrors() {
		return nil, &Failure{Reason: InvalidConfig, Diagnostics: warnings}
	}
	configured, err := server.ConfigureProvider(ctx, &tfprotov6.ConfigureProviderRequest{
		TerraformVersion:   c.TerraformVersion,
		Config:             config,
		ClientCapabilities: &tfprotov6.ConfigureProviderClientCapabilities{DeferralAllowed: true},
	})
	if err != nil {
		return nil, &Failure{Reason: ConfigureFailed, Diagnostics: provider.CallError(err)}
	}
	warnings = append(warnings, diagnostic.FromProtocol(configured.Diagnostics)...)
	if warnings.HasErrors() {
		return nil, &Failure{Reason: ConfigureFailed, Diagnostics: warnings}
	}
	return warnings, nil
}

func encode(v cty.Value, t cty.Type) (*tfprotov6.DynamicValue, error) {
	raw, err := ctymsgpack.Marshal(v, t)
	if err != nil {
		return nil, err
	}
	return &tfprotov6.DynamicValue{MsgPack: raw}, nil
}
