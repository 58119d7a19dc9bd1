package inflight

import "sync"

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
