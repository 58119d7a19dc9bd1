package inflight

import (
	"context"
	"sync"
	"time"
)

const (
	// stopSoon and stopSeldom are the first and the longest delay before a server that still has
	// calls in flight is stopped again.
	stopSoon   = 100 * time.Millisecond
	stopSeldom = 2 * time.Second
)

// Calls counts calls in flight. Its zero value is open and empty.
type Calls struct {
	mu      sync.Mutex
	now     int
	total   int64
	closing bool
	// idle is made by Close.
	idle chan struct{}
	// held is closed when Alone does not hold calls back any more, and nil while it does not. none
	// is closed when no call is in flight, if Alone waits for that.
	held, none chan struct{}
}

// Begin counts a call; false after Close. Call End if it is true. Where Alone is used, calls begin
// with BeginWithin.
func (c *Calls) Begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begin()
}

// begin is Begin. The mutex is held.
func (c *Calls) begin() bool {
	if c.closing {
		return false
	}
	c.now++
	return true
}

// End ends a call.
func (c *Calls) End() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now--
	c.total++
	if c.now > 0 {
		return
	}
	if c.closing {
		close(c.idle)
	}
	if c.none != nil {
		close(c.none)
		c.none = nil
	}
}

// Total returns the number of calls that have ended.
func (c *Calls) Total() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// Closing reports whether Close was called.
func (c *Calls) Closing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closing
}

// Busy reports whether a call is in flight.
func (c *Calls) Busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now > 0
}

// Close lets no more calls begin. It returns a channel that is closed when none is in flight, and
// whether some are. It may be called more than once.
func (c *Calls) Close() (idle <-chan struct{}, busy bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closing {
		c.closing, c.idle = true, make(chan struct{})
		if c.now == 0 {
			close(c.idle)
		}
	}
	return c.idle, c.now > 0
}

// Wait closes c, and waits until no call is in flight.
func (c *Calls) Wait() {
	idle, _ := c.Close()
	<-idle
}

// Drain closes c, and waits until no call is in flight: true, or false when gone is closed or ctx
// ends before. While there are calls it calls stop, which is to end them, repeatedly.
func (c *Calls) Drain(ctx context.Context, gone <-chan struct{}, stop func()) bool {
	idle, busy := c.Close()
	if busy {
		Repeat(ctx, idle, gone, stop)
	}
	select {
	case <-idle:
		return true
	default:
		return false
	}
}

// Repeat calls stop, which is to end calls in flight, until ended or gone is closed or ctx ends.
// Once is not enough: a stop does not reach a call that has begun and has not arrived at its
// provider yet.
func Repeat(ctx context.Context, ended, gone <-chan struct{}, stop func()) {
	for wait := stopSoon; ; wait = min(2*wait, stopSeldom) {
		stop()
		again := time.NewTimer(wait)
		select {
		case <-again.C:
			continue
		case <-ended:
		case <-gone:
		case <-ctx.Done():
		}
		again.Stop()
		return
	}
}
