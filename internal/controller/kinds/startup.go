package kinds

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// startupLimit bounds the startup: kinds that cannot be served again do not block the deletion of what their
// resources may refer to for longer.
const startupLimit = 2 * time.Minute

// startup is the time after a start of the controller in which kinds that were served before are not all
// served again. It begins with the zero value.
type startup struct {
	mu        sync.Mutex
	ended     chan struct{}
	attempted map[Source]bool
}

// Source is an object that kinds are served for.
type Source struct{ Kind, Name string }

// over returns a channel that is closed at the end of the startup.
func (s *startup) over() chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended = make(chan struct{})
	}
	return s.ended
}

func (s *startup) attemptedAll(of []Source) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return !slices.ContainsFunc(of, func(source Source) bool { return !s.attempted[source] })
}

// Attempted records that the kinds of a source are served, or that they cannot be served now.
func (r *Registry) Attempted(source Source) {
	s := &r.startup
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.attempted == nil {
		s.attempted = map[Source]bool{}
	}
	s.attempted[source] = true
}

// Settled returns a channel that is closed when all kinds that were served before are served again, as far as
// possible, and the references of all their resources are known.
func (r *Registry) Settled() <-chan struct{} { return r.startup.over() }

// listed reports whether the resources of all served kinds are known.
func (r *Registry) listed() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, k := range r.kinds {
		select {
		case <-k.Listed():
		default:
			return false
		}
	}
	return true
}

// Settle waits until the kinds of all expected sources were attempted, and then closes Settled.
func (r *Registry) Settle(ctx context.Context, expected ...func(context.Context) ([]Source, error)) error {
	until, cancel := context.WithTimeout(ctx, startupLimit)
	defer cancel()
	var all []Source
	known := false
	_ = wait.PollUntilContextCancel(until, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		if !known {
			all = nil
			for _, list := range expected {
				sources, err := list(ctx)
				if err != nil {
					return false, nil // the next poll asks the API server again
				}
				all = append(all, sources...)
			}
			known = true
		}
		return r.startup.attemptedAll(all) && r.listed(), nil
	})
	if ctx.Err() == nil {
		close(r.startup.over())
	}
	return nil
}
