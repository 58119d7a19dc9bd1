package scheduler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// storeTimeout bounds a write of the store, which may take many requests. Each request has its own
// bound.
const storeTimeout = 10 * time.Minute

// conclude stores the outcome, and tries again until it succeeds or the process ends. Until then
// the intent stands, and the operation is reported as running. An outcome that the store does not
// accept is kept in memory, reported, and tried again seldom.
func (s *Scheduler) conclude(e *entry, r Request, intent instance.Instance, rec store.Record) (store.Record, error) {
	op, wait, reported := intent.Operation, 50*time.Millisecond, false
	wanted, release := context.WithCancel(s.ctx)
	defer release()
	for last := false; ; {
		out, err := s.concludeOnce(r, op, rec)
		if err == nil || errors.Is(err, store.ErrConflict) {
			return out, err
		}
		if last {
			return rec, fmt.Errorf("the controller is stopping: %w", err)
		}
		s.o.Logger.Error(err, "Cannot record the outcome of an operation, trying again", "resource", r.Key, "operation", op.ID, "kind", op.Kind)
		next := wait
		if wait = min(2*wait, 10*time.Second); store.Permanent(err) {
			next = s.o.MaxBackoff
			if !reported {
				rec.Version, reported = s.recordMade(r, intent, rec), true
				s.reportUnrecorded(e, r, op, release, err)
			}
		}
		select {
		case <-wanted.Done():
			if last = s.ctx.Err() != nil; !last {
				return rec, err // the resource is released
			}
		case <-s.o.Clock.After(next):
		}
	}
}

// reportUnrecorded shows in the view of a running operation that its outcome cannot be stored.
// release ends the attempts to store it.
func (s *Scheduler) reportUnrecorded(e *entry, r Request, op *instance.Operation, release func(), err error) {
	e.lock()
	if e.view.state == decision.Running {
		o := *e.view.observation
		o.Unrecorded = &Error{Reason: storeReason(err), Err: fmt.Errorf(
			"%s ended, but its outcome cannot be stored and is only in the controller's memory: %w. It is tried again every %s", op.Kind, err, s.o.MaxBackoff)}
		e.view.observation, e.view.release = &o, release
		e.unrecorded.Store(o.Unrecorded)
	}
	e.turn.Unlock()
	s.o.Wake(r.Key)
}

// recordMade adds to the intent of a create that it has made an object, if the outcome itself
// cannot be stored: a successor imports the object, and neither takes it for incomplete nor creates
// another one. It returns the version of the record.
func (s *Scheduler) recordMade(r Request, intent instance.Instance, outcome store.Record) string {
	op := *intent.Operation
	if op.Kind != instance.Create || !outcome.Instance.Exists() || len(op.Journal) > 0 {
		return outcome.Version
	}
	op.PlannedState, op.PlannedPrivate, op.PlannedIdentity = cty.NilVal, nil, outcome.Instance.Identity
	op.Mapped = false
	op.Made, op.MadeID = outcome.Instance.Status, stateID(outcome.Instance.State)
	rec := outcome
	rec.Instance = intent
	rec.Instance.Operation = &op
	rec, err := s.concludeOnce(r, &op, rec)
	if err != nil {
		s.o.Logger.Error(err, "Cannot record that a create has made an object", "resource", r.Key, "operation", op.ID)
		return outcome.Version
	}
	return rec.Version
}

// concludeOnce replaces the intent of the operation by its outcome, even if others changed or
// deleted the Secret: only this process knows the outcome. If another controller has recovered the
// intent, it keeps the recovered outcome.
func (s *Scheduler) concludeOnce(r Request, op *instance.Operation, rec store.Record) (store.Record, error) {
	// Not the operation's context: the answer has to be stored even after its deadline.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), storeTimeout)
	defer cancel()
	out, err := s.store(ctx, &r, rec)
	if !errors.Is(err, store.ErrConflict) {
		return out, err
	}
	stored, loadErr := s.o.Store.Load(ctx, r.Key, r.Type.Schema)
	switch {
	case errors.Is(loadErr, store.ErrNotFound) && !s.mayExist(ctx, r.Key, r.UID):
		return rec, nil // the resource was released meanwhile
	case errors.Is(loadErr, store.ErrNotFound):
		rec.Version = ""
	case loadErr != nil:
		return rec, loadErr
	case stored.Instance.Operation != nil && stored.Instance.Operation.ID == op.ID:
		rec.Version = stored.Version
		// Another controller may have handled requests since. An outcome only adds whether it was
		// interrupted.
		handled := stored.Handled
		handled.Interrupt, handled.Held = rec.Handled.Interrupt, rec.Handled.Held
		rec.Handled = handled
	case s.same(r, stored, rec):
		return stored, nil // an earlier attempt succeeded, though it returned an error
	default:
		return rec, err
	}
	return s.store(ctx, &r, rec)
}

func (s *Scheduler) same(r Request, a, b store.Record) bool {
	x, err := instance.Encode(a.Instance, r.Type.Schema)
	if err != nil {
		return false
	}
	y, err := instance.Encode(b.Instance, r.Type.Schema)
	return err == nil && bytes.Equal(x, y)
}
