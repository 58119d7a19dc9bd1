package scheduler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// storeTimeout bounds a write of the store, which may take many requests. Each request has its own
// bound.
const storeTimeout = 10 * time.Minute

// storeOutcome stores the outcome, and tries again until it succeeds or the process ends. Until
// then the intent stands, and the operation is reported as running. An outcome that the store does
// not accept is kept in memory, reported, and tried again seldom.
func (o *operation) storeOutcome(rec store.Record) (store.Record, error) {
	op, wait, reported := o.in.Operation, 50*time.Millisecond, false
	wanted, release := context.WithCancel(o.Scheduler.ctx)
	defer release()
	for last := false; ; {
		out, err := o.storeOnce(op, rec)
		if err == nil || errors.Is(err, store.ErrConflict) {
			return out, err
		}
		if last {
			return rec, fmt.Errorf("the controller is stopping: %w", err)
		}
		o.o.Logger.Error(err, "Cannot record the outcome of an operation, trying again", "resource", o.r.Key, "operation", op.ID, "kind", op.Kind)
		next := wait
		if wait = min(2*wait, 10*time.Second); store.Permanent(err) {
			next = o.o.MaxBackoff
			if !reported {
				rec.Version, reported = o.storeMade(rec), true
				o.reportUnrecorded(op, release, err)
			}
		}
		select {
		case <-wanted.Done():
			if last = o.Scheduler.ctx.Err() != nil; !last {
				return rec, err // the resource is released
			}
		case <-o.o.Clock.After(next):
		}
	}
}

// reportUnrecorded shows in the view of a running operation that its outcome cannot be stored.
// release ends the attempts to store it.
func (o *operation) reportUnrecorded(op *instance.Operation, release func(), err error) {
	e := o.e.lock()
	if e.view.state == decision.Running {
		shown := *e.view.observation
		shown.Unrecorded = &Error{Reason: storeReason(err), Err: fmt.Errorf(
			"%s ended, but its outcome cannot be stored and is only in the controller's memory: %w. It is tried again every %s", op.Kind, err, o.o.MaxBackoff)}
		e.view.observation, e.view.release = &shown, release
		e.unrecorded.Store(shown.Unrecorded)
	}
	e.unlock()
	o.o.Wake(o.r.Key)
}

// storeMade adds to the intent of a create that it has made an object, if the outcome itself
// cannot be stored: a successor imports the object, and neither takes it for incomplete nor creates
// another one. It returns the version of the record.
func (o *operation) storeMade(outcome store.Record) string {
	op := *o.in.Operation
	if op.Kind != instance.Create || !outcome.Instance.Exists() || len(op.Journal) > 0 {
		return outcome.Version
	}
	op.PlannedState, op.PlannedPrivate, op.PlannedIdentity = cty.NilVal, nil, outcome.Instance.Identity
	op.Mapped = false
	op.Made, op.MadeID = outcome.Instance.Status, ownership.StateID(outcome.Instance.State)
	rec := outcome
	rec.Instance = o.in
	rec.Instance.Operation = &op
	rec, err := o.storeOnce(&op, rec)
	if err != nil {
		o.o.Logger.Error(err, "Cannot record that a create has made an object", "resource", o.r.Key, "operation", op.ID)
		return outcome.Version
	}
	return rec.Version
}

// storeOnce replaces the intent of the operation by its outcome, even if others changed or
// deleted the Secret: only this process knows the outcome. If another controller has recovered the
// intent, it keeps the recovered outcome.
func (o *operation) storeOnce(op *instance.Operation, rec store.Record) (store.Record, error) {
	// Not the operation's context: the answer has to be stored even after its deadline.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(o.Scheduler.ctx), storeTimeout)
	defer cancel()
	out, err := o.store(ctx, &o.r, rec)
	if !errors.Is(err, store.ErrConflict) {
		return out, err
	}
	stored, loadErr := o.o.Store.Load(ctx, o.r.Key, o.r.Type.Schema)
	switch {
	case errors.Is(loadErr, store.ErrNotFound) && !o.mayExist(ctx, o.r.Key, o.r.UID):
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
	case o.same(stored, rec):
		return stored, nil // an earlier attempt succeeded, though it returned an error
	default:
		return rec, err
	}
	return o.store(ctx, &o.r, rec)
}

func (o *operation) same(a, b store.Record) bool {
	x, err := instance.Encode(a.Instance, o.r.Type.Schema)
	if err != nil {
		return false
	}
	y, err := instance.Encode(b.Instance, o.r.Type.Schema)
	return err == nil && bytes.Equal(x, y)
}

// concluded returns the instance after the provider has answered. If a create follows an
// interrupted one and makes nothing, the outcome of the interrupted one stays unknown: the create
// may have been refused because of an object that the interrupted one made.
func concluded(in, out instance.Instance, diags diagnostic.Diagnostics, doubt *instance.Operation) instance.Instance {
	op := in.Operation
	if len(op.Journal) > 0 && terraform.OutcomeUnknown(diags) {
		return in // the rest has to be recovered
	}
	in.Operation = nil
	if op.Kind == instance.Delete && op.Deposed != "" {
		return in.WithDeposed(op.Deposed, out)
	}
	out.Operation, out.Deposed = nil, in.Deposed
	if op.Kind == instance.Create && !out.Exists() {
		if out.Operation = doubt; terraform.OutcomeUnknown(diags) {
			out.Operation = op
		}
		if out.Operation != nil {
			return out
		}
	}
	return out.FallBack(op.Deposed)
}
