package scheduler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// task is what an operation is to do.
type task struct {
	kind instance.OperationKind
	// plan of a Create or Update. Deletes, and creates for which an object makes way, are
	// planned when they begin.
	plan *terraform.Plan
	// deposed is the key of the deposed object to destroy, or of the current one as soon as it
	// has made way for the one to create.
	deposed string
	// replacement says that the operation is half of one.
	replacement bool
	// mayAppear says whether a deposed object that is not found may be under way.
	mayAppear func(instance.Instance) bool
	// process is what fault points call it.
	process faultpoint.Process
}

// processOf is what fault points call an operation. again says that an object was destroyed for it.
func processOf(t task, again bool) faultpoint.Process {
	switch {
	case t.kind == instance.Update:
		return faultpoint.Update
	case t.kind == instance.Create && t.deposed != "":
		return faultpoint.CreateFirst
	case t.kind == instance.Create && again:
		return faultpoint.Recreate
	case t.kind == instance.Create:
		return faultpoint.Create
	case t.deposed != "":
		return faultpoint.DestroyDeposed
	case t.replacement:
		return faultpoint.Destroy
	default:
		return faultpoint.Delete
	}
}

// start begins an operation in the background. The entry's lock is held by the caller.
func (s *Scheduler) start(e *entry, r Request, t task) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return &Error{Reason: ReasonProviderUnavailable, Err: errors.New("the controller is stopping; the operation is left to its successor")}
	}
	if rival, ok := e.claimant.Begin(); !ok {
		return identityConflict(rival)
	}
	op := &instance.Operation{
		ID: string(uuid.NewUUID()), Kind: t.kind, Deposed: t.deposed, Generation: r.Generation, StartedAt: s.o.Clock.Now(),
	}
	limit, ok := s.limits[r.ProviderConfiguration]
	if !ok {
		limit = semaphore.NewWeighted(s.o.OperationsPerConfiguration)
		s.limits[r.ProviderConfiguration] = limit
	}
	e.run(op)
	e.begun = op.ID
	rec := e.record
	t.process = processOf(t, e.replacing)
	s.count.Add(1)
	s.running.Go(func() {
		long := s.o.Clock.AfterFunc(s.o.LongOperation, func() { s.o.Wake(r.Key) })
		defer long.Stop()
		s.end(e, r, t, s.run(e, rec, r, op, t, limit))
	})
	return nil
}

// run makes an operation the one that is observed.
func (e *entry) run(op *instance.Operation) {
	e.running = op
	e.observation, e.configHash = &Observation{Instance: e.record.Instance, Operation: op, Last: e.last}, ""
}

// result is what an operation leaves behind.
type result struct {
	op *instance.Operation
	// record is what the store holds; nil when that is not known.
	record *store.Record
	diags  diagnostic.Diagnostics
	// undispatched says that the provider was never asked, whatever the store holds.
	undispatched bool
	// planned is the identity of what was to be made, as far as it was known; met is an object
	// that was there already.
	planned cty.Value
	met     instance.Instance
}

// run is the journal protocol: intent, dispatch, conclude.
func (s *Scheduler) run(e *entry, rec store.Record, r Request, op *instance.Operation, t task, limit *semaphore.Weighted) result {
	notStarted := func(record *store.Record, diags diagnostic.Diagnostics) result {
		return result{op: op, record: record, diags: diags, undispatched: true}
	}
	waiting, cancel := context.WithTimeout(s.ctx, s.o.OperationTimeout)
	defer cancel()
	if err := limit.Acquire(waiting, 1); err != nil {
		return notStarted(&rec, diagnostic.Errorf("Operation not started", "The operation waited too long for others of the same provider configuration: %s.", err))
	}
	defer limit.Release(1)
	op, timeout := s.begin(e, r, op, t, rec.Instance)
	ctx, cancel := context.WithTimeout(s.ctx, timeout)
	defer cancel()
	ex, release, diags := r.Acquire(ctx)
	if diags.HasErrors() {
		return notStarted(&rec, diags)
	}
	defer release()

	intent := rec
	intent.Owner = r.UID
	in, p, diags := prepare(ctx, ex, r, rec.Instance, t)
	if diags.HasErrors() {
		return notStarted(&rec, diags)
	}
	if s.isStopping() {
		return notStarted(&rec, diagnostic.Errorf("Operation not started", "The controller is stopping; the operation is left to its successor."))
	}
	doubt := rec.Instance.Operation
	met, absent := look(ctx, ex, r, in, op.Kind, p)
	if met.Exists() && doubt != nil {
		return notStarted(&rec, diagnostic.Errorf("Operation not started", "The object of an earlier create, which was interrupted, has appeared."))
	}
	if met.Exists() {
		return result{op: op, record: &rec, undispatched: true, met: met, planned: plannedIdentity(r, p.Identity, p.State)}
	}

	// Intent.
	intended := *op
	intended.Absent = absent
	intended.PlannedState, intended.PlannedPrivate, intended.PlannedIdentity = p.State, p.Private, p.Identity
	in.Operation = &intended
	intent.Instance = in
	faultpoint.Reach(t.process, faultpoint.BeforeIntent)
	if !s.o.Leads() {
		return notStarted(nil, diagnostic.Errorf("Operation not started", "Its intent could not be recorded: %s.", errSuccessor))
	}
	rec, err := s.o.Store.Save(ctx, r.Key, r.Resource.Schema, intent)
	if err != nil {
		return notStarted(nil, diagnostic.Errorf("Operation not started", "Its intent could not be recorded: %s.", err))
	}

	// Dispatch.
	faultpoint.Reach(t.process, faultpoint.BeforeDispatch)
	if !s.o.Leads() {
		return notStarted(nil, diagnostic.Errorf("Operation not started", "Too much time has passed since its intent was recorded: another controller may have found it by now."))
	}
	out, diags := p.Prior, diagnostic.Diagnostics(nil)
	if p.Action != terraform.NoOp {
		answered := faultpoint.During(t.process, faultpoint.InFlight)
		if j, ok := ex.(terraform.Journaled); ok {
			out, diags = j.ApplyJournaled(s.progress(ctx, e, r, op, p), p, s.recorder(ctx, r, &rec))
			in.Operation = rec.Instance.Operation
		} else {
			out, diags = ex.Apply(s.progress(ctx, e, r, op, p), p)
		}
		answered()
	}
	if diags.HasErrors() && !s.o.Clock.Now().Before(op.Deadline) {
		diags = append(diags, timedOut(op.Kind, timeout)...)
	}

	if op.Kind == instance.Update {
		out = out.AfterIdentity(p.Prior, s.o.Clock.Now())
	}

	// Conclude.
	faultpoint.Reach(t.process, faultpoint.BeforeConclude)
	rec.Instance = concluded(in, out, diags, doubt)
	if rec, err = s.conclude(r, op, rec); err != nil {
		return result{op: op, diags: append(diags, diagnostic.Errorf("Outcome not recorded", "The operation ended, but its outcome could not be recorded: %s.", err)...)}
	}
	faultpoint.Reach(t.process, faultpoint.BeforeTold)
	return result{op: op, record: &rec, diags: diags, planned: plannedIdentity(r, p.Identity, p.State)}
}

// begin is called when it is the operation's turn: its time counts from now.
func (s *Scheduler) begin(e *entry, r Request, queued *instance.Operation, t task, in instance.Instance) (*instance.Operation, time.Duration) {
	state, private := in.State, in.Private
	if i := in.DeposedIndex(t.deposed); t.kind == instance.Delete && i >= 0 {
		state, private = in.Deposed[i].State, in.Deposed[i].Private
	}
	if t.plan != nil {
		state, private = t.plan.State, t.plan.Private
	}
	timeout := s.timeout(r, t.kind, state, private)
	op := *queued
	op.StartedAt = s.o.Clock.Now()
	op.Deadline = op.StartedAt.Add(timeout)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.run(&op)
	return &op, timeout
}

// prepare is what is to be stored while the operation goes on, and the plan to carry out.
func prepare(ctx context.Context, ex terraform.Executor, r Request, in instance.Instance, t task) (instance.Instance, terraform.Plan, diagnostic.Diagnostics) {
	switch {
	case t.kind == instance.Delete && t.deposed == "":
		p, diags := ex.PlanDestroy(ctx, r.Resource, in)
		return in, p, diags
	case t.kind == instance.Delete:
		i := in.DeposedIndex(t.deposed)
		if i < 0 {
			return in, terraform.Plan{}, diagnostic.Errorf("Operation not started", "There is no deposed object %s.", t.deposed)
		}
		// It may be gone, or of another version of its schema.
		before := in.Deposed[i].Instance()
		refreshed, diags := ex.Refresh(ctx, r.Resource, before)
		if diags.HasErrors() {
			return in, terraform.Plan{}, diags
		}
		if !refreshed.Instance.Exists() && t.mayAppear(before) {
			refreshed.Instance = before
		}
		if !refreshed.Instance.Exists() {
			return in, terraform.Plan{Resource: r.Resource, Action: terraform.NoOp, Prior: refreshed.Instance}, nil
		}
		p, diags := ex.PlanDestroy(ctx, r.Resource, refreshed.Instance)
		return in.WithDeposed(t.deposed, refreshed.Instance), p, diags
	case t.deposed != "":
		in = in.SetAside(t.deposed)
		config := *r.Config
		config.Validated = true
		p, diags := ex.Plan(ctx, r.Resource, in, config)
		return in, p, diags
	default:
		return in, *t.plan, nil
	}
}

// concluded is what is left when the provider has answered to the operation of an instance. A create
// that made nothing, and followed an interrupted one, leaves that one as unknown as it was: it may
// have been refused for what that one made.
func concluded(in, out instance.Instance, diags diagnostic.Diagnostics, doubt *instance.Operation) instance.Instance {
	op := in.Operation
	if len(op.Journal) > 0 && terraform.OutcomeUnknown(diags) {
		return in // what there is besides is to be recovered
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

func (s *Scheduler) end(e *entry, r Request, t task, res result) {
	op := res.op
	e.mu.Lock()
	prior := e.record.Instance
	if res.record != nil {
		e.record = *res.record
	} else {
		e.loaded, e.conflicted = false, true
	}
	if res.undispatched {
		e.undispatched = op.ID
	}
	e.running, e.observation, e.configHash = nil, nil, ""
	if op.Kind == instance.Delete && !res.diags.HasErrors() {
		delete(e.missing, op.Deposed)
	}
	if op.Kind == instance.Create && e.record.Instance.Exists() {
		e.complete(identityKey(r, instance.Instance{Identity: res.planned}), identityKey(r, e.record.Instance))
	}
	if res.record != nil && (e.record.Instance.Exists() || e.record.Instance.Operation != nil) {
		s.claim(e, r, e.record.Instance) // else it keeps what it claims, until the next plan
	}
	s.wake(e.claimant.End())
	why := failed(ReasonOperationFailed, res.diags)
	if res.met.Exists() {
		why = s.meets(e, r, res.met, res.planned)
	}
	res.diags = append(res.diags.Warnings(), why.Diagnostics...)
	e.last = &Outcome{Kind: op.Kind, At: s.o.Clock.Now(), Diagnostics: res.diags}
	if e.applied = op.Kind != instance.Delete && res.record != nil && !res.diags.HasErrors(); e.applied {
		e.observation = &Observation{Instance: e.record.Instance, Plan: &upToDate, Last: e.last, Warnings: res.diags.Warnings()}
		e.configHash = r.ConfigHash
	}
	f := &e.failed
	if op.Kind == instance.Delete && op.Deposed != "" {
		f = &e.deposedFailed
	}
	switch {
	case res.diags.HasErrors():
		if f.hash != r.ConfigHash {
			f.count = 0
		}
		wait := s.o.MaxBackoff
		if f.count < 16 {
			wait = min(s.o.MinBackoff<<f.count, s.o.MaxBackoff)
		}
		if _, throttled := provider.Throttled(res.diags); throttled {
			// It is the pool's to say when it goes on, for all alike: it was not for this operation.
			wait, f.count = s.o.MinBackoff, f.count-1
		}
		*f = failure{count: f.count + 1, hash: r.ConfigHash, retryAt: e.last.At.Add(wait), reason: why.Reason, diags: why.Diagnostics}
		e.last.RetryAt = f.retryAt
	case t.replacement && op.Deposed == "":
		// The delete is but half of a replacement, whose create may fail again and again.
		f.retryAt = time.Time{}
	default:
		*f = failure{}
	}
	events := ended(t, res, e.replacing)
	if op.Kind == instance.Update && instance.IdentityChanged(prior, e.record.Instance) {
		events = append(events, Event{Kind: IdentityChanged, From: prior.Identity, To: e.record.Instance.Identity})
	}
	e.replacing = t.replacement && op.Kind == instance.Delete && op.Deposed == ""
	e.mu.Unlock()
	for _, event := range events {
		r.tell(event)
	}
	s.count.Add(-1)
	s.o.Wake(r.Key)
}

// ended is what is to be told of an operation's end.
func ended(t task, res result, replacing bool) []Event {
	op := res.op
	event := Event{
		Kind: Succeeded, Operation: op.Kind, Deposed: op.Deposed, Took: time.Since(op.StartedAt),
		Replacement: t.replacement || replacing && op.Kind == instance.Create, Diagnostics: res.diags.Errors(),
	}
	if res.diags.HasErrors() {
		event.Kind = Failed
	}
	if res.record != nil {
		event.Instance = res.record.Instance
	}
	events := []Event{event}
	if op.Kind == instance.Create && res.record != nil && res.record.Instance.Status == instance.Tainted {
		events = append(events, Event{Kind: Tainted})
	}
	return events
}
