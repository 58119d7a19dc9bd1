package scheduler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// conclude stores the outcome, and tries again until it succeeds or the process ends. Until then the
// intent stands, and the operation is reported as running.
func (s *Scheduler) conclude(r Request, op *instance.Operation, rec store.Record) (store.Record, error) {
	wait := 50 * time.Millisecond
	for last := false; ; {
		out, err := s.concludeOnce(r, op, rec)
		if err == nil || errors.Is(err, store.ErrConflict) {
			return out, err
		}
		if last {
			return rec, fmt.Errorf("the controller is stopping: %w", err)
		}
		s.o.Logger.Error(err, "Cannot record the outcome of an operation, trying again", "resource", r.Key, "operation", op.ID, "kind", op.Kind)
		select {
		case <-s.ctx.Done():
			last = true
		case <-s.o.Clock.After(wait):
			wait = min(2*wait, 10*time.Second)
		}
	}
}

// concludeOnce replaces the intent of the operation by its outcome, even if others changed or deleted the
// Secret: only this process knows the outcome. If another controller has recovered the intent, it keeps
// the recovered outcome.
func (s *Scheduler) concludeOnce(r Request, op *instance.Operation, rec store.Record) (store.Record, error) {
	// Not the operation's context: the answer has to be stored even after its deadline.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), 30*time.Second)
	defer cancel()
	out, err := s.o.Store.Save(ctx, r.Key, r.Resource.Schema, rec)
	if !errors.Is(err, store.ErrConflict) {
		return out, err
	}
	stored, loadErr := s.o.Store.Load(ctx, r.Key, r.Resource.Schema)
	switch {
	case errors.Is(loadErr, store.ErrNotFound):
		rec.Version = ""
	case loadErr != nil:
		return rec, loadErr
	case stored.Instance.Operation != nil && stored.Instance.Operation.ID == op.ID:
		rec.Version = stored.Version
	case s.same(r, stored, rec):
		return stored, nil // an earlier attempt succeeded, though it returned an error
	default:
		return rec, err
	}
	return s.o.Store.Save(ctx, r.Key, r.Resource.Schema, rec)
}

func (s *Scheduler) same(r Request, a, b store.Record) bool {
	x, err := instance.Encode(a.Instance, r.Resource.Schema)
	if err != nil {
		return false
	}
	y, err := instance.Encode(b.Instance, r.Resource.Schema)
	return err == nil && bytes.Equal(x, y)
}
