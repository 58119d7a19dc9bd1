package pool

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
)

const (
	// manyTimeouts is the number of consecutive timeouts after which a server is replaced even
	// though it still answers the check.
	manyTimeouts = 3
	// memoryEvery is the interval between checks of memory.
	memoryEvery = 2 * time.Second
)

// lose ends a server after its last lease, and gives no more leases of it. The next one is started
// after a backoff. The mutex is held.
func (p *Pool) lose(m *member, f *Failure) {
	if e := m.entry; e.current == m {
		e.current = nil
		p.ended(m, f)
	}
	if !m.retiring {
		p.retire(m)
	}
}

// abort ends a server at once, if it implements provider.Aborter. Its callers get why as the error.
func (p *Pool) abort(m *member, why string) {
	if a, ok := m.server.(provider.Aborter); ok {
		a.Abort(why)
	}
}

// timedOut handles a call that was not answered in time. Its context was cancelled, so that a
// healthy provider stops working on it. A provider that answers nothing is replaced.
func (p *Pool) timedOut(m *member) {
	m.timeouts.Add(1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.suspected || m.retiring || p.closed {
		return
	}
	m.suspected = true
	p.background.Go(func() {
		ctx, cancel := context.WithTimeout(p.ctx, p.options.AnswerTimeout)
		defer cancel()
		_, err := m.server.GetMetadata(ctx, &tfprotov6.GetMetadataRequest{})
		p.mu.Lock()
		defer p.mu.Unlock()
		m.suspected = false
		if m.retiring || p.closed {
			return
		}
		switch n := m.timeouts.Load(); {
		case status.Code(err) == codes.DeadlineExceeded:
			why := "The provider answers nothing any more."
			if _, ends := m.server.(provider.Aborter); ends {
				why = "The provider answered nothing any more, and was ended."
			}
			p.stats.Hangs++
			p.lose(m, &Failure{Reason: Hung, Diagnostics: diagnostic.Errorf("Provider hangs", "%s", why)})
			p.abort(m, why)
		case n >= manyTimeouts:
			p.stats.Hangs++
			p.lose(m, &Failure{
				Reason: Hung,
				Diagnostics: diagnostic.Errorf("Provider hangs",
					"%d calls in a row were not answered in time. It, or what it talks to, hangs.", n),
			})
		}
	})
}

// throttled handles an error of a cloud that rejects too many requests. Others wait when several
// users have had one, as far as there are several. Without a user, the call is the program's own.
func (p *Pool) throttled(m *member, u provider.User, wait time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e, now := m.entry.configuration(), time.Now()
	if u != (provider.User{}) {
		e.throttled.add(u, now, now.Add(-calm))
		if !e.throttled.prove(e.users) {
			return
		}
	}
	if pause, begun := e.limiter.throttled(now, wait); begun {
		p.stats.Pauses++
		p.options.Logger.Info("provider is throttled", "pause", pause.String(), "perSecond", float64(e.limiter.bucket.Limit()))
	}
}

// watchMemory checks the memory of servers until the pool is closed.
func (p *Pool) watchMemory() {
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.ctx.Done():
			return
		case <-tick.C:
		}
		p.mu.Lock()
		p.economize(time.Now())
		var members []*member
		for _, e := range p.entries {
			if e.limiter.limits.MemoryBytes == 0 {
				continue
			}
			members = append(members, e.members()...)
		}
		p.mu.Unlock()
		for _, m := range members {
			if r, ok := m.server.(provider.UsageReporter); ok {
				p.checkMemory(m, r.Usage().ResidentBytes)
			}
		}
	}
}

func (p *Pool) checkMemory(m *member, resident int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	limit := m.entry.limiter.limits.MemoryBytes
	if limit == 0 || resident <= limit || p.closed {
		return
	}
	why := fmt.Sprintf("The provider's process held %d MiB of memory, where %d MiB is its limit, and was ended. "+
		"Raise the limit if it needs as much.", resident>>20, limit>>20)
	if m.entry.current == m {
		p.stats.Outgrown++
		p.lose(m, &Failure{Reason: OutOfMemory, Diagnostics: diagnostic.Errorf("Provider needs too much memory", "%s", why)})
	}
	if resident > limit+limit/2 {
		p.abort(m, why)
	}
}
