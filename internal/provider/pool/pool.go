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

// Options of a Pool. Zero values are the defaults.
type Options struct {
	Logger logr.Logger
	// IdleTimeout is how long a server that nobody leases is kept; 5 minutes unless set.
	IdleTimeout time.Duration
	// StartTimeout is how long the start and configuration of a server may take; 2 minutes
	// unless set.
	StartTimeout time.Duration
	// StopTimeout is how long a server that nobody leases may take to end; 10 seconds unless set.
	StopTimeout time.Duration
	// Patience is how long TryAcquire waits for a server that is being started; 2 seconds unless set.
	Patience time.Duration
	// AnswerTimeout is how long a server that did not answer a call in time may take to answer
	// anything at all; 10 seconds unless set.
	AnswerTimeout time.Duration
	// Limits of each configuration that has none of its own.
	Limits Limits
	// MinBackoff and MaxBackoff are the first and longest time between a failure and the next
	// start: a second and 5 minutes unless set.
	MinBackoff, MaxBackoff time.Duration
	// Growth is the memory, in bytes, a server's process may gain after it was configured
	// before it is replaced; 12 MiB unless set. A process that needs as much as that within
	// few calls is not leaking, and gets more.
	Growth int64
	// MaxCalls is the number of calls after which a server is replaced that cannot tell its
	// memory, as those in this process; 600 unless set.
	MaxCalls int64
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
	entries map[[sha256.Size]byte]*entry
	stats   Stats
}

// Stats counts what a pool has done.
type Stats struct {
	// Servers is the number of servers that run now.
	Servers int
	// Starts, Replacements and Crashes count servers that were started and configured, that
	// were replaced because they had grown, and that ended by themselves.
	Starts, Replacements, Crashes int64
	// Reliefs counts how often servers were made to let go of what they leak.
	Reliefs int64
	// Hangs and Outgrown count servers that were given up because they did not answer, or held
	// too much memory; Pauses how often a provider was throttled.
	Hangs, Outgrown, Pauses int64
}

// New makes a pool.
func New(options Options) *Pool {
	options.setDefaults()
	p := &Pool{options: options, entries: map[[sha256.Size]byte]*entry{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.background.Go(p.sweep)
	p.background.Go(p.watchMemory)
	return p
}

// Stats counts what the pool has done.
func (p *Pool) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

// Lease is a configured server that is not closed or replaced until Release. Take one per
// operation, not for longer: only between leases can a server be replaced.
type Lease struct {
	pool   *Pool
	member *member
	probe  bool
	once   sync.Once
}

// Server is the server. It must not be called after Release.
func (l *Lease) Server() provider.Server { return l.member.guarded }

// Warnings is what the provider said about its configuration.
func (l *Lease) Warnings() diagnostic.Diagnostics { return l.member.warnings }

// Release gives the server back. It may be called more than once.
func (l *Lease) Release() { l.once.Do(func() { l.pool.release(l) }) }

// Acquire leases the server for a key. It starts one if there is none, and waits for that, or
// until the configuration's limits allow it, until ctx ends. When the diagnostics have errors,
// there is no lease; Failure tells more. While a provider that failed is not to be started again
// yet, Acquire fails at once.
func (p *Pool) Acquire(ctx context.Context, key Key) (*Lease, diagnostic.Diagnostics) {
	l, f := p.acquire(ctx, key, true)
	if f != nil {
		return nil, f.Diagnostics
	}
	return l, nil
}

// TryAcquire leases the server for a key as Acquire does, but waits no longer than
// Options.Patience. It is for those who are waited for, and can come back.
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
		e, now := p.entry(key), time.Now()
		if f := e.failure; f != nil && e.current == nil && e.starting == nil && now.Before(e.retryAt) {
			p.mu.Unlock()
			return nil, f
		}
		if !admitted {
			if at, ok := e.limiter.admit(now); !ok {
				f := errThrottled(&e.limiter, at)
				p.mu.Unlock()
				if !patient {
					return nil, f
				}
				if f := p.sleep(ctx, time.Until(at)); f != nil {
					return nil, f
				}
				continue
			}
			admitted = true
		}
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
			p.mu.Unlock()
			if check {
				p.check(e, m)
			}
			return &Lease{pool: p, member: m, probe: probe}, nil
		}
		if e.starting == nil {
			p.start(e)
		}
		starting := e.starting
		p.mu.Unlock()
		if f := p.await(ctx, starting, patient); f != nil {
			return nil, f
		}
	}
}

// entry is that of a key, with its limits. The mutex is held.
func (p *Pool) entry(key Key) *entry {
	e := p.entries[key.hash]
	if e == nil {
		e = &entry{key: key}
		e.limiter.set(key.configuration.Limits.Or(p.options.Limits))
		p.entries[key.hash] = e
	}
	if e.key.configuration != key.configuration {
		e.key = key
		e.limiter.set(key.configuration.Limits.Or(p.options.Limits))
	}
	return e
}

// await waits for a start; nil when there is a server then, or was.
func (p *Pool) await(ctx context.Context, s *start, patient bool) *Failure {
	var tooLong <-chan time.Time
	if !patient {
		// The start counts, not who waits for it: of many, all but the first would wait in turn.
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

func (p *Pool) sleep(ctx context.Context, d time.Duration) *Failure {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-p.ctx.Done():
		return errClosed()
	case <-ctx.Done():
		return errCancelled(ctx)
	}
}

// Failure says why there is no server to be had for a key; nil when there is one, or none was
// wanted yet. Each who asks during a pause is told a time of its own to come back.
func (p *Pool) Failure(key Key) *Failure {
	if key.err != nil {
		return key.failure()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed()
	}
	e := p.entries[key.hash]
	switch {
	case e == nil:
		return nil
	case e.current == nil && e.failure != nil:
		return e.failure
	case time.Now().Before(e.limiter.pausedUntil):
		return errThrottled(&e.limiter, e.limiter.turn(time.Now()))
	default:
		return nil
	}
}

func (p *Pool) release(l *Lease) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := l.member
	if l.probe {
		m.probed = false
	}
	m.leases--
	if m.leases > 0 {
		return
	}
	m.idleSince = time.Now()
	if m.drained != nil {
		close(m.drained)
		m.drained = nil
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
		if m := e.current; m != nil && m.leases == 0 && e.starting == nil && now.Sub(m.idleSince) >= p.options.IdleTimeout {
			p.options.Logger.V(1).Info("closing idle provider")
			e.current = nil
			m.retiring = true
			p.end(m)
		}
		if e.current == nil && e.starting == nil && len(e.retired) == 0 && now.After(e.retryAt.Add(p.options.MaxBackoff)) {
			delete(p.entries, hash)
		}
	}
}

// Close ends all servers: no more leases, and each server is told to stop what it does and
// is given until ctx ends to answer the calls in flight.
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
