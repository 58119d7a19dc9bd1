package scheduler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/landbridge-io/landbridge/diagnostic"
	"github.com/landbridge-io/landbridge/instance"
	"github.com/landbridge-io/landbridge/scheduler/store"
	"github.com/landbridge-io/landbridge/terraform"
)

// start begins an operation in the background. The plan of a Delete is made there. The
// entry's lock is held by the caller.
func (s *Scheduler) start(e *entry, r Request, kind instance.OperationKind, p *terraform.Plan) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return &Error{Reason: ReasonProviderUnavailable, Err: errors.New("the controller is stopping; the operation is left to its successor")}
	}
	timeout := r.Timeout
	if timeout == 0 {
		timeout = s.o.OperationTimeout
	}
	now := s.o.Clock.Now()
	op := &instance.Operation{
		ID: string(uuid.NewUUID()), Kind: kind, Generation: r.Generation,
		StartedAt: now, Deadline: now.Add(timeout),
	}
	limit, ok := s.limits[r.ProviderConfiguration]
	if !ok {
		limit = semaphore.NewWeighted(s.o.OperationsPerConfiguration)
		s.limits[r.ProviderConfiguration] = limit
	}
	e.running = op
	e.observation, e.configHash = &Observation{Instance: e.record.Instance, Operation: op, Last: e.last}, ""
	rec := e.record
	s.count.Add(1)
	s.running.Go(func() {
		ctx, cancel := context.WithTimeout(s.ctx, timeout)
		defer cancel()
		long := s.o.Clock.AfterFunc(s.o.LongOperation, func() { s.o.Wake(r.Key) })
		defer long.Stop()
		s.end(e, r, op, s.run(ctx, rec, r, op, p, limit))
	})
	return nil
}

// result is what an operation leaves behind.
type result struct {
	// record is what the store holds; nil when that is not known.
	record *store.Record
	diags  diagnostic.Diagnostics
	// undispatched says that the provider was never asked, whatever the store holds.
	undispatched bool
}

// run is the journal protocol: intent, dispatch, conclude.
func (s *Scheduler) run(ctx context.Context, rec store.Record, r Request, op *instance.Operation, p *terraform.Plan, limit *semaphore.Weighted) result {
	notStarted := func(record *store.Record, diags diagnostic.Diagnostics) result {
		return result{record: record, diags: diags, undispatched: true}
	}
	if err := limit.Acquire(ctx, 1); err != nil {
		return notStarted(&rec, diagnostic.Errorf("Operation not started", "The operation waited too long for others of the same provider configuration: %s.", err))
	}
	defer limit.Release(1)
	ex, release, diags := r.Acquire(ctx)
	if diags.HasErrors() {
		return notStarted(&rec, diags)
	}
	defer release()

	if p == nil {
		destroy, d := ex.PlanDestroy(ctx, r.Resource, rec.Instance)
		if d.HasErrors() {
			return notStarted(&rec, d)
		}
		p = &destroy
	}
	if s.isStopping() {
		return notStarted(&rec, diagnostic.Errorf("Operation not started", "The controller is stopping; the operation is left to its successor."))
	}

	// Intent.
	intent := rec
	intent.Owner = r.UID
	intent.Instance.Operation = &instance.Operation{
		ID: op.ID, Kind: op.Kind, Generation: op.Generation, StartedAt: op.StartedAt, Deadline: op.Deadline,
		PlannedState: p.State, PlannedPrivate: p.Private, PlannedIdentity: p.Identity,
	}
	rec, err := s.o.Store.Save(ctx, r.Key, r.Resource.Schema, intent)
	if err != nil {
		return notStarted(nil, diagnostic.Errorf("Operation not started", "Its intent could not be recorded: %s.", err))
	}

	// Dispatch.
	out, diags := ex.Apply(ctx, *p)
	out.Operation = nil
	if op.Kind == instance.Create && !out.Exists() && terraform.OutcomeUnknown(diags) {
		out.Operation = intent.Instance.Operation
	}

	// Conclude.
	rec.Instance = out
	if rec, err = s.conclude(r, op, rec); err != nil {
		return result{diags: append(diags, diagnostic.Errorf("Outcome not recorded", "The operation ended, but its outcome could not be recorded: %s.", err)...)}
	}
	return result{record: &rec, diags: diags}
}

// conclude stores the outcome, and does not give up for as long as this process lives: as
// long as it has not succeeded, the intent stands and nobody is told otherwise.
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

// concludeOnce stores the outcome over the intent of the same operation, even if that was
// touched or deleted by somebody meanwhile: nobody else knows the outcome. What another
// controller has made of the intent is left alone.
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
		return stored, nil // an earlier attempt did succeed, though it was answered with an error
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

func (s *Scheduler) end(e *entry, r Request, op *instance.Operation, res result) {
	e.mu.Lock()
	if res.record != nil {
		e.record = *res.record
	} else {
		e.loaded, e.conflicted = false, true
	}
	if res.undispatched {
		e.undispatched = op.ID
	}
	e.running, e.observation, e.configHash = nil, nil, ""
	e.last = &Outcome{Kind: op.Kind, At: s.o.Clock.Now(), Diagnostics: res.diags}
	if e.applied = op.Kind != instance.Delete && res.record != nil && !res.diags.HasErrors(); e.applied {
		e.observation = &Observation{Instance: e.record.Instance, Plan: &upToDate, Last: e.last, Warnings: res.diags.Warnings()}
		e.configHash = r.ConfigHash
	}
	switch {
	case res.diags.HasErrors():
		if e.failedHash != r.ConfigHash {
			e.failures = 0
		}
		e.failedHash = r.ConfigHash
		wait := s.o.MaxBackoff
		if e.failures < 16 {
			wait = min(s.o.MinBackoff<<e.failures, s.o.MaxBackoff)
		}
		e.failures++
		e.last.RetryAt = e.last.At.Add(wait)
	case op.Kind != instance.Delete:
		// A delete may be but half of a replacement, whose create fails again and again.
		e.failures = 0
	}
	e.mu.Unlock()
	s.count.Add(-1)
	s.o.Wake(r.Key)
}
