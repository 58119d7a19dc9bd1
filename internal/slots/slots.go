package slots

import (
	"container/list"
	"context"
	"sync"
)

type ownerKey struct{}

// WithOwner returns a context for what is done for an owner.
func WithOwner(ctx context.Context, owner string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

// ownerOf returns the owner for which something is done; empty if none is known.
func ownerOf(ctx context.Context) string {
	owner, _ := ctx.Value(ownerKey{}).(string)
	return owner
}

// Slots are divided among owners. Use New to make them. They are safe for concurrent use.
type Slots struct {
	most int

	mu   sync.Mutex
	busy int
	of   map[string]int
	// waiting are *request, the oldest first.
	waiting list.List
}

// request is one that waits.
type request struct {
	owner string
	// granted is closed when it has a slot. Then release is set.
	granted chan struct{}
	release func()
}

// New returns a number of slots.
func New(most int) *Slots { return &Slots{most: most, of: map[string]int{}} }

// TryAcquire returns a slot of an owner if there is one now. The slot has to be released.
func (s *Slots) TryAcquire(owner string) (release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.permits(owner) {
		return nil, false
	}
	return s.take(owner), true
}

// Acquire waits for a slot of the owner of ctx until ctx is done. The slot has to be released.
func (s *Slots) Acquire(ctx context.Context) (release func(), _ error) {
	owner := ownerOf(ctx)
	s.mu.Lock()
	if s.permits(owner) {
		defer s.mu.Unlock()
		return s.take(owner), nil
	}
	q := &request{owner: owner, granted: make(chan struct{})}
	at := s.waiting.PushBack(q)
	s.mu.Unlock()
	select {
	case <-q.granted:
		return q.release, nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-q.granted:
		s.release(owner) // it came too late
	default:
		s.waiting.Remove(at)
	}
	return nil, ctx.Err()
}

// Used reports whether an owner has a slot.
func (s *Slots) Used() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.busy > 0
}

// permits reports whether an owner may have one more slot.
func (s *Slots) permits(owner string) bool {
	return s.busy < s.most || s.of[owner] == 0 && s.busy < s.most+(s.most+1)/2
}

// take gives a slot to an owner, and returns the function that releases it. It may be called again.
func (s *Slots) take(owner string) (release func()) {
	s.busy++
	s.of[owner]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.release(owner)
	})
}

// release frees a slot, and gives it to the next one.
func (s *Slots) release(owner string) {
	s.busy--
	if s.of[owner]--; s.of[owner] == 0 {
		delete(s.of, owner)
	}
	var next *list.Element
	for at := s.waiting.Front(); at != nil; at = at.Next() {
		if of := at.Value.(*request).owner; s.permits(of) && (next == nil || s.of[of] < s.of[next.Value.(*request).owner]) {
			next = at
		}
	}
	if next == nil {
		return
	}
	q := s.waiting.Remove(next).(*request)
	q.release = s.take(q.owner)
	close(q.granted)
}
