package inflight

import (
	"context"
	"sync"
	"time"
)

const (
	// stopSoon and stopSeldom are the first and the longest wait before a server that still has
	// calls is told again to stop.
	stopSoon   = 100 * time.Millisecond
	stopSeldom = 2 * time.Second
)

// Calls counts calls. Its zero value is open and empty.
type Calls struct {
	mu      sync.Mutex
	now     int
	total   int64
	closing bool
	// idle is made by Close.
	idle chan struct{}
}

// Begin counts a call in; false when no more calls are taken. End must follow if true.
func (c *Calls) Begin() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closing {
		return false
	}
	c.now++
	return true
}

// End counts a call out.
func (c *Calls) End() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now--
	c.total++
	if c.closing && c.now == 0 {
		close(c.idle)
	}
}

// Total is how many calls have ended.
func (c *Calls) Total() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.total
}

// Closing says whether Close was called.
func (c *Calls) Closing() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closing
}

// Close takes no more calls and returns a channel that is closed when none is under way,
// and whether some were. It may be called more than once.
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

// Drain takes no more calls and waits until none is under way: true, or false when gone was
// closed or ctx ended before. As long as there are some it calls stop, which is to end them, at
// once and then again and again: a stop does not reach a call that was begun and has not arrived
// at its provider yet.
func (c *Calls) Drain(ctx context.Context, gone <-chan struct{}, stop func()) bool {
	idle, busy := c.Close()
	for wait := stopSoon; busy; wait = min(2*wait, stopSeldom) {
		stop()
		again := time.NewTimer(wait)
		select {
		case <-again.C:
			continue
		case <-idle:
		case <-gone:
		case <-ctx.Done():
		}
		again.Stop()
		break
	}
	select {
	case <-idle:
		return true
	default:
		return false
	}
}
