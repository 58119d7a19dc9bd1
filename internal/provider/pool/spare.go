package pool

import (
	"context"
	"slices"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider"
)

const (
	// maxSpares bounds the servers that wait for their configuration at once, since each takes
	// memory.
	maxSpares = 4
	// spareFor is how long one waits. At a start of the controller it takes a tenth of a second
	// until kinds are served and their resources need it.
	spareFor = 5 * time.Second
)

// spare is a server that is not configured yet.
type spare struct {
	launcher provider.Launcher
	server   provider.Server
	// taken is closed when the server is no spare any more.
	taken chan struct{}
}

// Offer gives the pool a server that a launcher has started, which is not configured and which the
// caller does not use any more. The first configuration with the same launcher that needs a server
// gets it, and no other ever does. If none needs it soon, it is closed. The launcher must be
// comparable.
func (p *Pool) Offer(launcher provider.Launcher, server provider.Server) {
	s := &spare{launcher: launcher, server: server, taken: make(chan struct{})}
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		p.close(server)
		return
	}
	defer p.mu.Unlock()
	if len(p.spares) >= maxSpares {
		oldest := p.spares[0].server
		p.withdraw(0)
		p.background.Go(func() { p.close(oldest) })
	}
	p.spares = append(p.spares, s)
	p.background.Go(func() {
		timer := time.NewTimer(spareFor)
		defer timer.Stop()
		select {
		case <-s.taken:
			return
		case <-timer.C:
		case <-server.Done():
		case <-p.ctx.Done():
		}
		p.mu.Lock()
		i := slices.Index(p.spares, s)
		if i >= 0 {
			p.withdraw(i)
		}
		p.mu.Unlock()
		if i >= 0 {
			p.close(server)
		}
	})
}

// withdraw makes a spare belong to the caller. The mutex is held.
func (p *Pool) withdraw(i int) {
	close(p.spares[i].taken)
	p.spares = slices.Delete(p.spares, i, i+1)
}

// takeSpare returns a server of a launcher that is not configured, which belongs to the caller; nil
// if there is none.
func (p *Pool) takeSpare(launcher provider.Launcher) provider.Server {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.spares, func(s *spare) bool { return s.launcher == launcher })
	if i < 0 {
		return nil
	}
	server := p.spares[i].server
	select {
	case <-server.Done():
		return nil // it is closed where its end is awaited
	default:
	}
	p.withdraw(i)
	return server
}

// unconfigured returns a server that is not configured: one that was offered, or a new one.
func (p *Pool) unconfigured(ctx context.Context, launcher provider.Launcher) (provider.Server, error) {
	if s := p.takeSpare(launcher); s != nil {
		return s, nil
	}
	return launcher.Launch(ctx)
}
