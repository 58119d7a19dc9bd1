package inflight

import (
	"context"
	"time"
)

// aloneKey is the key of the *Calls in contexts of Alone.
type aloneKey struct{}

// BeginWithin is Begin, and waits while Alone holds calls back. It is false if ctx has ended, or
// ends before.
func (c *Calls) BeginWithin(ctx context.Context) bool {
	for ctx.Err() == nil {
		c.mu.Lock()
		held := c.held
		if held == nil || c.closing || ctx.Value(aloneKey{}) == c {
			begun := c.begin()
			c.mu.Unlock()
			return begun
		}
		c.mu.Unlock()
		select {
		case <-held:
		case <-ctx.Done():
		}
	}
	return false
}

// Alone runs f while no call is in flight but those of f, which have its context. It waits for
// calls in flight for a while at most: ran is false if there still are some, or c is closed, or
// another Alone runs. If f fails, c is closed, and the calls that were held back do not begin.
func (c *Calls) Alone(ctx context.Context, wait time.Duration, f func(context.Context) error) (ran bool, err error) {
	c.mu.Lock()
	if c.closing || c.held != nil {
		c.mu.Unlock()
		return false, nil
	}
	held := make(chan struct{})
	c.held = held
	var none chan struct{}
	if c.now > 0 {
		none = make(chan struct{})
		c.none = none
	}
	c.mu.Unlock()
	defer func() {
		if err != nil {
			c.Close()
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.held, c.none = nil, nil
		close(held)
	}()
	if none != nil && !within(ctx, none, wait) {
		return false, nil
	}
	return true, f(context.WithValue(ctx, aloneKey{}, c))
}

// within waits until a channel is closed: false if ctx or a time ends before.
func within(ctx context.Context, closed <-chan struct{}, wait time.Duration) bool {
	select {
	case <-closed:
		return true
	case <-time.After(wait):
	case <-ctx.Done():
	}
	return false
}
