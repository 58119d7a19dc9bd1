package scheduler

import (
	"context"
	"sync"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// A user may interrupt a running operation, as with Terraform's Control-C. Its provider is told to
// stop, and what it answers is the outcome (internal/provider/pool/interrupt.go). A second
// interrupt cancels the call: there is no answer then, and the operation is recovered like one that
// a crash interrupted.
//
// Afterwards nothing begins until the resource changes, so that the operation does not start again:
// the generation that the operation was for is held. The hold is stored with the outcome.

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

// blame adds to the errors of an operation that it was interrupted.
func (i *interruption) blame(diags diagnostic.Diagnostics) diagnostic.Diagnostics {
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

// noteInterrupt records a request to interrupt that is not in the store yet.
func (e *entry) noteInterrupt(token string, held int64) {
	noteInterrupt(&e.record.Handled, token, held)
	e.unsaved.Interrupt, e.unsaved.Held = e.record.Handled.Interrupt, e.record.Handled.Held
	e.publish()
}

// interrupts reports whether an annotation has a request to interrupt that was not handled yet.
func (e *entry) interrupts(r *Request) bool {
	return r.Asked.Interrupt != "" && r.Asked.Interrupt != e.record.Handled.Interrupt &&
		(e.view.state != decision.Running || e.interruption.asked() != r.Asked.Interrupt)
}

// Interrupt implements Interface. Where nothing runs it does nothing: the next Observe records the
// request.
func (s *Scheduler) Interrupt(k store.Key, token string) {
	for _, x := range s.slotsOf(k) {
		e := x.lock()
		if r := (Request{Asked: Asked{Tokens: store.Tokens{Interrupt: token}}}); e.view.state == decision.Running && e.interrupts(&r) {
			e.interrupt(r)
		}
		e.unlock()
	}
}

// interrupt interrupts the running operation.
func (e *entry) interrupt(r Request) {
	e.interruption.ask(r.Asked.Interrupt)
	o := *e.view.observation
	o.Interrupted = true
	e.view.observation = &o
}

// ignoreInterrupt records a request while nothing runs. It does nothing, except that what an
// earlier process began and did not conclude does not begin again.
func (s *Scheduler) ignoreInterrupt(e *entry, r Request) {
	held := int64(0)
	if op := e.record.Instance.Operation; op != nil && op.ID != e.begun && s.o.Clock.Now().Before(op.Deadline) {
		held = op.Generation
	}
	e.noteInterrupt(r.Asked.Interrupt, held)
}

// held reports whether nothing may begin because an operation was interrupted.
func (e *entry) held(r Request) bool {
	return e.record.Handled.Held != 0 && e.record.Handled.Held == r.Generation
}

// Holds reports whether nothing begins for a request because an operation was interrupted, by what
// is stored.
func Holds(r *Request, handled store.Tokens) bool {
	return handled.Held != 0 && handled.Held == r.Generation && (r.Asked.Retry == "" || r.Asked.Retry == handled.Retry)
}

// unhold ends a hold. It is stored with the next write.
func (e *entry) unhold() { e.record.Handled.Held, e.unsaved.Held = 0, 0 }
