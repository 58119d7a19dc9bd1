package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-logr/logr"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/utils/clock"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// ErrSuccessor is the error of a process without the lease, whose memory may be outdated.
var ErrSuccessor = errors.New("another controller may have taken over")

// Writer stores what becomes of one operation.
type Writer struct {
	Store  store.Store
	Key    store.Key
	Schema *schema.Resource
	Logger logr.Logger
	Clock  clock.WithDelayedExecution
	// Running ends when the process has to end.
	Running context.Context
	// RetryEvery is the time between attempts to store what the store does not accept.
	RetryEvery time.Duration
	// Save stores a record, and returns it as it is stored.
	Save func(context.Context, store.Record) (store.Record, error)
	// Leads reports whether certainly no other process has taken over.
	Leads func() bool
	// MayExist reports whether the resource exists, or may exist as far as is known.
	MayExist func(context.Context) bool
	// Unrecorded is called when the outcome cannot be stored. release ends the attempts.
	Unrecorded func(op *instance.Operation, release func(), err error)
}

// storeTimeout bounds a write of the store, which may take many requests. Each request has its own
// bound.
const storeTimeout = 10 * time.Minute

// Outcome stores the outcome over an intent, and tries again until it succeeds or the process ends.
// Until then the intent stands, and the operation is reported as running. An outcome that the store
// does not accept is kept in memory, reported, and tried again seldom.
func (w *Writer) Outcome(intent instance.Instance, rec store.Record) (store.Record, error) {
	op, wait, reported := intent.Operation, 50*time.Millisecond, false
	wanted, release := context.WithCancel(w.Running)
	defer release()
	for last := false; ; {
		out, err := w.once(op, rec)
		if err == nil || errors.Is(err, store.ErrConflict) {
			return out, err
		}
		if last {
			return rec, fmt.Errorf("the controller is stopping: %w", err)
		}
		w.Logger.Error(err, "Cannot record the outcome of an operation, trying again", "resource", w.Key, "operation", op.ID, "kind", op.Kind)
		next := wait
		if wait = min(2*wait, 10*time.Second); store.Permanent(err) {
			next = w.RetryEvery
			if !reported {
				rec.Version, reported = w.made(intent, rec), true
				w.Unrecorded(op, release, err)
			}
		}
		select {
		case <-wanted.Done():
			if last = w.Running.Err() != nil; !last {
				return rec, err // the resource is released
			}
		case <-w.Clock.After(next):
		}
	}
}

// made adds to the intent of a create that it has made an object, if the outcome itself
// cannot be stored: a successor imports the object, and neither takes it for incomplete nor creates
// another one. It returns the version of the record.
func (w *Writer) made(intent instance.Instance, outcome store.Record) string {
	op := *intent.Operation
	if op.Kind != instance.Create || !outcome.Instance.Exists() || len(op.Journal) > 0 {
		return outcome.Version
	}
	op.PlannedState, op.PlannedPrivate, op.PlannedIdentity = cty.NilVal, nil, outcome.Instance.Identity
	op.Mapped = false
	op.Made, op.MadeID = outcome.Instance.Status, ownership.StateID(outcome.Instance.State)
	rec := outcome
	rec.Instance = intent
	rec.Instance.Operation = &op
	rec, err := w.once(&op, rec)
	if err != nil {
		w.Logger.Error(err, "Cannot record that a create has made an object", "resource", w.Key, "operation", op.ID)
		return outcome.Version
	}
	return rec.Version
}

// once replaces the intent of the operation by its outcome, even if others changed or
// deleted the Secret: only this process knows the outcome. If another controller has recovered the
// intent, it keeps the recovered outcome.
func (w *Writer) once(op *instance.Operation, rec store.Record) (store.Record, error) {
	// Not the operation's context: the answer has to be stored even after its deadline.
	ctx, cancel := context.WithTimeout(store.Concluding(context.WithoutCancel(w.Running)), storeTimeout)
	defer cancel()
	out, err := w.Save(ctx, rec)
	if !errors.Is(err, store.ErrConflict) {
		return out, err
	}
	stored, loadErr := w.Store.Load(ctx, w.Key, w.Schema)
	switch {
	case errors.Is(loadErr, store.ErrNotFound) && !w.MayExist(ctx):
		return rec, nil // the resource was released meanwhile
	case errors.Is(loadErr, store.ErrNotFound):
		rec.Version = ""
	case loadErr != nil:
		return rec, loadErr
	case stored.Instance.Operation != nil && stored.Instance.Operation.ID == op.ID:
		rec.Version = stored.Version
		// Another controller may have handled requests since. An outcome only adds whether it was
		// interrupted, and whether it has completed a change.
		handled := stored.Handled
		handled.Interrupt, handled.Held = rec.Handled.Interrupt, rec.Handled.Held
		handled.Round, handled.RoundEnded = rec.Handled.Round, rec.Handled.RoundEnded
		rec.Handled = handled
	case w.same(stored, rec):
		return stored, nil // an earlier attempt succeeded, though it returned an error
	default:
		return rec, err
	}
	return w.Save(ctx, rec)
}

func (w *Writer) same(a, b store.Record) bool {
	x, err := instance.Encode(a.Instance, w.Schema)
	if err != nil {
		return false
	}
	y, err := instance.Encode(b.Instance, w.Schema)
	return err == nil && bytes.Equal(x, y)
}

// Recorder returns the function that stores the journal of an operation of several changes,
// together with its intent in rec. Like the intent it is fenced: if another process has written, or
// may have taken over, nothing is stored.
func (w *Writer) Recorder(ctx context.Context, rec *store.Record) func([]byte) error {
	return func(journal []byte) error {
		if !w.Leads() {
			return ErrSuccessor
		}
		next := *rec
		op := *rec.Instance.Operation
		op.Journal = journal
		next.Instance.Operation = &op
		// Not the operation's context: answers may come after its deadline.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
		defer cancel()
		stored, err := w.Save(ctx, next)
		if err != nil {
			rec.Instance = next.Instance // stored with the next journal, or with the outcome
			return err
		}
		*rec = stored
		return nil
	}
}
