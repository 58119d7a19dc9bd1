package managed

import (
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
)

// rivalsFor is the time after its last use for which a provider configuration is taken into account.
const rivalsFor = 10 * time.Minute

// share divides the workers of a kind among the provider configurations of its resources, so
// that one whose provider hangs does not occupy them all. If there are several, one may hold as
// many workers as are free: half of all if no other holds workers for long, a quarter if one other
// does. A request that must wait is requeued when a worker is released.
type share struct {
	workers int
	requeue func(reconcile.Request)

	mu      sync.Mutex
	busy    int
	configs map[providerconfig.Reference]*shareOf
}

type shareOf struct {
	busy    int
	last    time.Time
	waiting []reconcile.Request // in order
	waits   map[reconcile.Request]bool
}

func newShare(workers int, requeue func(reconcile.Request)) *share {
	return &share{workers: workers, requeue: requeue, configs: map[providerconfig.Reference]*shareOf{}}
}

// enter reports whether the calling worker may work for the configuration; if so, it must call
// leave. Otherwise the request waits.
func (s *share) enter(ref providerconfig.Reference, req reconcile.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.configs[ref]
	if c == nil {
		c = &shareOf{}
		s.configs[ref] = c
	}
	c.last = time.Now()
	if !s.mayTake(c) && s.rivals(ref) {
		if !c.waits[req] {
			if c.waits == nil {
				c.waits = map[reconcile.Request]bool{}
			}
			c.waits[req] = true
			c.waiting = append(c.waiting, req)
		}
		return false
	}
	c.busy++
	s.busy++
	return true
}

// mayTake reports whether the configuration may have one more worker. It may if it has none,
// because the calling worker is free.
func (s *share) mayTake(c *shareOf) bool { return c.busy < max(1, s.workers-s.busy) }

// rivals reports whether there are other configurations. It forgets unused ones.
func (s *share) rivals(ref providerconfig.Reference) bool {
	found := false
	for other, c := range s.configs {
		switch {
		case other == ref:
		case c.busy == 0 && len(c.waiting) == 0 && time.Since(c.last) > rivalsFor:
			delete(s.configs, other)
		default:
			found = true
		}
	}
	return found
}

// leave releases a worker.
func (s *share) leave(ref providerconfig.Reference) {
	var next []reconcile.Request
	s.mu.Lock()
	c := s.configs[ref]
	c.busy--
	s.busy--
	for _, c := range s.configs {
		if len(c.waiting) > 0 && s.mayTake(c) {
			next = append(next, c.waiting[0])
			delete(c.waits, c.waiting[0])
			c.waiting = c.waiting[1:]
		}
	}
	s.mu.Unlock()
	for _, req := range next {
		s.requeue(req)
	}
}
