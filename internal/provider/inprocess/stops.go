package inprocess

import (
	"context"
	"sync"
)

// stops cancels the contexts of calls in flight at StopProvider, as the gRPC servers of
// terraform-plugin-go do for providers in processes. Providers of the legacy SDK rely on that.
type stops struct {
	mu sync.Mutex
	// next is done at the next stop; nil if there was no call since the last one.
	next context.Context
	stop context.CancelFunc
}

// context returns a context that ends with the call, and with the next stop.
func (s *stops) context(ctx context.Context) (context.Context, context.CancelFunc) {
	s.mu.Lock()
	if s.next == nil {
		s.next, s.stop = context.WithCancel(context.Background())
	}
	next := s.next
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	unsubscribe := context.AfterFunc(next, cancel)
	return ctx, func() { unsubscribe(); cancel() }
}

// now cancels the contexts of the calls in flight.
func (s *stops) now() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		s.stop()
	}
	s.next, s.stop = nil, nil
}
