package action

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/controller/unmanaged"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/slots"
)

// Runs are the attempts that this process carries out, beyond the reconciles that begin them.
type Runs struct {
	// Leads reports whether no other process can have taken over.
	Leads func() bool
	// Timeout is how long an attempt may take, and Grace how long one that is interrupted may take
	// to end by itself.
	Timeout, Grace time.Duration
	// PerConfiguration is how many attempts a provider configuration has at once.
	PerConfiguration int

	mu      sync.Mutex
	running map[types.UID]*run
	slots   map[string]*slots.Slots
	stopped bool
	all     sync.WaitGroup
}

// run is an attempt.
type run struct {
	// interrupt tells the provider to stop, and ends the attempt after a grace period.
	interrupt func()
	// over is closed when the attempt is recorded.
	over chan struct{}

	mu       sync.Mutex
	messages []message
	// shown is the number of messages that were written, of received, and at is when.
	received, shown int
	at              time.Time
}

// message is what a provider has told.
type message struct {
	at   time.Time
	text string
}

// tell adds a message of the provider.
func (r *run) tell(at time.Time, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.messages = append(r.messages, message{at, text}); len(r.messages) > crd.MaxProgress {
		r.messages = r.messages[1:]
	}
	r.received++
}

// told returns the last messages.
func (r *run) told() []message {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]message(nil), r.messages...)
}

// news returns the last messages, if there are some that were not shown, and it is time to show
// them; otherwise after which time it is, 0 if there is nothing to show.
func (r *run) news(now time.Time, every time.Duration) (fresh []message, after time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.received - r.shown
	if n == 0 {
		return nil, 0
	}
	if wait := r.at.Add(every).Sub(now); !r.at.IsZero() && wait > 0 {
		return nil, wait
	}
	r.shown, r.at = r.received, now
	return append([]message(nil), r.messages[max(0, len(r.messages)-n):]...), 0
}

// of returns the attempt for an object that runs here; nil if none does.
func (r *Runs) of(uid types.UID) *run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running[uid]
}

// slot reserves an attempt with a provider configuration for a namespace; ok is false if there are
// as many as may be, or the process ends.
func (r *Runs) slot(configuration, namespace string) (release func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped {
		return nil, false
	}
	if r.slots == nil {
		r.slots = map[string]*slots.Slots{}
	}
	of := r.slots[configuration]
	if of == nil {
		of = slots.New(max(r.PerConfiguration, 1))
		r.slots[configuration] = of
	}
	free, ok := of.TryAcquire(namespace)
	if !ok {
		return nil, false
	}
	return sync.OnceFunc(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if free(); !of.Used() {
			delete(r.slots, configuration)
		}
	}), true
}

// start carries out an attempt for an object, unless the process ends. release is called when the
// attempt is recorded.
func (r *Runs) start(uid types.UID, namespace string, release func(), attempt func(context.Context, *run)) bool {
	r.mu.Lock()
	if r.stopped {
		r.mu.Unlock()
		release()
		return false
	}
	defer r.mu.Unlock()
	interrupted, interrupt := context.WithCancel(context.Background())
	ctx, cancel := context.WithTimeout(context.Background(), r.Timeout)
	ctx = unmanaged.Fenced(slots.WithOwner(ctx, namespace), r.Leads)
	one := &run{over: make(chan struct{})}
	one.interrupt = sync.OnceFunc(func() {
		interrupt()
		end := time.AfterFunc(r.Grace, cancel)
		context.AfterFunc(ctx, func() { end.Stop() })
	})
	if r.running == nil {
		r.running = map[types.UID]*run{}
	}
	r.running[uid] = one
	r.all.Go(func() {
		defer func() {
			cancel()
			interrupt()
			r.mu.Lock()
			delete(r.running, uid)
			r.mu.Unlock()
			close(one.over)
			release()
		}()
		attempt(provider.WithInterrupt(ctx, interrupted), one)
	})
	return true
}

// Stop waits until all attempts are recorded. No other begins.
func (r *Runs) Stop(ctx context.Context) error {
	r.mu.Lock()
	r.stopped = true
	r.mu.Unlock()
	ended := make(chan struct{})
	go func() { r.all.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return errors.New("actions are still running: how they end is not recorded")
	}
}
