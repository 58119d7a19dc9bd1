package pool

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/inflight"
)

// interrupt ends the operation of a lease as Terraform does after Control-C: StopProvider, and the
// answer is awaited. StopProvider ends all calls of a server (contract § 1). So the server gets no
// more leases, which a fresh one takes over, and is told to stop when only interrupted operations
// are left on it.
func (p *Pool) interrupt(l *Lease) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := l.member
	if l.released || l.interrupted || p.closed {
		return
	}
	if m.relieving && !m.retiring {
		time.AfterFunc(drainFor, func() { p.interrupt(l) }) // after the relief, which stops the server itself
		return
	}
	l.interrupted = true
	m.interrupted++
	p.stats.Interrupts++
	if e := m.entry; e.current == m {
		e.current = nil
		if e.starting == nil {
			p.start(e)
		}
	}
	if !m.retiring {
		p.retire(m)
	}
	p.stopInterrupted(m)
}

// stopInterrupted stops a server whose operations are all interrupted, until they have ended. The
// mutex is held.
func (p *Pool) stopInterrupted(m *member) {
	if m.interrupted == 0 || m.interrupted < m.leases || m.stopped != nil || p.closed {
		return
	}
	ended := make(chan struct{})
	m.stopped = ended
	p.background.Go(func() {
		inflight.Repeat(p.ctx, ended, m.server.Done(), func() {
			ctx, cancel := context.WithTimeout(p.ctx, p.options.StopTimeout)
			defer cancel()
			_, _ = m.server.StopProvider(ctx, &tfprotov6.StopProviderRequest{})
		})
	})
}
