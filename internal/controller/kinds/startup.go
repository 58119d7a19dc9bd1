package kinds

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/landbridge-io/landbridge/internal/controller/managed"
)

// startupLimit bounds the startup: kinds that cannot be served again do not block the deletion of what their
// resources may refer to for longer.
const startupLimit = 2 * time.Minute

// startup is the time after a start of the controller in which kinds that were served before are not all
// served again. It begins with the zero value.
type startup struct {
	mu        sync.Mutex
	ended     chan struct{}
	claimed   chan struct{}
	attempted map[Source]bool
}

// Source is an object that kinds are served for.
type Source struct{ Kind, Name string }

// over returns a channel that is closed at the end of the startup, and one that is closed when all remote objects are
// claimed.
func (s *startup) over() (ended, claimed chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == nil {
		s.ended, s.claimed = make(chan struct{}), make(chan struct{})
	}
	return s.ended, s.claimed
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
func (r *Registry) Settled() <-chan struct{} {
	ended, _ := r.startup.over()
	return ended
}

// Claimed returns a channel that is closed when the remote objects of all these resources are claimed, too.
func (r *Registry) Claimed() <-chan struct{} {
	_, claimed := r.startup.over()
	return claimed
}

// all reports whether a channel of all served kinds is closed.
func (r *Registry) all(of func(*managed.Kind) <-chan struct{}) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, k := range r.kinds {
		select {
		case <-of(k):
		default:
			return false
		}
	}
	return true
}

// Settle waits until the kinds of all expected sources were attempted, and then closes Settled and Claimed.
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
		return r.startup.attemptedAll(all) && r.all((*managed.Kind).Listed), nil
	})
	ended, claimed := r.startup.over()
	if ctx.Err() == nil {
		close(ended)
	}
	_ = wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(context.Context) (bool, error) {
		return r.all((*managed.Kind).ObjectsClaimed), nil
	})
	if ctx.Err() == nil {
		close(claimed)
	}
	return nil
}
