package pool

import (
	"maps"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/provider"
)

// justNow is the time within which calls have failed that were in flight at the end of a server.
const justNow = 10 * time.Second

// calls are the calls of a server that are in flight, that were not answered in time, and that
// ended without an answer because the server is gone. The zero value has none.
type calls struct {
	mu       sync.Mutex
	inFlight map[call]int
	late     map[call]bool
	broken   map[call]time.Time
}

// call is a call of a method that is made for a resource; for the program itself if user is the
// zero value.
type call struct {
	user   provider.User
	method string
}

func (c *calls) begin(u provider.User, method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.inFlight == nil {
		c.inFlight = map[call]int{}
	}
	c.inFlight[call{u, method}]++
}

// end ends a call with the error of the call, which is nil if it was answered.
func (c *calls) end(u provider.User, method string, err error, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	x := call{u, method}
	if c.inFlight[x]--; c.inFlight[x] == 0 {
		delete(c.inFlight, x)
	}
	switch code := status.Code(err); {
	case code == codes.DeadlineExceeded:
		if c.late == nil {
			c.late = map[call]bool{}
		}
		c.late[x] = true
	case code == codes.Unavailable && !provider.IsNotSent(err):
		if c.broken == nil {
			c.broken = map[call]time.Time{}
		}
		c.broken[x] = now
	}
}

// answered forgets the calls that were not answered in time: the server answers again.
func (c *calls) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = nil
}

// unanswered returns the calls that may be the cause of a failure: those that were in flight at a
// crash, that were not answered in time by a server that hangs, or that are in flight when there is
// too much memory.
func (c *calls) unanswered(reason Reason, now time.Time) map[call]bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[call]bool{}
	if reason == Hung {
		maps.Copy(out, c.late)
		return out
	}
	for x := range c.inFlight {
		out[x] = true
	}
	for x, at := range c.broken {
		if now.Sub(at) <= justNow {
			out[x] = true
		}
	}
	return out
}
