package journal

import (
	"context"
	"sync"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Interruption ends an operation early.
type Interruption struct {
	// ctx is done when the operation is interrupted.
	ctx       context.Context
	interrupt context.CancelFunc

	mu sync.Mutex
	// token is the last request; empty if there was none.
	token string
	// abandon cancels the call of the provider; nil if there is none yet.
	abandon context.CancelFunc
}

// NewInterruption returns an interruption that was not asked for. It is ended with End.
func NewInterruption() *Interruption {
	i := &Interruption{}
	i.ctx, i.interrupt = context.WithCancel(context.Background())
	return i
}

// Context is done when the operation is interrupted.
func (i *Interruption) Context() context.Context { return i.ctx }

// End releases the context.
func (i *Interruption) End() { i.interrupt() }

// Ask interrupts the operation; the second time, without waiting for the provider's answer.
func (i *Interruption) Ask(token string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.token != "" && i.abandon != nil {
		i.abandon()
	}
	i.token = token
	i.interrupt()
}

// Asked returns the token of the last request; empty if there was none.
func (i *Interruption) Asked() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.token
}

// Dispatches records how the call of the provider is cancelled.
func (i *Interruption) Dispatches(abandon context.CancelFunc) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.abandon = abandon
}

// Before returns a context for what precedes the call of the provider, which ends with an
// interrupt.
func (i *Interruption) Before(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(i.ctx, cancel)
	return ctx, func() { stop(); cancel() }
}

// Explain adds to the errors of an operation that it was interrupted.
func (i *Interruption) Explain(diags diagnostic.Diagnostics) diagnostic.Diagnostics {
	if i.Asked() == "" || !diags.HasErrors() {
		return diags
	}
	return append(diags, diagnostic.Errorf("Operation interrupted",
		"The operation was interrupted by request, with the annotation landbridge.io/interrupt.")...)
}

// Note records in the handled tokens that an operation was interrupted, and holds its generation
// unless all that was wanted is done.
func (i *Interruption) Note(handled *store.Tokens, generation int64, done bool) {
	if done {
		generation = 0
	}
	if token := i.Asked(); token != "" {
		NoteInterrupt(handled, token, generation)
	}
}

// NoteInterrupt records a request to interrupt in the handled tokens. held is the generation that
// it holds; 0 if it holds none.
func NoteInterrupt(handled *store.Tokens, token string, held int64) {
	if handled.Interrupt = token; held != 0 {
		handled.Held = held
	}
}
