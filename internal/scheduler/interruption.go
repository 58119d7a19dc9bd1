package scheduler

import (
	"context"
	"sync"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// interruption ends an operation early.
type interruption struct {
	// ctx is done when the operation is interrupted.
	ctx       context.Context
	interrupt context.CancelFunc

	mu sync.Mutex
	// token is the last request; empty if there was none.
	token string
	// abandon cancels the call of the provider; nil if there is none yet.
	abandon context.CancelFunc
}

func newInterruption() *interruption {
	i := &interruption{}
	i.ctx, i.interrupt = context.WithCancel(context.Background())
	return i
}

// ask interrupts the operation; the second time, without waiting for the provider's answer.
func (i *interruption) ask(token string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.token != "" && i.abandon != nil {
		i.abandon()
	}
	i.token = token
	i.interrupt()
}

// asked returns the token of the last request; empty if there was none.
func (i *interruption) asked() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.token
}

// dispatches records how the call of the provider is cancelled.
func (i *interruption) dispatches(abandon context.CancelFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.abandon = abandon
}

// before returns a context for what precedes the call of the provider, which ends with an
// interrupt.
func (i *interruption) before(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(i.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// explain adds to the errors of an operation that it was interrupted.
func (i *interruption) explain(diags diagnostic.Diagnostics) diagnostic.Diagnostics {
	if i.asked() == "" || !diags.HasErrors() {
		return diags
	}
	return append(diags, diagnostic.Errorf("Operation interrupted", "The operation was interrupted by request, with the annotation landbridge.io/interrupt.")...)
}

// note records in the handled tokens that an operation was interrupted, and holds its generation
// unless all that was wanted is done.
func (i *interruption) note(handled *store.Tokens, generation int64, done bool) {
	if done {
		generation = 0
	}
	if token := i.asked(); token != "" {
		noteInterrupt(handled, token, generation)
	}
}

// noteInterrupt records a request to interrupt in the handled tokens. held is the generation that
// it holds; 0 if it holds none.
func noteInterrupt(handled *store.Tokens, token string, held int64) {
	if handled.Interrupt = token; held != 0 {
		handled.Held = held
	}
}
