package scheduler

import (
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/journal"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// A user may interrupt a running operation, as with Terraform's Control-C. Its provider is told to
// stop, and what it answers is the outcome (internal/provider/pool/interrupt.go). A second
// interrupt cancels the call: there is no answer then, and the operation is recovered like one that
// a crash interrupted.
//
// Afterwards nothing begins until the resource changes, so that the operation does not start again:
// the generation that the operation was for is held. The hold is stored with the outcome.

// noteInterrupt records a request to interrupt that is not in the store yet.
func (e *entry) noteInterrupt(token string, held int64) {
	journal.NoteInterrupt(&e.record.Handled, token, held)
	e.unsaved.Interrupt, e.unsaved.Held = e.record.Handled.Interrupt, e.record.Handled.Held
	e.publish()
}

// interrupts reports whether an annotation has a request to interrupt that was not handled yet.
func (e *entry) interrupts(r *Request) bool {
	return r.Asked.Interrupt != "" && r.Asked.Interrupt != e.record.Handled.Interrupt &&
		(e.view.state != decision.Running || e.interruption.Asked() != r.Asked.Interrupt)
}

// Interrupt implements Interface. Where nothing runs it does nothing: the next Observe records the
// request.
func (s *Scheduler) Interrupt(k store.Key, token string) {
	for _, x := range s.placesOf(k) {
		e := x.lock()
		if r := (Request{Asked: Asked{Tokens: store.Tokens{Interrupt: token}}}); e.view.state == decision.Running && e.interrupts(&r) {
			e.interrupt(r)
		}
		e.unlock()
	}
}

// interrupt interrupts the running operation.
func (e *entry) interrupt(r Request) {
	e.interruption.Ask(r.Asked.Interrupt)
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

// endHold ends a hold. It is stored with the next write.
func (e *entry) endHold() { e.record.Handled.Held, e.unsaved.Held = 0, 0 }
