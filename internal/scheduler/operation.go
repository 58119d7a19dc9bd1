package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/slots"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/tracing"
)

// task is the input of an operation.
type task struct {
	kind instance.OperationKind
	// plan of a Create or Update. Deletes, and creates that depose the current object, are planned
	// when they begin.
	plan *terraform.Plan
	// deposed is the key of the deposed object to destroy, or the one that the current object gets
	// when it is deposed by a Create.
	deposed string
	// replacement is set when the operation is one half of a replacement.
	replacement bool
	// drift is what the operation repairs; nil if there is none. keepsDrift is set when the drift
	// stays.
	drift      *instance.Drift
	keepsDrift bool
	// reapply is the token of the request to set arguments again that the operation carries out;
	// empty if there is none.
	reapply string
	// counts is what the record counts when the operation on the current object has succeeded; nil
	// for nothing.
	counts *instance.Unsettled
	// config identifies the configuration, and the provider's release.
	config string
	// changed are the addresses of the objects of a module that an apply has changed, though others
	// have failed, and left is what it has left of all.
	changed []string
	left    map[string]map[string]string
	// approval is the one that the operation uses; nil if it needs none.
	approval *approval
	// decided is the plan that policies have decided about; nil if they need not decide.
	decided *terraform.Plan
	// notFound notes that the deposed object was not found, and returns what that means.
	notFound func(instance.Instance) meaning
	// destroyed is the object that was destroyed before the operation; nil if there is none.
	destroyed *destroyed
	// braked is set if the operation destroys something, and was reserved.
	braked bool
	// unseen is set for a Delete of an object that no read has found since its create.
	unseen bool
	// process is the operation's name at fault points.
	process faultpoint.Process
	// progress has the provider's messages about the operation.
	progress *progress
	// interruption ends the operation early.
	interruption *interruption
}

// because returns by whose wish the operation is carried out.
func (t *task) because(r Request) string {
	var out string
	switch {
	case t.deposed != "" && t.kind == instance.Delete:
		out = "its replacement exists"
	case t.plan != nil && t.plan.Reason == terraform.ReplaceBecauseTainted:
		out = "the object is tainted"
	case r.Deleted:
		out = "the resource is deleted"
	case t.reapply != "":
		out = "reapply was requested"
	case t.drift != nil && !t.keepsDrift:
		out = "the object was changed outside of the resource"
	default:
		out = fmt.Sprintf("spec, generation %d", r.Generation)
	}
	if a := t.approval; a != nil && a.by != "" {
		out += ", approved by " + a.by
	}
	return out
}

// processOf returns the name of an operation at fault points. again is set when an object was
// destroyed for it.
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

// completes reports whether nothing is left to do after the operation, if it ends with the
// diagnostics.
func (t *task) completes(diags diagnostic.Diagnostics) bool {
	return !diags.HasErrors() && !t.replacement
}

// start begins an operation in the background.
func (s *Scheduler) start(e *entry, r Request, t task) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return &Error{Reason: ReasonProviderUnavailable, Err: errors.New("the controller is stopping; the operation is left to its successor")}
	}
	if !s.entries.begin(e) {
		return &Error{Reason: ReasonStore, Err: errors.New("the resource changed since it was observed")}
	}
	if rival, ok := e.claimant.Begin(); !ok {
		s.entries.end(e)
		return identityConflict(r, rival)
	}
	op := &instance.Operation{
		ID: string(uuid.NewUUID()), Kind: t.kind, Deposed: t.deposed, Generation: r.Generation, StartedAt: s.o.Clock.Now(),
	}
	t.destroyed = e.destroyed
	t.process = processOf(t, e.ended == faultpoint.Destroy)
	t.progress, t.interruption = &progress{}, newInterruption()
	e.begun = op.ID
	e.interruption = t.interruption
	e.unhold()
	e.show(op, t.progress)
	rec, limit := e.record, s.limits.use(r.ProviderConfiguration)
	s.count.Add(1)
	s.running.Go(func() {
		because := t.because(r)
		long := s.o.Clock.AfterFunc(s.o.LongOperation, func() {
			s.o.Logger.Info(string(op.Kind)+" is running", "object", r.Key.Kind+"."+r.Key.Group, "namespace", r.Key.Namespace, "name", r.Key.Name,
				"type", r.Resource.Schema.Type, "operation", op.ID, "began", op.StartedAt.UTC().Format(time.RFC3339Nano), "because", because)
			s.o.Wake(r.Key)
		})
		defer long.Stop()
		defer t.interruption.interrupt() // releases its context
		ctx, span := tracing.Child(tracing.With(context.Background(), r.origin), string(op.Kind))
		r.origin = tracing.OriginOf(ctx)
		res := s.run(e, rec, r, op, t, limit)
		span.End(res.diags.HasErrors())
		s.end(e, r, t, res)
	})
	return nil
}

// show makes an operation the view.
func (e *entry) show(op *instance.Operation, p *progress) {
	e.view = view{state: running, observation: &Observation{Instance: e.record.Instance, Operation: op, Last: e.last, Drift: e.drifts.found}, progress: p}
}

// result is the outcome of an operation.
type result struct {
	op *instance.Operation
	// record is the stored record; nil if it is unknown.
	record *store.Record
	diags  diagnostic.Diagnostics
	// undispatched is set when the provider was never called, even if the intent is stored.
	undispatched bool
	// doubt is the interrupted create that the operation began after; nil if there was none.
	doubt *instance.Operation
	// planned is the identity of the object to create, if it was known. met is an object that
	// already existed.
	planned      cty.Value
	plannedState cty.Value
	met          instance.Instance
	// handle is the one that met was found by.
	handle handle
	// changed and left are those of the task.
	changed []string
	left    map[string]map[string]string
	// reason of a failure. Defaults to ReasonOperationFailed.
	reason Reason
}

// run is the journal protocol: intent, dispatch, conclude.
func (s *Scheduler) run(e *entry, rec store.Record, r Request, op *instance.Operation, t task, limit *limit) result {
	doubt := rec.Instance.Operation
	notStarted := func(record *store.Record, diags diagnostic.Diagnostics) result {
		return result{op: op, record: record, diags: t.interruption.blame(diags), undispatched: true, doubt: doubt}
	}
	traced := tracing.With(slots.WithOwner(s.ctx, r.Key.Namespace), r.origin)
	early, cancel := t.interruption.before(traced)
	defer cancel()
	waiting, cancel := context.WithTimeout(early, s.o.OperationTimeout)
	defer cancel()
	giveBack, err := limit.Acquire(waiting)
	if err != nil {
		return notStarted(&rec, diagnostic.Errorf("Operation not started", "The operation waited too long for others of the same provider configuration: %s.", err))
	}
	defer giveBack()
	op, timeout := s.begin(e, r, op, t, rec.Instance)
	ctx, cancel := context.WithTimeout(provider.WithInterrupt(provider.WithFence(traced, s.fence), t.interruption.ctx), timeout)
	defer cancel()
	t.interruption.dispatches(cancel)
	early, done := t.interruption.before(ctx)
	defer done()
	ex, release, diags := r.Acquire(early)
	if diags.HasErrors() {
		return notStarted(&rec, diags)
	}
	defer release()

	intent := rec
	intent.Owner = r.UID
	intent.Account = cmp.Or(r.StoredAccount, rec.Account)
	in, p, diags := prepare(early, ex, r, rec.Instance, &t)
	if diags.HasErrors() {
		return notStarted(&rec, diags)
	}
	if !t.approval.permits(s, &r, &t, &p) {
		return notStarted(&rec, diagnostic.Errorf("Operation not started", "The plan of the new object is not the approved one any more. It is planned again."))
	}
	if diags := s.stillPermitted(early, &r, &t, rec.Instance, p); diags.HasErrors() {
		return notStarted(&rec, diags)
	}
	if why := r.stopped(); why != "" {
		return notStarted(&rec, diagnostic.Errorf("Operation not started", "%s", why))
	}
	if s.isStopping() {
		return notStarted(&rec, diagnostic.Errorf("Operation not started", "The controller is stopping; the operation is left to its successor."))
	}
	if doubt != nil && interruptedKey(r, doubt) == "" && expired(r, doubt, s.o.Clock.Now()) {
		return notStarted(&rec, diagnostic.Errorf("Operation not started", "The create token of an earlier create, which was interrupted, is not valid any more."))
	}
	h, met, absent := look(early, ex, r, in, op.Kind, p)
	if met.Exists() && doubt != nil {
		return notStarted(&rec, diagnostic.Errorf("Operation not started", "The object of an earlier create, which was interrupted, has appeared."))
	}
	if met.Exists() && t.destroyed.shows(met, s.o.Clock.Now(), s.gracePeriod(&r)) {
		return notStarted(&rec, diagnostic.Errorf("Operation not started", "The object that was destroyed for it is still shown by its API. It is tried again."))
	}
	if met.Exists() {
		return result{op: op, record: &rec, undispatched: true, met: met, handle: h}
	}

	if refused := s.refuseUnchecked(early, e, r, op, h, absent); refused != nil {
		res := notStarted(&rec, refused.Diagnostics)
		res.reason = refused.Reason
		return res
	}

	if t.interruption.asked() != "" {
		return notStarted(&rec, diagnostic.Errorf("Operation not started", "The provider was not asked for a change."))
	}

	// Intent.
	intended := *op
	intended.Absent = absent
	in.Drift, in.DriftHistory, in.Unsettled = rec.Instance.Drift, rec.Instance.DriftHistory, rec.Instance.Unsettled
	intended.PlannedState, intended.PlannedPrivate, intended.PlannedIdentity = p.State, p.Private, p.Identity
	if op.Kind == instance.Create {
		h.note(&intended)
		s.noteToken(r, p, doubt, &intended)
		intended.Listed = snapshot(early, ex, r, p)
	}
	in.Operation = &intended
	intent.Instance = in
	t.approval.use(&intent.Handled, s.o.Clock.Now())
	if t.reapply != "" {
		intent.Handled.Reapply = t.reapply
	}
	p.Exact = t.approval != nil && !t.approval.unasked
	faultpoint.Reach(t.process, faultpoint.BeforeIntent)
	if !s.o.Leads() {
		return notStarted(nil, diagnostic.Errorf("Operation not started", "Its intent could not be recorded: %s.", errSuccessor))
	}
	if op.Kind == instance.Create && s.left(e) {
		return notStarted(&rec, diagnostic.Errorf("Operation not started", "The resource is gone."))
	}
	version, err := s.reserve(ctx, r, rec)
	if intent.Version = version; err == nil {
		rec, err = s.store(ctx, &r, intent)
	}
	if err != nil {
		res := notStarted(nil, diagnostic.Errorf("Operation not started", "Its intent could not be recorded: %s.", err))
		res.reason = storeReason(err)
		return res
	}

	if a := t.approval; a != nil && !a.completes && !a.unasked {
		s.tell(r, Event{Kind: Approved, Hash: a.hash, By: a.by, Action: a.action})
	}

	// Dispatch.
	faultpoint.Reach(t.process, faultpoint.BeforeDispatch)
	if !s.o.Leads() {
		return notStarted(nil, diagnostic.Errorf("Operation not started", "Too much time has passed since its intent was recorded: another controller may have found it by now."))
	}
	if t.interruption.asked() != "" {
		return notStarted(nil, diagnostic.Errorf("Operation not started", "The provider was not asked for a change."))
	}
	if t.braked {
		s.brake.Begin(s.o.Clock.Now(), r.UID)
	}
	out, diags := p.Prior, diagnostic.Diagnostics(nil)
	if p.Action != terraform.NoOp {
		answered := faultpoint.During(t.process, faultpoint.InFlight)
		if j, ok := ex.(terraform.Journaled); ok {
			p.CreateUnchecked = r.Policies.CreateUnchecked
			out, diags = j.ApplyJournaled(s.listen(ctx, r, t.progress, p), p, s.recorder(ctx, r, &rec))
			in.Operation = rec.Instance.Operation
			t.changed, t.left = j.Changed(in.Operation.Journal), j.Left(out)
		} else {
			out, diags = ex.Apply(s.listen(ctx, r, t.progress, p), p)
		}
		answered()
	}
	out, diags = repeated(doubt, &intended, out, diags)
	diags = t.interruption.blame(diags)
	if diags.HasErrors() && !s.o.Clock.Now().Before(op.Deadline) {
		diags = append(diags, timedOut(op.Kind, timeout)...)
	}

	if op.Kind == instance.Update {
		out = out.AfterIdentity(p.Prior, s.o.Clock.Now())
	}

	// Conclude.
	faultpoint.Reach(t.process, faultpoint.BeforeConclude)
	out = s.dated(r, &t, in, out, diags)
	rec.Instance = s.afterOperation(concluded(in, out, diags, doubt), in, &t, diags)
	t.interruption.note(&rec.Handled, op.Generation, t.completes(diags))
	if rec, err = s.conclude(e, r, in, rec); err != nil {
		return result{op: op, diags: append(diags, diagnostic.Errorf("Outcome not recorded", "The operation ended, but its outcome could not be recorded: %s.", err)...)}
	}
	faultpoint.Reach(t.process, faultpoint.BeforeTold)
	reason := Reason("")
	if terraform.ObjectExists(diags) {
		reason = ReasonAlreadyExists
	}
	return result{op: op, record: &rec, diags: diags, reason: reason, planned: plannedIdentity(r, p.Identity, p.State), plannedState: p.State, changed: t.changed, left: t.left}
}

// left reports whether the resource of an entry is known to be gone. Nothing is created for it any
// more: nothing would destroy the object.
func (s *Scheduler) left(e *entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return e.presence == leaving
}

// fence is called right before each change is requested of a provider. Between the intent and this
// moment, a program may have started and planned, or this process may have been suspended.
func (s *Scheduler) fence() error {
	if !s.o.Leads() {
		return errSuccessor
	}
	return nil
}

// begin sets the deadline of an operation that is about to run.
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
	e.lock()
	defer e.turn.Unlock()
	e.show(&op, t.progress)
	return &op, timeout
}

// prepare returns the instance to store while the operation runs, and the plan to carry out.
func prepare(ctx context.Context, ex terraform.Executor, r Request, in instance.Instance, t *task) (instance.Instance, terraform.Plan, diagnostic.Diagnostics) {
	switch {
	case t.kind == instance.Delete && t.deposed == "":
		p, diags := ex.PlanDestroy(ctx, r.Resource, in)
		p.WithoutRefresh = r.Deleted && r.WithoutRefresh
		return in, p, diags
	case t.kind == instance.Delete:
		i := in.DeposedIndex(t.deposed)
		if i < 0 {
			return in, terraform.Plan{}, diagnostic.Errorf("Operation not started", "There is no deposed object %s.", t.deposed)
		}
		// It may be gone, or have another version of its schema.
		before := in.Deposed[i].Instance()
		refreshed, diags := ex.Refresh(ctx, r.Resource, before)
		if diags.HasErrors() {
			return in, terraform.Plan{}, diags
		}
		if t.unseen = !refreshed.Instance.Exists(); t.unseen {
			switch t.notFound(before) {
			case hidden:
				return in, terraform.Plan{}, diagnostic.Errorf("Replaced object not visible yet",
					"The object that was replaced was made a short time ago, and its API does not show it. It is destroyed as soon as it is visible.")
			case doomed:
				refreshed.Instance = before
			}
		}
		refreshed.Instance.CreatedAt = before.CreatedAt
		if !refreshed.Instance.Exists() {
			return in, terraform.Plan{Resource: r.Resource, Action: terraform.NoOp, Prior: refreshed.Instance}, nil
		}
		p, diags := ex.PlanDestroy(ctx, r.Resource, refreshed.Instance)
		return in.WithDeposed(t.deposed, refreshed.Instance), p, diags
	case t.deposed != "":
		in = in.SetAside(t.deposed)
		config := *r.Configuration()
		config.Value = r.CreateToken.In(config.Value, cty.NilVal, newToken())
		config.Validated = true
		p, diags := ex.Plan(ctx, r.Resource, in, config)
		p.Validation = t.plan.Validation
		return in, p, diags
	default:
		return in, *t.plan, nil
	}
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
