package scheduler

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Remembered implements Interface.
func (s *Scheduler) Remembered(r Request) (Remembered, bool) {
	s.mu.Lock()
	e := s.places.byUID[r.UID]
	works := e != nil && e.presence != idle
	s.mu.Unlock()
	if e == nil {
		return Remembered{}, false
	}
	var out Remembered
	known := e.remembered.Load()
	if known != nil {
		out = *known
	}
	if out.Running = works; works {
		out.Unrecorded = e.unrecorded.Load()
	}
	return out, known != nil
}

// retry forgets failures, so that failed operations are tried again now.
func (e *entry) retry(r Request) {
	e.record.Handled.Retry, e.unsaved.Retry = r.Asked.Retry, r.Asked.Retry
	e.failed, e.deposedFailed, e.attempts, e.last = nil, nil, attempts{}, nil
	e.lastApply, e.record.Instance.Unsettled = nil, nil
	if o := e.view.observation; o != nil && o.Last != nil {
		without := *o
		without.Last = nil
		e.view.observation = &without
	}
	e.confirmation = nil
	e.endHold()
	e.publish()
}

// reapplies returns the token of a request to set arguments again that was not handled; empty if
// there is none.
func (e *entry) reapplies(r *Request) string {
	if r.Config == nil || r.Asked.Reapply == e.record.Handled.Reapply {
		return ""
	}
	return r.Asked.Reapply
}

// notReapplied stores that a request to set arguments again has no effect.
func (s *Scheduler) notReapplied(ctx context.Context, e *entry, r Request, token string) error {
	e.record.Handled.Reapply = token
	if err := s.save(ctx, e, r, e.record.Instance); err != nil {
		return err
	}
	s.tell(r, Event{Kind: NotReapplied})
	return nil
}

// requested reports whether an annotation has a token that was not handled, or whose handling was
// not stored.
func (e *entry) requested(r *Request) bool {
	handled := &e.record.Handled
	return r.Asked.Taint != "" && r.Asked.Taint != handled.Taint || r.Asked.Untaint != "" && r.Asked.Untaint != handled.Untaint ||
		e.unsaved != unsavedTokens{} && e.record.Version != ""
}

// withUnsaved adds the tokens that are not in the store yet to those that were loaded from it.
func (e *entry) withUnsaved(handled store.Tokens) store.Tokens {
	if e.unsaved.Retry != "" {
		handled.Retry, handled.Held = e.unsaved.Retry, 0
	}
	if e.unsaved.Interrupt != "" {
		handled.Interrupt, handled.Held = e.unsaved.Interrupt, e.unsaved.Held
	}
	return handled
}

// withTold replaces the approval that was used last by the one that the status tells, if that one
// is later: the record is from a backup, or was lost.
func withTold(handled, told store.Tokens) store.Tokens {
	if told.Approve == "" || told.ApprovedAt <= handled.ApprovedAt { // in UTC, so they sort as texts
		return handled
	}
	handled.Approve, handled.ApprovedAction, handled.ApprovedBy, handled.ApprovedAt = told.Approve,
		told.ApprovedAction, told.ApprovedBy, told.ApprovedAt
	handled.ApprovedCreate = ""
	return handled
}

// carryOut carries out the requests of annotations, once for each token: the token is stored
// together with the result. A token that is set before anything is stored has no effect and is only
// recorded, because it cannot refer to an object that was not known yet.
func (s *Scheduler) carryOut(ctx context.Context, e *entry, r Request) error {
	handled, in := e.record.Handled, e.record.Instance
	taint := r.Asked.Taint != "" && r.Asked.Taint != handled.Taint
	untaint := r.Asked.Untaint != "" && r.Asked.Untaint != handled.Untaint
	if taint {
		handled.Taint = r.Asked.Taint
	}
	if untaint {
		handled.Untaint = r.Asked.Untaint
	}
	e.record.Handled = handled
	e.publish()
	if e.record.Version == "" {
		return nil // stored with the first record
	}
	var events []Event
	if taint && r.Asked.Taint != r.Told.Taint && in.Exists() && in.Status != instance.Tainted {
		in.Status, in.Unsettled = instance.Tainted, nil
		events = append(events, Event{Kind: Tainted, Asked: true})
	}
	// If both are requested at once, the object stays.
	if untaint && in.Status == instance.Tainted {
		in.Status, in.Unsettled = instance.Partial, nil
		events = append(events, Event{Kind: Untainted, Asked: true})
	}
	faultpoint.Reach(faultpoint.Asked, faultpoint.BeforeConclude)
	if err := s.save(ctx, e, r, in); err != nil {
		return err
	}
	faultpoint.Reach(faultpoint.Asked, faultpoint.BeforeTold)
	for _, event := range events {
		s.tell(r, event)
	}
	return nil
}
