package turns

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
)

const (
	// rivalsFor is the time after its last use for which a namespace or a provider configuration is
	// taken into account.
	rivalsFor = 10 * time.Minute
	// longStay is the time after which a worker does not count any more, because another one takes
	// its place.
	longStay = 5 * time.Second
	// maxLongStays is how many workers of a kind are replaced at a time, as a multiple of its
	// workers; those of one namespace at most half as many.
	maxLongStays = 4
)

// share divides the workers of a kind among the namespaces of its resources first, and among their
// provider configurations second, so that those whose provider hangs do not occupy them all. If
// there are several, one may take as many workers as are free: half of all if no other has workers
// for long, a quarter if one other does. A worker that hangs is replaced. A request that must wait
// is requeued when a worker is released. The mutex of Turns is locked.
type share struct {
	workers int
	// replace starts a worker in place of one that works on a request for long, until that request
	// leaves; nil if workers are not replaced.
	replace func(done <-chan struct{})

	busy, long int
	namespaces map[string]*shareOf
	configs    map[providerconfig.Reference]*shareOf
	lines      map[place]*line
	stays      map[reconcile.Request]stay
	// forgot is when namespaces and configurations were forgotten last that were not used for long.
	forgot time.Time
	// watched is set while a timer runs that looks for long stays.
	watched bool
}

// shareOf is what a namespace or a configuration has of the workers.
type shareOf struct {
	busy, long int
	last       time.Time
}

// place is a configuration as a namespace uses it.
type place struct {
	namespace string
	config    providerconfig.Reference
}

// line are requests that wait for a worker, in order.
type line struct {
	waiting []reconcile.Request
	waits   map[reconcile.Request]bool
	// turn is since when none of them was requeued.
	turn time.Time
}

// stay is a worker's work on a request. over is closed at its end if the worker was replaced.
type stay struct {
	config providerconfig.Reference
	since  time.Time
	over   chan struct{}
}

func newShare(workers int) share {
	return share{
		workers: workers, namespaces: map[string]*shareOf{},
		configs: map[providerconfig.Reference]*shareOf{}, lines: map[place]*line{}, stays: map[reconcile.Request]stay{},
	}
}

// enter reports whether the calling worker may work on a request for the configuration; if so, it
// must call leave. Otherwise the request waits.
func (s *share) enter(ref providerconfig.Reference, req reconcile.Request, now time.Time) bool {
	n, c := entryOf(s.namespaces, req.Namespace), entryOf(s.configs, ref)
	n.last, c.last = now, now
	if !s.mayTake(n) || !s.mayTake(c) || now.Sub(s.forgot) > rivalsFor {
		s.forgot = now
		forget(s.namespaces, now)
		forget(s.configs, now)
	}
	if at := (place{req.Namespace, ref}); !s.permits(at) {
		l := s.lines[at]
		if l == nil {
			l = &line{waits: map[reconcile.Request]bool{}, turn: now}
			s.lines[at] = l
		}
		if !l.waits[req] {
			l.waits[req] = true
			l.waiting = append(l.waiting, req)
		}
		return false
	}
	n.busy++
	c.busy++
	s.busy++
	s.stays[req] = stay{config: ref, since: now}
	return true
}

// watches reports whether watch has to be called after longStay.
func (s *share) watches() bool {
	if s.replace == nil || s.watched {
		return false
	}
	s.watched = true
	return true
}

func entryOf[K comparable](all map[K]*shareOf, of K) *shareOf {
	out := all[of]
	if out == nil {
		out = &shareOf{}
		all[of] = out
	}
	return out
}

// permits reports whether one more worker may work for a configuration in a namespace: either has
// room, or no rivals.
func (s *share) permits(at place) bool {
	return (s.mayTake(s.namespaces[at.namespace]) || len(s.namespaces) == 1) && (s.mayTake(s.configs[at.config]) || len(s.configs) == 1)
}

// mayTake reports whether a namespace or a configuration may have one more worker. It may if it has
// none, because the calling worker is free.
func (s *share) mayTake(x *shareOf) bool { return x == nil || x.busy < max(1, s.workers-s.busy) }

// forget forgets what was not used for long.
func forget[K comparable](all map[K]*shareOf, now time.Time) {
	for k, x := range all {
		if x.busy == 0 && x.long == 0 && now.Sub(x.last) > rivalsFor {
			delete(all, k)
		}
	}
}

// watch has workers replaced that work on one request for long. It returns the requests to queue,
// and after which time it has to be called again, if that is not zero.
func (s *share) watch(now time.Time) (queue []reconcile.Request, next time.Duration) {
	for req, x := range s.stays {
		n, c := s.namespaces[req.Namespace], s.configs[x.config]
		left := longStay - now.Sub(x.since)
		switch {
		case x.over != nil:
		case left > 0:
			next = max(next, left)
		case s.long >= maxLongStays*s.workers, 2*n.long >= maxLongStays*s.workers:
			next = longStay
		default:
			x.over = make(chan struct{})
			s.stays[req] = x
			for _, of := range []*shareOf{n, c} {
				of.busy--
				of.long++
			}
			s.busy--
			s.long++
			s.replace(x.over)
		}
	}
	s.watched = next > 0
	return s.proceed(now), next
}

// leave releases the worker of a request, and returns the requests to queue.
func (s *share) leave(req reconcile.Request, now time.Time) []reconcile.Request {
	x := s.stays[req]
	delete(s.stays, req)
	n, c := s.namespaces[req.Namespace], s.configs[x.config]
	if x.over != nil {
		close(x.over)
		n.long--
		c.long--
		s.long--
		return nil
	}
	n.busy--
	c.busy--
	s.busy--
	return s.proceed(now)
}

// proceed returns requests that do not have to wait any more: at most one for each configuration
// and each namespace, since one worker was released. A configuration that has least workers and has
// waited longest is first.
func (s *share) proceed(now time.Time) (queue []reconcile.Request) {
	if len(s.lines) == 0 {
		return nil
	}
	ofConfig, ofNamespace := map[providerconfig.Reference]place{}, map[string]place{}
	for at := range s.lines {
		if s.permits(at) {
			first(s, ofConfig, at.config, at)
		}
	}
	for _, at := range ofConfig {
		first(s, ofNamespace, at.namespace, at)
	}
	for _, at := range ofNamespace {
		l := s.lines[at]
		req := l.waiting[0]
		delete(l.waits, req)
		if l.waiting, l.turn = l.waiting[1:], now; len(l.waiting) == 0 {
			delete(s.lines, at)
		}
		queue = append(queue, req)
	}
	return queue
}

// first notes a place under a key, unless one is noted whose turn is before.
func first[K comparable](s *share, noted map[K]place, key K, at place) {
	if other, ok := noted[key]; !ok || s.before(at, other) {
		noted[key] = at
	}
}

// before reports whether it is the turn of a place before that of another.
func (s *share) before(at, other place) bool {
	if n, m := s.configs[at.config], s.configs[other.config]; n != nil && m != nil && n.busy != m.busy {
		return n.busy < m.busy
	}
	return s.lines[at].turn.Before(s.lines[other].turn)
}
