package scheduler

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Remembered is what is known of a resource without asking anybody, after an Observe that
// failed just as after one that did not.
type Remembered struct {
	Status  instance.Status
	Deposed []instance.Deposed
	// Handled are the tokens that were acted upon.
	Handled store.Tokens
}

// Remembered implements Interface.
func (s *Scheduler) Remembered(r Request) (Remembered, bool) {
	e := s.entry(r.UID)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.loaded {
		return Remembered{}, false
	}
	return Remembered{Status: e.record.Instance.Status, Deposed: e.record.Instance.Deposed, Handled: e.record.Handled}, true
}

// retry forgets failures if that is asked for, so that what failed is tried again now. It needs
// nothing but memory, and so works whatever else does not.
func (s *Scheduler) retry(e *entry, r Request) {
	if r.Asked.Retry == "" || r.Asked.Retry == e.record.Handled.Retry {
		return
	}
	e.record.Handled.Retry = r.Asked.Retry
	e.failed, e.deposedFailed = failure{}, failure{}
	e.unsaved = true
}

// act does what is asked for by annotation, once for each token: the token is stored with what
// came of it. Tokens that are there before anything is stored are taken note of, and ask
// nothing: whoever set them cannot have meant an object that nobody knew.
func (s *Scheduler) act(ctx context.Context, e *entry, r Request) error {
	handled, in := e.record.Handled, e.record.Instance
	taint := r.Asked.Taint != "" && r.Asked.Taint != handled.Taint
	untaint := r.Asked.Untaint != "" && r.Asked.Untaint != handled.Untaint
	if !taint && !untaint && !e.unsaved {
		return nil
	}
	if taint {
		handled.Taint = r.Asked.Taint
	}
	if untaint {
		handled.Untaint = r.Asked.Untaint
	}
	e.record.Handled = handled
	if e.record.Version == "" {
		return nil // written with what is stored first
	}
	var events []Event
	if taint && in.Exists() && in.Status != instance.Tainted {
		in.Status = instance.Tainted
		events = append(events, Event{Kind: Tainted, Asked: true})
	}
	// Asked for both at once, the object stays.
	if untaint && in.Status == instance.Tainted {
		in.Status = instance.Partial
		events = append(events, Event{Kind: Untainted, Asked: true})
	}
	faultpoint.Reach(faultpoint.Asked, faultpoint.BeforeConclude)
	if err := s.save(ctx, e, r, in); err != nil {
		return err
	}
	faultpoint.Reach(faultpoint.Asked, faultpoint.BeforeTold)
	for _, event := range events {
		r.tell(event)
	}
	return nil
}
