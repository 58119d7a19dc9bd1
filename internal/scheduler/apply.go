package scheduler

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/tracing"
)

// Apply implements Interface.
func (s *Scheduler) Apply(ctx context.Context, r Request) error {
	r.origin = tracing.OriginOf(ctx)
	r.Configuration() // the operation needs it after the reconcile has ended
	e := s.placeOf(&r).lock()
	defer e.unlock()
	if e.view.state == decision.Running {
		return nil
	}
	a := applying{Scheduler: s, e: e, r: r}
	if err := a.prepare(ctx); err != nil {
		return err
	}
	a.step = decision.Apply(a.in)
	if a.step.Keeps {
		s.withdrawDestroy(e.place)
	}
	switch a.step.Deed {
	case decision.Nothing:
		return nil
	case decision.Refuse:
		if err := s.rekey(ctx, e, r); err != nil {
			return err
		}
		return a.step.Refusal
	case decision.RefuseForNow:
		e.denied.Store(true)
		return a.step.Refusal
	case decision.RefuseRepeat:
		if err := s.countRefused(ctx, e, r, a.plan); err != nil {
			return err
		}
		return a.step.Refusal
	}
	if err := r.awaitDependents(ctx, stepOf(a.step.Deed, &a.in), e.view.observation); err != nil {
		return err
	}
	if a.step.Deed == decision.RefuseUnapproved {
		e.awaits.Store(true)
		return a.step.Refusal
	}
	if a.step.Deed == decision.DestroyDeposed {
		if err := s.brakes(ctx, e, &r, a.step); err != nil {
			return err
		}
		return s.destroyDeposed(ctx, e, r)
	}
	var change terraform.Action
	if a.plan != nil {
		change = a.plan.Action
	}
	if err := s.before(ctx, &a.r, change, func() *Error { return s.brakes(ctx, e, &a.r, a.step) }); err != nil {
		return err
	}
	return a.start(ctx)
}

// applying is one call of Apply.
type applying struct {
	*Scheduler
	e *entry
	r Request
	// plan is that of the view; nil if it was not made for the request, or is for another account.
	plan *terraform.Plan
	// completes is set for the create that completes a replacement, about which policies have
	// decided.
	completes bool
	// given is the approval of the plan; nil if it needs none.
	given *approval

	in   decision.ApplyInput
	step decision.Step
}

// prepare finds out what the decision depends on.
func (a *applying) prepare(ctx context.Context) error {
	e, r := a.e, &a.r
	if rival, contested := a.rival(ctx, e); contested {
		a.in.Conflict = conflictWith(*r, rival)
	}
	a.plan = e.plan(*r)
	e.awaits.Store(false)
	e.denied.Store(false)
	if a.accountOf(e, r) != decision.AccountIsSame {
		a.plan = nil
	}
	record, in := e.record.Instance, &a.in
	_, in.Missing = e.missing[""]
	in.Held, in.Stopped = e.held(*r), r.stopped()
	in.MayReplace, in.MayReplaceTainted, in.MayDelete, in.Protected = r.Policies.Replace, r.Policies.ReplaceTainted,
		r.Policies.Delete, r.Policies.Protected
	in.Failed, in.DeposedFailed = a.backoff(e.failed, *r), a.backoff(e.deposedFailed, *r)
	in.Exists, in.Tainted = record.Exists(), record.Status == instance.Tainted
	if len(record.Deposed) > 0 {
		in.Deposed = record.Deposed[0].Key
	}
	o := e.view.observation
	in.DriftGone = o != nil && o.Drift != nil && o.Drift.Gone
	if a.plan != nil {
		a.judge(a.plan)
		in.Gone = r.reports(o.Drift) && o.Reapply == ""
	}
	var verdict policy.Verdict
	if a.completes, _ = a.Scheduler.completes(e, r, a.plan); !a.completes {
		var err error
		if verdict, err = a.decide(ctx, e, r, a.plan); err != nil {
			return err
		}
	}
	in.Denied = verdict.Denied
	in.Approval.Policy = r.cascade(a.plan).stricter(decision.Stricter(approvalOf(r.Policies, o), verdict))
	if p := a.plan; p != nil && decision.MustApprove(in.Approval.Policy, p.Action, len(p.Destroys()) > 0) {
		a.given = a.approve(e, r, p, &in.Approval)
	}
	return nil
}

// judge adds what earlier operations tell of a plan.
func (a *applying) judge(p *terraform.Plan) {
	e, r, in := a.e, &a.r, &a.in
	in.Plan = p
	settles := e.settling(r)
	if e.mayMakeAnother(*r, *p) {
		in.Unresolved = e.record.Instance.Operation
	}
	if e.attempts.stalled(r, p) {
		in.Stalled = e.attempts.count
	}
	in.Inconsistent, in.InconsistentObjects = settles.Inconsistent(p), settles.InconsistentObjects(p)
	if u := settles.Unsettled(p); u != nil && e.reapplies(r) == "" {
		in.NeverSettles, in.Repeated, in.Waits = u.Refuses(), u.Repeated(), u.Waits(a.o.Clock.Now())
	}
}

// start begins the operation of the step.
func (a *applying) start(ctx context.Context) error {
	e, r, p, o := a.e, a.r, a.plan, a.e.view.observation
	settles := e.settling(&r)
	e.corrects(p, settles.Counted() != nil && (settles.Repeats(p) || settles.Alternates(a.o.Clock.Now())))
	t := taskOf(a.step.Deed, p, e.record.Instance)
	t.braked = r.Brake != nil && a.step.Destroys
	t.config, t.counts = settles.Config(), settles.CountsAfter(p, a.o.Clock.Now())
	t.approval, t.drift, t.reapply = a.given, o.Drift, o.Reapply
	t.keepsDrift = t.kind == instance.Update && r.reports(o.Drift) && o.Reapply == ""
	if !a.completes {
		t.decided = p
	}
	if a.given == nil && a.step.Deed == decision.DestroyFirst && r.Decide != nil {
		t.approval = &approval{create: unaskedCreate + a.createHash(&r, p), unasked: true}
	}
	return a.started(&r, &t, a.perform(ctx, e, r, t))
}

// plan returns the plan of the view, if it was made for the request's configuration.
func (e *entry) plan(r Request) *terraform.Plan {
	if !e.view.fits(&r) || e.view.observation.Plan == nil {
		return nil
	}
	p := *e.view.observation.Plan
	return &p
}

// taskOf returns the task of a deed that starts an operation on the current object.
func taskOf(next decision.Deed, p *terraform.Plan, in instance.Instance) task {
	switch next {
	case decision.Create:
		return task{kind: instance.Create, plan: p}
	case decision.Update:
		return task{kind: instance.Update, plan: p}
	case decision.CreateFirst:
		return task{kind: instance.Create, plan: p, deposed: in.NewDeposedKey(), replacement: true}
	case decision.DestroyFirst:
		return task{kind: instance.Delete, replacement: true}
	default:
		return task{kind: instance.Delete}
	}
}

// perform starts the operation of a task, unless it would destroy what may be another resource's.
func (s *Scheduler) perform(ctx context.Context, e *entry, r Request, t task) error {
	if t.kind == instance.Delete && t.deposed == "" {
		t.unseen = s.unseen(e, &r)
	}
	if t.kind == instance.Delete && t.deposed == "" {
		if rival, ok := s.shared(ctx, e); ok {
			return sharedObject(r, rival)
		}
		if by, ok, err := s.sharedContained(ctx, e, &r); err != nil {
			return err
		} else if ok {
			return sharedObject(r, by)
		}
		names := ownership.Identities(e.claims(&r, e.record.Instance, nil))
		if by, state, err := s.twin(ctx, e, &r, names, &e.record.Instance); err != nil {
			return err
		} else if state == sameObject {
			return sharedObject(r, by)
		}
		if by, state, err := s.twinElsewhere(ctx, &r, sightingsOf(&r, names, &e.record.Instance)); err != nil {
			return err
		} else if state == sameObject {
			return sharedObject(r, by)
		}
	}
	return s.start(e, r, t)
}

// Delete implements Interface.
func (s *Scheduler) Delete(ctx context.Context, r Request) error {
	r.origin = tracing.OriginOf(ctx)
	e := s.placeOf(&r).lock()
	defer e.unlock()
	known := e.state == loaded || e.state == outdated || e.state == assumed && r.New
	e.awaits.Store(false)
	e.denied.Store(false)
	in := decision.DeleteInput{
		Running:  e.view.state == decision.Running,
		Observed: known && e.record.Instance.Operation == nil && s.accountOf(e, &r) == decision.AccountIsSame,
		Exists:   e.record.Instance.Exists(), Failed: s.backoff(e.failed, r), Held: e.held(r), Stopped: r.stopped(),
		Protected: r.Policies.Protected, Deleted: r.Deleted,
	}
	var verdict policy.Verdict
	plan := r.destroyPlan(e.record.Instance)
	if !in.Running && in.Observed && in.Exists {
		var err error
		if verdict, err = s.decide(ctx, e, &r, plan); err != nil {
			return err
		}
	}
	in.Denied, in.Approval.Policy = verdict.Denied, decision.Stricter(r.Policies.Approval, verdict)
	var given *approval
	if decision.MustApprove(in.Approval.Policy, terraform.Delete, true) && e.view.fits(&r) {
		given = s.approve(e, &r, nil, &in.Approval)
	}
	if r.Consented {
		given, in.Approval.Approved = nil, true
	}
	step := decision.Delete(in)
	if step.Keeps {
		s.withdrawDestroy(e.place)
	}
	switch step.Deed {
	case decision.Nothing:
		return nil
	case decision.Refuse:
		return step.Refusal
	case decision.RefuseForNow:
		e.denied.Store(true)
		return step.Refusal
	case decision.RefuseUnapproved:
		e.awaits.Store(true)
		return step.Refusal
	}
	if err := s.before(ctx, &r, terraform.Delete, func() *Error { return s.reserveDestroy(ctx, e, &r) }); err != nil {
		return err
	}
	t := taskOf(step.Deed, nil, e.record.Instance)
	t.approval, t.decided, t.braked = given, plan, r.Brake != nil
	return s.started(&r, &t, s.perform(ctx, e, r, t))
}
