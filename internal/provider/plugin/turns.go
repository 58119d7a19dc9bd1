package plugin

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/provider"
)

// turnFor is how long a server may keep an attached process to itself while others wait for it.
const turnFor = time.Second

// turns are those of the servers of one attached process, which has one configuration at a time.
// The server whose turn it is, the holder, makes its calls in parallel. When none of them is in
// flight, another server may take the turn: it configures the process again, with its own
// configuration.
type turns struct {
	mu     sync.Mutex
	holder *guest // nil between turns
	// configuring is set while the holder configures the process.
	configuring bool
	since       time.Time
	// calls are those of the holder in flight, and streams the ones among them that are streams.
	calls, streams int
	// waiting is the number of calls of other servers that wait for the turn.
	waiting int
	// changed is closed when those who wait should look again; nil if none waits.
	changed chan struct{}
}

// take waits for the turn of a server, and begins a call. If first is set, the turn has just begun:
// the process must be configured, and configured be called. A call that is to configure the process
// itself begins a turn.
func (t *turns) take(ctx context.Context, g *guest, configures bool) (first bool, _ error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		switch {
		case t.holder == g && !t.configuring && !configures && t.goesOn():
			t.calls++
			return false, nil
		case t.calls == 0 && (t.holder != g || t.waiting == 0):
			t.holder, t.configuring, t.since = g, true, time.Now()
			t.calls++
			return true, nil
		}
		if err := t.wait(ctx, g); err != nil {
			return false, err
		}
	}
}

// goesOn reports whether the holder may begin another call. Who reads a stream may make calls
// meanwhile, so those must not wait for the end of the stream. The mutex is held.
func (t *turns) goesOn() bool {
	return t.waiting == 0 || t.streams > 0 || time.Since(t.since) < turnFor
}

// wait waits until something has changed. The mutex is held, except while it waits.
func (t *turns) wait(ctx context.Context, g *guest) (err error) {
	if t.changed == nil {
		t.changed = make(chan struct{})
	}
	changed, other := t.changed, t.holder != g
	if other {
		t.waiting++
	}
	t.mu.Unlock()
	select {
	case <-changed:
	case <-ctx.Done():
		err = provider.NotSent(status.FromContextError(ctx.Err()).Err())
	case <-g.gone:
		err = provider.NotSent(status.Error(codes.Unavailable, "the provider was stopped"))
	}
	t.mu.Lock()
	if other {
		t.waiting--
	}
	if err != nil {
		t.wake() // the holder may have waited because of this call
	}
	return err
}

// wake makes those who wait look again. The mutex is held.
func (t *turns) wake() {
	if t.changed != nil {
		close(t.changed)
		t.changed = nil
	}
}

// configured ends the configuration of the process at the beginning of a turn. If it failed, the
// turn is over.
func (t *turns) configured(ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.configuring = false
	if !ok {
		t.holder = nil
	}
	t.wake()
}

// join begins a call if it is a server's turn already.
func (t *turns) join(g *guest) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.holder != g {
		return false
	}
	t.calls++
	return true
}

// streaming counts a call of the holder as a stream as well.
func (t *turns) streaming() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streams++
	t.wake()
}

// leave ends a call.
func (t *turns) leave() { t.end(0) }

// leaveStream ends a call that was counted as a stream.
func (t *turns) leaveStream() { t.end(1) }

func (t *turns) end(streams int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streams -= streams
	if t.calls--; t.calls == 0 {
		t.wake()
	}
}
