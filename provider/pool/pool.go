package pool

import (
	"context"
	"crypto/sha256"
	"errors"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/diagnostic"
	"github.com/landbridge-io/landbridge/provider"
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
}

// New makes a pool.
func New(options Options) *Pool {
	options.setDefaults()
	p := &Pool{options: options, entries: map[[sha256.Size]byte]*entry{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.background.Go(p.sweep)
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
	once   sync.Once
}

// Server is the server. It must not be called after Release.
func (l *Lease) Server() provider.Server { return l.member.server }

// Warnings is what the provider said about its configuration.
func (l *Lease) Warnings() diagnostic.Diagnostics { return l.member.warnings }

// Release gives the server back. It may be called more than once.
func (l *Lease) Release() { l.once.Do(func() { l.pool.release(l.member) }) }

// Acquire leases the server for a key. It starts one if there is none, and waits for that
// until ctx ends. When the diagnostics have errors, there is no lease; Failure tells more.
// While a provider that failed is not to be started again yet, Acquire fails at once.
func (p *Pool) Acquire(ctx context.Context, key Key) (*Lease, diagnostic.Diagnostics) {
	if key.err != nil {
		return nil, diagnostic.Errorf("Invalid provider configuration", "The provider configuration cannot be used: %s.", key.err)
	}
	for {
		p.mu.Lock()
		if p.closed {
			p.mu.Unlock()
			return nil, errClosed().Diagnostics
		}
		e := p.entries[key.hash]
		if e == nil {
			e = &entry{key: key}
			p.entries[key.hash] = e
		}
		if m := e.current; m != nil {
			m.leases++
			m.acquired++
			check := m.acquired%checkEvery == 0 && e.starting == nil
			p.mu.Unlock()
			if check {
				p.check(e, m)
			}
			return &Lease{pool: p, member: m}, nil
		}
		if e.starting == nil {
			if e.failure != nil && time.Now().Before(e.retryAt) {
				failure := e.failure
				p.mu.Unlock()
				return nil, failure.Diagnostics
			}
			p.start(e)
		}
		starting := e.starting
		p.mu.Unlock()
		select {
		case <-starting.done:
			if starting.failure != nil {
				return nil, starting.failure.Diagnostics
			}
		case <-ctx.Done():
			return nil, provider.CallError(status.FromContextError(ctx.Err()).Err())
		}
	}
}

// Failure says why there is no server for a key; nil when there is one, or none was wanted
// yet.
func (p *Pool) Failure(key Key) *Failure {
	if key.err != nil {
		return &Failure{Reason: InvalidConfig, Diagnostics: diagnostic.Errorf("Invalid provider configuration", "The provider configuration cannot be used: %s.", key.err)}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return errClosed()
	}
	if e := p.entries[key.hash]; e != nil && e.current == nil {
		return e.failure
	}
	return nil
}

func (p *Pool) release(m *member) {
	p.mu.Lock()
	defer p.mu.Unlock()
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
		if e.current == nil && e.starting == nil && now.After(e.retryAt.Add(p.options.MaxBackoff)) {
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
