package scheduler

import (
	"context"
	"errors"
	"strings"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/tracing"
)

// Apply implements Interface.
func (s *Scheduler) Apply(ctx context.Context, r Request) error {
	r.origin = tracing.OriginOf(ctx)
	r.Configuration() // the operation needs it after the reconcile has ended
	e := s.entry(&r)
	e.lock()
	defer e.turn.Unlock()
	in := applyInput{Running: e.view.state == running}
	if in.Running {
		return nil
	}
	rival, contested := s.rival(ctx, e)
	p := e.plan(r)
	e.awaits.Store(false)
	e.denied.Store(false)
	record := e.record.Instance
	_, in.Missing = e.missing[""]
	if s.accountOf(e, &r) != accountIsSame {
		p = nil
	}
	in.Contested, in.Observed, in.Held = contested, p != nil, e.held(r)
	in.MayReplace, in.MayReplaceTainted, in.MayDelete = r.Policies.Replace, r.Policies.ReplaceTainted, r.Policies.Delete
	why := r.stopped()
	in.Protected, in.Stopped = r.Policies.Protected, why != ""
	in.Failed, in.DeposedFailed = s.backoff(e.failed, r) != nil, s.backoff(e.deposedFailed, r) != nil
	in.Exists, in.Deposed, in.Tainted = record.Exists(), len(record.Deposed) > 0, record.Status == instance.Tainted
	if p != nil {
		in.Action, in.Reason, in.Destroys, in.Doubted = p.Action, p.Reason, len(p.Destroys()) > 0, e.doubted(r, *p)
		in.Stalled, in.Inconsistent = e.attempts.stalled(&r, p), e.inconsistent(&r, p)
		u := e.unsettled(&r, p)
		in.NeverSettles, in.Waits = u.refuses() && e.reapplies(&r) == "", u.waits(s.o.Clock.Now()) && e.reapplies(&r) == ""
	}
	o := e.view.observation
	in.Gone = p != nil && r.reports(o.Drift) && o.Reapply == ""
	in.DriftGone = o != nil && o.Drift != nil && o.Drift.Gone
	var verdict policy.Verdict
	completes, _ := s.completes(e, &r, p)
	if !completes {
		var err error
		if verdict, err = s.decide(ctx, e, &r, p); err != nil {
			return err
		}
	}
	in.Approval, in.Denied = r.cascade(p).stricter(stricter(approvalOf(r.Policies, o), verdict)), len(verdict.Denied) > 0
	var given *approval
	if p != nil && mustApprove(in.Approval, in.Action, in.Destroys) {
		given, in.Approved = s.approved(e, &r, o, p)
	}
	next := applyChain.decide(in)
	if withdraws(next, &in) {
		s.withdrawDestroy(e)
	}
	switch next {
	case deedNothing:
		return nil
	case deedRefuseConflict:
		return identityConflict(r, rival)
	case deedDestroyDeposed:
		if err := r.awaitDependents(ctx, DestroyDeposed, o); err != nil {
			return err
		}
		if err := s.brakes(ctx, e, &r, next, &in); err != nil {
			return err
		}
		return s.destroyDeposed(e, r)
	case deedRefuseEarly:
		return s.backoff(e.failed, r)
	case deedRefuseUnobserved:
		return &Error{Reason: ReasonStore, Err: errUnobserved}
	case deedRefuseDeposed:
		return deposedKept(&r, record)
	case deedRefuseDeposedEarly:
		return s.backoff(e.deposedFailed, r)
	case deedRefuseProtected:
		return failed(ReasonDeletionProtected, changeProtected(p))
	case deedRefuseReplace:
		return failed(ReasonReplaceRefused, replaceRefused(*p))
	case deedRefuseContained:
		return failed(ReasonReplaceRefused, containedRefused(*p))
	case deedRefuseStalled:
		return e.attempts.exhausted(p)
	case deedRefuseInconsistent:
		if err := s.rekey(ctx, e, r); err != nil {
			return err
		}
		return e.errInconsistent(&r, p)
	case deedRefuseRepeat:
		return s.refuseRepeat(ctx, e, r, p)
	case deedRefuseHeld:
		return errHeld()
	case deedRefuseStopped:
		return e.errStopped(why)
	case deedRefuseDenied:
		return e.errDenied(verdict)
	case deedRefuseUnapproved:
		if err := r.awaitDependents(ctx, stepOf(next, &in), o); err != nil {
			return err
		}
		return e.errUnapproved(r, given)
	case deedRefuseGone:
		return errGoneReported()
	case deedRefuseDoubted:
		return failed(ReasonCreateOutcomeUnknown, awaited(record.Operation, record.Operation.Deadline))
	default:
		if err := r.awaitDependents(ctx, stepOf(next, &in), o); err != nil {
			return err
		}
		if err := s.brakes(ctx, e, &r, next, &in); err != nil {
			return err
		}
		e.corrects(p, e.counted(&r) != nil && (e.repeats(&r, p) || e.repeatsObjects(&r, p)))
		t := taskOf(next, p, record)
		t.braked = r.Brake != nil && destroys(next, &in)
		t.config, t.counts = settlingConfig(&r), e.counts(&r, p)
		t.approval, t.drift, t.reapply = given, o.Drift, o.Reapply
		t.keepsDrift = t.kind == instance.Update && r.reports(o.Drift) && o.Reapply == ""
		if !completes {
			t.decided = p
		}
		if given == nil && next == deedDestroyFirst && r.Decide != nil {
			t.approval = &approval{create: unaskedCreate + s.createHash(&r, p), unasked: true}
		}
		return s.started(&r, &t, s.perform(ctx, e, r, t))
	}
}

// errUnobserved is the error for a plan that was not made for the request.
var errUnobserved = errors.New("the resource changed since it was observed")

// plan returns the plan of the view, if it was made for the request's configuration.
func (e *entry) plan(r Request) *terraform.Plan {
	if !e.view.fits(&r) || e.view.observation.Plan == nil {
		return nil
	}
	p := *e.view.observation.Plan
	return &p
}

// taskOf returns the task of a deed that starts an operation on the current object.
func taskOf(next deed, p *terraform.Plan, in instance.Instance) task {
	switch next {
	case deedCreate:
		return task{kind: instance.Create, plan: p}
	case deedUpdate:
		return task{kind: instance.Update, plan: p}
	case deedCreateFirst:
		return task{kind: instance.Create, plan: p, deposed: in.NewDeposedKey(), replacement: true}
	case deedDestroyFirst:
		return task{kind: instance.Delete, replacement: true}
	default:
		return task{kind: instance.Delete}
	}
}

// perform starts the operation of a task, unless it would destroy what may be another resource's.
func (s *Scheduler) perform(ctx context.Context, e *entry, r Request, t task) error {
	if t.kind == instance.Delete && t.deposed == "" {
		in := &e.record.Instance
		t.unseen = !r.WithoutRefresh && r.Consists == nil && !in.CreatedAt.IsZero() && !e.seen.Equal(in.CreatedAt)
	}
	if t.kind == instance.Delete && t.deposed == "" {
		if rival, ok := s.shared(ctx, e); ok {
			return sharedObject(r, rival)
		}
		names := identitiesOf(e.claims(r, e.record.Instance, nil))
		if by, state, err := s.twin(ctx, e, &r, names, &e.record.Instance); err != nil {
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
	e := s.entry(&r)
	e.lock()
	defer e.turn.Unlock()
	early := s.backoff(e.failed, r)
	known := e.state == loaded || e.state == outdated || e.state == assumed && r.New
	e.awaits.Store(false)
	e.denied.Store(false)
	in := deleteInput{
		Running: e.view.state == running, Observed: known && e.record.Instance.Operation == nil && s.accountOf(e, &r) == accountIsSame,
		Exists: e.record.Instance.Exists(), Failed: early != nil, Held: e.held(r), Protected: r.Policies.Protected,
	}
	why := r.stopped()
	in.Stopped = why != ""
	var verdict policy.Verdict
	plan := r.destroyPlan(e.record.Instance)
	if !in.Running && in.Observed && in.Exists {
		var err error
		if verdict, err = s.decide(ctx, e, &r, plan); err != nil {
			return err
		}
	}
	in.Approval, in.Denied = stricter(r.Policies.Approval, verdict), len(verdict.Denied) > 0
	var given *approval
	if mustApprove(in.Approval, terraform.Delete, true) && e.view.fits(&r) {
		given, in.Approved = s.approved(e, &r, e.view.observation, nil)
	}
	if r.Consented {
		given, in.Approved = nil, true
	}
	switch next := deleteChain.decide(in); next {
	case deedNothing:
		return nil
	case deedRefuseUnobserved:
		return &Error{Reason: ReasonStore, Err: errors.New("the resource was not observed since its last operation")}
	case deedRefuseProtected:
		s.withdrawDestroy(e)
		return failed(ReasonDeletionProtected, deletionProtected(&r))
	case deedRefuseHeld:
		return errHeld()
	case deedRefuseEarly:
		return early
	case deedRefuseStopped:
		return e.errStopped(why)
	case deedRefuseDenied:
		return e.errDenied(verdict)
	case deedRefuseUnapproved:
		return e.errUnapproved(r, given)
	default:
		if err := s.reserveDestroy(ctx, e, &r); err != nil {
			return err
		}
		t := taskOf(next, nil, e.record.Instance)
		t.approval, t.decided, t.braked = given, plan, r.Brake != nil
		return s.started(&r, &t, s.perform(ctx, e, r, t))
	}
}

func replaceRefused(p terraform.Plan) diagnostic.Diagnostics {
	if p.Reason == terraform.ReplaceBecauseTainted {
		return diagnostic.Errorf("Replacement refused", "The remote object is tainted, because its creation failed or was interrupted. It would be destroyed and recreated, which spec.lifecycle.taintPolicy, spec.lifecycle.replacePolicy or spec.managementPolicies do not allow. Allow it, or untaint the resource.")
	}
	var out diagnostic.Diagnostics
	for _, path := range p.RequiresReplace {
		out = append(out, diagnostic.AttributeErrorf(path, "Replacement refused", "This change would destroy and recreate the remote object, which spec.lifecycle.replacePolicy or spec.managementPolicies do not allow. Allow it, or revert the change.")...)
	}
	if out == nil {
		out = diagnostic.Errorf("Replacement refused", "This change would destroy and recreate the remote object, which spec.lifecycle.replacePolicy or spec.managementPolicies do not allow.")
	}
	return out
}

func containedRefused(p terraform.Plan) diagnostic.Diagnostics {
	return diagnostic.Errorf("Replacement refused", "This change would destroy %s, which spec.lifecycle.replacePolicy or spec.managementPolicies do not allow. Allow it, or revert the change.", strings.Join(p.Destroys(), ", "))
}
