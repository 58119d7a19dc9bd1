package pool

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/go-logr/logr"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
)

// Options are the options of a Pool. Zero values select the defaults.
type Options struct {
	Logger logr.Logger
	// IdleTimeout is the time after which a server without leases is closed. Defaults to 5 minutes.
	IdleTimeout time.Duration
	// StartTimeout bounds the start and configuration of a server. Defaults to 2 minutes.
	StartTimeout time.Duration
	// StopTimeout bounds the end of a server without leases. Defaults to 10 seconds.
	StopTimeout time.Duration
	// Patience is how long TryAcquire waits for a server that is starting. Defaults to 2 seconds.
	Patience time.Duration
	// AnswerTimeout bounds the answer to a check, which is made after a call was not answered in
	// time. Defaults to 10 seconds.
	AnswerTimeout time.Duration
	// Limits apply to configurations that have no limits of their own.
	Limits Limits
	// MaxServers and MaxServersPerNamespace bound the servers that there are at once, in all and
	// for the configurations of one namespace. If another one is needed, one without leases is
	// closed. A namespace without one gets its first beyond MaxServers, up to half as many more.
	// 0 is no limit.
	MaxServers, MaxServersPerNamespace int
	// MaxMemory bounds the resident memory of all servers' processes together, in bytes: no server
	// is started if there would be more, and those without leases are closed if there is. 0 is no
	// limit.
	MaxMemory int64
	// MinBackoff and MaxBackoff are the first and the longest delay between a failure and the next
	// start. Default to a second and 5 minutes.
	MinBackoff, MaxBackoff time.Duration
	// KeepTrying does not pause configurations whose calls fail because of their credentials or
	// endpoint. It is for programs that do not try again.
	KeepTrying bool
	// Growth is the number of bytes by which the memory of a server's process may grow after its
	// configuration before it is replaced. Defaults to 12 MiB. A process that grows by more within
	// few calls is not leaking, and its limit is raised.
	Growth int64
	// MaxCalls is the number of calls after which a server is replaced whose memory is unknown,
	// such as those in this process. Defaults to 600.
	MaxCalls int64
	// Called is called with each call about remote objects that has ended. Defaults to nothing.
	Called func(Call)
}

// Call is a call of a server that has ended.
type Call struct {
	// Configuration is the name of the configuration, and Method that of the protocol.
	Configuration, Method string
	Took                  time.Duration
	// Failed is set if there was no answer, or one with an error.
	Failed bool
}

func (o *Options) setDefaults() {
	set := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	set(&o.IdleTimeout, 5*time.Minute)
	set(&o.StartTimeout, 2*time.Minute)
	set(&o.StopTimeout, 10*time.Second)
	set(&o.Patience, 2*time.Second)
	set(&o.AnswerTimeout, 10*time.Second)
	set(&o.MinBackoff, time.Second)
	set(&o.MaxBackoff, 5*time.Minute)
	if o.Growth == 0 {
		o.Growth = 12 << 20
	}
	if o.MaxCalls == 0 {
		o.MaxCalls = 600
	}
	if o.Called == nil {
		o.Called = func(Call) {}
	}
}

// Pool keeps servers. Use New to make one, and Close it.
type Pool struct {
	options Options
	// ctx ends with the pool, and with it all starts.
	ctx    context.Context
	cancel context.CancelFunc
	// background counts goroutines that start, watch and close servers.
	background sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	entries map[entryKey]*entry
	// spares are servers that are not configured yet, the oldest first.
	spares []*spare
	budget budget
	stats  Stats
}

// Stats are the statistics of a pool.
type Stats struct {
	// Servers is the number of servers that run now.
	Servers int
	// Starts, Replacements and Crashes count servers that were configured, that were replaced
	// because of their growth, and that ended by themselves.
	Starts, Replacements, Crashes int64
	// Reliefs counts how often servers were stopped and configured again to release leaked memory.
	Reliefs int64
	// Hangs and Outgrown count servers that were ended because they did not answer, or used too
	// much memory; Pauses counts how often a provider was throttled.
	Hangs, Outgrown, Pauses int64
	// Interrupts counts operations that were interrupted on request.
	Interrupts int64
	// Evictions counts idle servers that were closed to make room for others.
	Evictions int64
	// Outages counts pauses because of the credentials or the endpoint of a configuration.
	Outages int64
}

// New returns a pool.
func New(options Options) *Pool {
	options.setDefaults()
	p := &Pool{options: options, entries: map[entryKey]*entry{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.background.Go(p.sweep)
	p.background.Go(p.watchMemory)
	return p
}

// Stats returns the statistics of the pool.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

// MaxMemory returns Options.MaxMemory.
func (p *Pool) MaxMemory() int64 { return p.options.MaxMemory }

// Memory returns the resident memory of the servers' processes in bytes, by the name of the
// configuration.
func (p *Pool) Memory() map[string]int64 {
	p.mu.Lock()
	var members []*member
	for _, e := range p.entries {
		members = append(members, e.members()...)
	}
	p.mu.Unlock()
	out := map[string]int64{}
	for _, m := range members {
		if r, ok := m.server.(provider.UsageReporter); ok {
			out[m.name] += r.Usage().ResidentBytes
		}
	}
	return out
}

// Lease is a configured server that is not closed or replaced until Release. Take one per
// operation, not for longer: only between leases can a server be replaced.
type Lease struct {
	pool    *Pool
	member  *member
	guarded *guarded
	probe   bool
	once    sync.Once
	// interrupted and released are guarded by the pool's mutex.
	interrupted, released bool
	// unsubscribe ends the wait for an interrupt; nil if there can be none.
	unsubscribe func() bool
}

// Server returns the server. Do not call it after Release.
func (l *Lease) Server() provider.Server { return l.guarded }

// Warnings returns the provider's warnings about its configuration.
func (l *Lease) Warnings() diagnostic.Diagnostics { return l.member.warnings }

// Release ends the lease. It may be called more than once.
func (l *Lease) Release() {
	l.once.Do(func() {
		if l.unsubscribe != nil {
			l.unsubscribe()
		}
		l.pool.release(l)
	})
}

// Acquire leases the server for a key. It starts one if there is none. It waits for the start, and
// until the configuration's limits allow the lease, or ctx ends. With error diagnostics there is no
// lease; see Failure. During the backoff after a failure, Acquire fails at once. If the operation
// of ctx is interrupted (provider.WithInterrupt), its provider is told to stop until the release.
// Errors of calls that are made for a resource (provider.WithUser) pause the configuration only
// together with those of others.
func (p *Pool) Acquire(ctx context.Context, key Key) (*Lease, diagnostic.Diagnostics) {
	l, f := p.acquire(ctx, key, true)
	if f != nil {
		return nil, f.Diagnostics
	}
	l.unsubscribe = context.AfterFunc(provider.Interrupted(ctx), func() { p.interrupt(l) })
	return l, nil
}

// TryAcquire is Acquire, but waits no longer than Options.Patience. It is for callers that can
// retry later.
func (p *Pool) TryAcquire(ctx context.Context, key Key) (*Lease, *Failure) {
	return p.acquire(ctx, key, false)
}

func (p *Pool) acquire(ctx context.Context, key Key, patient bool) (*Lease, *Failure) {
	if key.err != nil {
		return nil, key.failure()
	}
	for admitted := false; ; {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return nil, errClosed()
		}
		configured, now := p.entry(key), time.Now()
		e := p.entryFor(configured, provider.UserOf(ctx), provider.RevisionOf(ctx))
		if f := e.refuse(now); f != nil {
			p.mu.Unlock()
			return nil, f
		}
		if f, ends := e.outage.refuse(now); f != nil {
			p.mu.Unlock()
			if !patient || ends == nil {
				return nil, f
			}
			if f := p.wait(ctx, ends, trialFor); f != nil {
				return nil, f
			}
			continue
		}
		if !admitted {
			if at, ok := e.limiter.admit(now); !ok {
				f := errThrottled(e.limiter, at)
				p.mu.Unlock()
				if !patient {
					return nil, f
				}
				if f := p.wait(ctx, nil, time.Until(at)); f != nil {
					return nil, f
				}
				continue
			}
			admitted = true
		}
		p.renew(e, now)
		if m := e.current; m != nil {
			probe := !patient && m.unproven.Load()
			if probe && m.probed {
				p.mu.Unlock()
				return nil, notReady(m.started, "The provider was started again after it had failed, and is being tried.")
			}
			m.probed = m.probed || probe
			m.leases++
			m.acquired++
			check := m.acquired%checkEvery == 0 && e.starting == nil
			l := &Lease{pool: p, member: m, guarded: m.guarded, probe: probe}
			if u := provider.UserOf(ctx); u != (provider.User{}) {
				configured.users.add(u, now, now.Add(-usedFor))
				l.guarded = &guarded{Server: m.server, pool: p, member: m, user: u}
			}
			e.outage.try(l, now)
			p.mu.Unlock()
			if check {
				p.check(e, m)
			}
			return l, nil
		}
		if e.starting == nil {
			if f := p.room(e, now); f != nil {
				p.mu.Unlock()
				if !patient {
					return nil, f
				}
				if f := p.wait(ctx, nil, f.RetryAfter()); f != nil {
					return nil, f
				}
				continue
			}
			p.start(e)
		}
		starting := e.starting
		p.mu.Unlock()
		if f := p.await(ctx, starting, patient); f != nil {
			return nil, f
		}
	}
}

// entry returns the entry of a key, with its limits. The mutex is held.
func (p *Pool) entry(key Key) *entry {
	e := p.entries[entryKey{hash: key.hash}]
	if e == nil {
		e = &entry{key: key, limiter: &limiter{}}
		e.limiter.set(key.configuration.Limits.Or(p.options.Limits))
		p.entries[entryKey{hash: key.hash}] = e
	}
	if e.key.configuration != key.configuration {
		e.key = key
		e.limiter.set(key.configuration.Limits.Or(p.options.Limits))
	}
	return e
}

// await waits for a start; nil if a server was started.
func (p *Pool) await(ctx context.Context, s *start, patient bool) *Failure {
	var tooLong <-chan time.Time
	if !patient {
		// The time since the start counts, not the time of each caller, who would all wait in turn.
		timer := time.NewTimer(max(time.Until(s.at.Add(p.options.Patience)), 0))
		defer timer.Stop()
		tooLong = timer.C
	}
	select {
	case <-s.done:
		return s.failure
	case <-tooLong:
		return notReady(s.at, "The provider is still being started.")
	case <-ctx.Done():
		return errCancelled(ctx)
	}
}

// wait waits until a channel is closed, which may be nil, for d at most.
func (p *Pool) wait(ctx context.Context, closed <-chan struct{}, d time.Duration) *Failure {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-closed:
		return nil
	case <-timer.C:
		return nil
	case <-p.ctx.Done():
		return errClosed()
	case <-ctx.Done():
		return errCancelled(ctx)
	}
}

// entryKey identifies an entry. user is the zero value for a configuration's own.
type entryKey struct {
	hash [sha256.Size]byte
	user provider.User
}

// Failure returns why there is no server for a key; nil if there is one, or none was requested yet.
// During a pause each caller gets a different time to retry.
func (p *Pool) Failure(key Key) *Failure { return p.FailureFor(provider.User{}, key) }

// FailureFor is Failure for the calls that are made for a resource, which may have a server of its
// own.
func (p *Pool) FailureFor(u provider.User, key Key) *Failure {
	if key.err != nil {
		return key.failure()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed()
	}
	e := p.entries[entryKey{hash: key.hash}]
	if e == nil {
		return nil
	}
	if isolated, s := e.isolated.find(u); s != nil {
		if e = p.entries[entryKey{key.hash, isolated}]; e == nil {
			return nil
		}
	}
	now := time.Now()
	waits := e.refuse(now)
	refused, _ := e.outage.refuse(now)
	switch {
	case e.current == nil && e.failure != nil:
		return e.failure
	case waits != nil:
		return waits
	case refused != nil:
		return refused
	case time.Now().Before(e.limiter.pausedUntil):
		return errThrottled(e.limiter, e.limiter.turn(time.Now()))
	default:
		return nil
	}
}

func (p *Pool) release(l *Lease) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := l.member
	m.entry.outage.endTrial(l)
	if l.probe {
		m.probed = false
	}
	l.released = true
	if l.interrupted {
		m.interrupted--
	}
	m.leases--
	if m.leases > 0 {
		p.stopInterrupted(m)
		return
	}
	m.idleSince = time.Now()
	if m.stopped != nil {
		close(m.stopped)
		m.stopped = nil
	}
	if m.retiring && !p.closed { // else Close ends it
		p.end(m)
	}
}

// sweep closes idle servers.
func (p *Pool) sweep() {
	tick := time.NewTicker(max(p.options.IdleTimeout/4, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case now := <-tick.C:
			p.sweepOnce(now)
		}
	}
}

func (p *Pool) sweepOnce(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for hash, e := range p.entries {
		if m := e.current; m != nil && m.leases == 0 && e.starting == nil && (m.outdated(now) || now.Sub(m.idleSince) >= p.options.IdleTimeout) {
			p.options.Logger.V(1).Info("closing idle provider")
			e.current = nil
			m.retiring = true
			p.end(m)
		}
		if e.current == nil && e.starting == nil && len(e.retired) == 0 &&
			now.After(e.retryAt.Add(p.options.MaxBackoff)) && now.After(e.refused.Add(p.options.MaxBackoff)) {
			delete(p.entries, hash)
		}
	}
}

// Close ends all servers. It gives no more leases, stops each server, and waits for its calls in
// flight until ctx ends.
func (p *Pool) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	var servers []provider.Server
	for _, e := range p.entries {
		if m := e.current; m != nil {
			m.retiring = true
			servers = append(servers, m.server)
		}
		for m := range e.retired {
			servers = append(servers, m.server)
		}
	}
	p.mu.Unlock()
	p.cancel()
	failures := make([]error, len(servers))
	var wg sync.WaitGroup
	for i, s := range servers {
		wg.Go(func() { failures[i] = s.Close(ctx) })
	}
	wg.Wait()
	p.background.Wait()
	return errors.Join(failures...)
}
