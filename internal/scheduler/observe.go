package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/journal"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// observing is the state of one call of Observe. The request is passed separately, so that neither
// is allocated on the heap.
type observing struct {
	*Scheduler
	e *entry

	// ex is the provider between acquire and release.
	ex      terraform.Executor
	release func()

	claims                     decision.Claims
	contested, disowned        bool
	rival                      ownership.Rival
	recovered, sought, planned bool
	// asked is set when the object of another resource was asked for, and resumed when a mark was
	// looked for.
	asked, resumed bool
	read           decision.ReadResult
	// listed is set when it was tried to confirm by a survey that the object is unchanged, and
	// confirmed if it is.
	listed, confirmed bool
	// first is the plan of the first of two looks; nil if there is no second one.
	first *terraform.Plan
}

// maxDeeds is far more than an Observe needs. Reaching it means that a rule applies repeatedly by
// mistake.
const maxDeeds = 1000

// Observe implements Interface.
func (s *Scheduler) Observe(ctx context.Context, r Request) (*Observation, error) {
	e := s.placeOf(&r).lockAtRest()
	defer e.unlock()
	o := observing{Scheduler: s, e: e}
	defer o.end()
	for range maxDeeds {
		next := decision.Observe(o.input(&r))
		if e.resting && !o.staysAtRest(&r, next) {
			e.decode()
			continue
		}
		answer, err := o.do(ctx, &r, next)
		if answer != nil && err == nil {
			err = s.withheld(ctx, e, r, answer.Instance)
		}
		switch {
		case err != nil:
			return nil, err
		case answer != nil:
			e.observed.Store(true)
			return answer, nil
		}
	}
	return nil, &Error{Reason: decision.ReasonStore, Err: errors.New("the observation of the resource does not end")}
}

// tellLeft reports, once, that an object stays when its resource is deleted, and where.
func (o *observing) tellLeft(r *Request) {
	e, why := o.e, ""
	switch {
	case !r.Deleted || e.toldLeft:
		return
	case o.accountOf(e, r) == decision.AccountIsOther && e.record.Instance.Exists():
		why = fmt.Sprintf("%s stays in %s, since spec.managementPolicies have no Delete",
			objectText(r.Type.Schema, e.record.Instance), e.record.Account.Text())
	case o.contested && o.disowned:
		why = fmt.Sprintf("The remote object stays, since it belongs to %s", o.rival.Text(r.Key.Namespace))
	default:
		return
	}
	e.toldLeft = true
	o.tell(*r, Event{Kind: Left, Why: why})
}

func (o *observing) end() {
	if o.release != nil {
		o.release()
	}
}

// input is the snapshot that the next decision depends on.
func (o *observing) input(r *Request) decision.ObserveInput {
	e := o.e
	in := &e.record.Instance
	interrupted := in.Operation != nil
	return decision.ObserveInput{
		Deleted: r.Deleted, Desired: r.Config != nil,
		Named:      r.Known != nil || r.imports(),
		RetryAsked: r.Asked.Retry != "" && r.Asked.Retry != e.record.Handled.Retry,
		Asked:      e.requested(r), InterruptAsked: e.interrupts(r),
		Loaded:       e.knows(r) && !e.lost.Load(),
		OtherVersion: e.schema != r.Type.Schema,
		View:         e.view.state, Fits: e.view.fits(r), Unplanned: e.unplanned(r),
		Stored: e.record.Version != "", Exists: in.Exists(), Deposed: len(in.Deposed) > 0,
		Interrupted: interrupted, Foreign: interrupted && o.foreign(e),
		Moving:      interrupted && in.Operation.Kind == instance.Move,
		HandingOver: interrupted && in.Operation.Kind == instance.Move && journal.HandOverOf(in.Operation) != nil,
		Moved:       e.record.Handled.MovedTo != "", TakeOver: r.MoveFrom != nil && e.record.Handled.MovedFrom == "" &&
			!o.asked, Releasing: e.record.Handled.MoveOpen,
		Claims: o.claims, Contested: o.contested, Disowned: o.disowned,
		Account: o.accountOf(e, r), MayDestroy: r.Policies.Delete,
		Resumable:   !o.resumed && e.resumable(r),
		Confirmable: !o.listed && e.confirmable(r), Confirmed: o.confirmed, Suspected: e.suspects(),
		Acquired: o.release != nil, Recovered: o.recovered, Sought: o.sought, Planned: o.planned, Read: o.read,
	}
}

// do carries out a deed. An answer or an error ends the observation.
func (o *observing) do(ctx context.Context, r *Request, next decision.Deed) (*Observation, error) {
	e := o.e
	switch next {
	case decision.Interrupt:
		e.interrupt(*r)
	case decision.IgnoreInterrupt:
		o.ignoreInterrupt(e, *r)
	case decision.Answer:
		return e.answer(), nil
	case decision.AnswerApplied:
		e.view.state = decision.Planned
		return e.view.observation, nil
	case decision.AnswerNothing:
		o.tellLeft(r)
		return &Observation{Last: e.last}, nil
	case decision.RefuseConflict:
		return nil, identityConflict(*r, o.rival)
	case decision.RefuseAccount:
		return nil, e.accountChanged(r, decision.NotLooked)
	case decision.Prove:
		o.claims = decision.ClaimedNothing // they were those of the account where the object was
		return nil, o.prove(ctx, e, *r, o.ex)
	case decision.RefuseForeign:
		e.invalidate(outdated)
		return nil, &Error{Reason: decision.ReasonStore, Err: errForeign}
	case decision.RefuseOtherVersion:
		return nil, &Error{Reason: decision.ReasonStore, Err: errOtherVersion}
	case decision.RefuseMoving:
		e.invalidate(outdated)
		return nil, &Error{Reason: decision.ReasonStore, Err: errMoving}
	case decision.RefuseMoved:
		return nil, movedTo(e.record.Handled.MovedTo)
	case decision.HandOver:
		return nil, o.handOver(ctx, e, *r)
	case decision.TakeOver:
		o.asked = true
		return nil, o.takeOver(ctx, e, *r, o.ex)
	case decision.Release:
		return nil, o.releaseMoved(ctx, e, *r)
	case decision.Load:
		// What was done so far was done for the record that was in memory.
		*o = observing{Scheduler: o.Scheduler, e: e, ex: o.ex, release: o.release}
		return nil, o.load(ctx, e, *r)
	case decision.Claim:
		o.claimNext(ctx, r)
	case decision.Retry:
		e.retry(*r)
	case decision.Resume:
		o.resumed = true
		e.resume(r)
	case decision.Confirm:
		o.listed = true
		o.confirmed = o.confirm(ctx, r)
	case decision.Acquire:
		return nil, o.acquire(ctx, r)
	case decision.Recover:
		o.recovered = true
		return nil, o.recover(ctx, e, *r, o.ex)
	case decision.CarryOut:
		return nil, o.carryOut(ctx, e, *r)
	case decision.Import:
		o.sought = true
		return nil, o.importAfterwards(ctx, e, *r, o.ex)
	case decision.Find:
		o.sought = true
		return nil, o.find(ctx, e, *r, o.ex)
	case decision.FallBack:
		return nil, o.save(ctx, e, *r, e.record.Instance.FallBack(""))
	case decision.Read:
		var err error
		o.read, err = o.refresh(ctx, e, r, o.ex)
		if o.first != nil && o.read == decision.ReadUnchanged {
			o.planned = true // the first look has shown the same
		}
		return nil, err
	case decision.Plan:
		o.planned = true
		if err := o.plan(ctx, e, *r, o.ex); err != nil {
			return nil, err
		}
		return nil, o.compareLooks(ctx, r)
	}
	return nil, nil
}

// compareLooks makes the second look at an object whose reads may alternate, or compares it with
// the first.
func (o *observing) compareLooks(ctx context.Context, r *Request) error {
	e := o.e
	if o.first != nil {
		return o.noteAlternation(ctx, e, *r, o.first)
	}
	if e.looksAgain(r, o.o.Clock.Now()) {
		o.first = e.view.observation.Plan
		o.planned, o.read, o.claims = false, decision.NotRead, min(o.claims, decision.ClaimedRecord)
	}
	return nil
}

// answer returns the view. For a running operation it includes the provider's latest message.
func (e *entry) answer() *Observation {
	if e.view.state == decision.Running {
		e.view.report()
	}
	if e.view.state == decision.Applied {
		e.view.state = decision.Planned
	}
	if e.view.observation.Resumed {
		e.view.unplanned = true
	}
	return e.view.observation
}

func (o *observing) acquire(ctx context.Context, r *Request) error {
	ex, release, diags := r.Acquire(ctx)
	if diags.HasErrors() {
		return decision.Failed(decision.ReasonProviderUnavailable, diags)
	}
	o.ex, o.release = ex, release
	return nil
}

// claimNext makes the claims that follow from the current stage, and checks for a rival. A resource
// whose rival concerns only a wanted object may continue to manage its current object.
func (o *observing) claimNext(ctx context.Context, r *Request) {
	e := o.e
	switch {
	case o.claims == decision.ClaimedNothing:
		o.claims = decision.ClaimedRecord
		o.reclaim(e, r)
	case !o.planned:
		o.claims = decision.ClaimedRead
		o.claim(e, *r, e.record.Instance)
	default:
		o.claims = decision.ClaimedPlan
		o.claim(e, r.taking(e.view.observation.Plan), e.record.Instance, e.wants(r, e.view.observation.Plan)...)
	}
	rival, ok := o.Scheduler.rival(ctx, e)
	o.rival = rival
	o.contested = ok && e.contested(rival)
	// An owner whose operation may fail does not have the object yet, and that of one object of an
	// instance has not all of them.
	o.disowned = ok && (rival.Claim.Strength < ownership.Begun || rival.Holds && r.Consists == nil)
}

// contested reports whether a rival prevents the resource from doing anything.
func (e *entry) contested(by ownership.Rival) bool {
	return by.Claim.Strength >= ownership.Begun || !e.record.Instance.Exists()
}

// unplanned reports whether the plan of the view is not up to date although nothing has changed.
func (e *entry) unplanned(r *Request) bool {
	o := e.view.observation
	return e.view.unplanned || e.replans.Load() ||
		o != nil && (e.shares.Load() || o.Cascade != r.cascade(o.Plan) || o.Reapply != e.reapplies(r) ||
			o.Held != e.held(*r) || o.Stalled && !e.attempts.stalled(r, o.Plan) ||
			o.Flap != nil && e.flap.count < flapsAfter || o.Unsettled != nil && o.UpToDate())
}

// refresh reads the current object once. If it is gone, the last deposed object takes its place,
// which is read next.
func (s *Scheduler) refresh(ctx context.Context, e *entry, r *Request, ex terraform.Executor) (decision.ReadResult, error) {
	before := e.record.Instance
	e.confirmation = nil
	if r.Deleted && r.WithoutRefresh {
		if ready, err := s.upgrade(ctx, e, r, ex); ready || err != nil {
			return s.unread(e, r, err)
		}
	}
	refreshed, diags := ex.Refresh(ctx, r.Type, before)
	if e.resting && !e.keepsRest(refreshed, diags) {
		e.decode()
		if before = e.record.Instance; refreshed.Instance.IsPacked() {
			refreshed.Instance = before
		}
	}
	if diags.HasErrors() {
		return decision.NotRead, readFailed(&refreshed, append(diags, unreadRemedy(before, &refreshed, r)...))
	}
	if warned := diags.Warnings(); warned.String() != e.readWarned.String() {
		e.readWarned, e.view.unplanned = warned, true
	}
	gone := !refreshed.Instance.Exists()
	if e.outdatedRead(&refreshed.Instance, s.o.Clock.Now(), s.gracePeriod(r)) {
		e.noteOutdated()
		return decision.ReadUnchanged, nil
	}
	if refreshed.Unchanged && !gone {
		e.noteUnchanged(&refreshed.Instance, s.o.Clock.Now())
		if err := s.noteAccount(ctx, e, r); err != nil {
			return decision.NotRead, err
		}
		e.confirmed(r, s.o.Clock.Now())
		return decision.ReadUnchanged, nil
	}
	return s.storeRead(ctx, e, *r, ex, refreshed)
}

// unreadRemedy tells what to do about an object that cannot be read, as far as that is known.
func unreadRemedy(stored instance.Instance, read *terraform.Refreshed, r *Request) diagnostic.Diagnostics {
	switch {
	case stored.Newer(r.Type.Schema): // it cannot be destroyed as it is stored either
		return diagnostic.Errorf("Stored by a later version",
			"A later version of the provider has stored the object, and this version cannot read it. Install at least that version.")
	case !read.IdentityUpgrade && r.Deleted && r.Policies.Delete:
		return diagnostic.Errorf("Object not destroyed",
			"An object is read before it is destroyed. If it cannot be read any more, set the annotation "+
				"landbridge.io/delete-without-refresh to \"true\" to destroy it as it is stored.")
	}
	return nil
}

// readFailed is the error for an object that cannot be read.
func readFailed(read *terraform.Refreshed, diags diagnostic.Diagnostics) *Error {
	if read.IdentityUpgrade {
		return decision.Failed(decision.ReasonIdentityUpgradeFailed, diags)
	}
	return decision.Failed(decision.ReasonReadFailed, diags)
}

// noteUnchanged takes note of a read that has found the object as it was.
func (e *entry) noteUnchanged(read *instance.Instance, now time.Time) {
	before := &e.record.Instance
	read.CreatedAt = before.CreatedAt
	e.found(read)
	e.flap.unchanged()
	e.changed = e.changed.Looked(nil)
	e.matched = now
	read.Carry(*before)
	e.noteRead(cty.NilVal, false, now)
	e.record.Instance = *read // equal, but in the provider's encoding
}

// upgrade brings the stored object to the current schema versions without reading it. ready is
// false if the executor cannot do that.
func (s *Scheduler) upgrade(ctx context.Context, e *entry, r *Request, ex terraform.Executor) (ready bool, err error) {
	in := e.record.Instance
	if len(in.RawState) == 0 && len(in.RawIdentity) == 0 {
		return true, nil
	}
	u, ok := ex.(terraform.Upgrader)
	if !ok {
		return false, nil
	}
	upgraded, diags := u.Upgrade(ctx, r.Type, in)
	if diags.HasErrors() {
		return false, decision.Failed(decision.ReasonReadFailed, diags)
	}
	upgraded.CreatedAt = in.CreatedAt
	e.record.Former = s.formerOf(e, r, upgraded)
	e.record.Instance = upgraded // stored with the intent to destroy it
	return true, nil
}

// storeRead stores the object as read.
func (s *Scheduler) storeRead(
	ctx context.Context, e *entry, r Request, ex terraform.Executor, refreshed terraform.Refreshed,
) (decision.ReadResult, error) {
	before, read := e.record.Instance, refreshed.Instance
	gone := !read.Exists()
	if gone {
		if found, err := s.newer(ctx, e, r, ex, before); found || err != nil {
			return decision.ReadChanged, err
		}
		if r.Consists == nil {
			switch s.notFound(e, &r, "", before) {
			case doomed:
				if ready, err := s.upgrade(ctx, e, &r, ex); ready || err != nil {
					return decision.ReadChanged, err
				}
				return decision.NotRead, e.notVisible() // it cannot be destroyed as it is stored
			case hidden:
				return decision.NotRead, e.notVisible()
			}
		}
	} else {
		read.CreatedAt = before.CreatedAt
		e.found(&read)
		e.record.Account = cmp.Or(r.StoredAccount, e.record.Account)
	}
	destroyed := gone && e.missing[""] != nil && e.missing[""].destroyed
	delete(e.missing, "")
	after := s.afterRead(e, &r, refreshed.Upgraded, read.AfterIdentity(before, s.o.Clock.Now()))
	if !gone {
		e.noteRead(read.State, true, s.o.Clock.Now())
	}
	if err := s.saveRead(ctx, e, r, after, gone && !destroyed); err != nil {
		return decision.NotRead, err
	}
	if instance.IdentityChanged(before, after) {
		s.tell(r, Event{Kind: IdentityChanged, From: before.Identity, To: after.Identity})
	}
	switch {
	case destroyed:
	case gone && r.Config != nil:
		s.tell(r, Event{Kind: Gone})
	case e.drifts.observed != nil:
		s.tell(r, e.drift(e.drifts.observed, s.o.Clock.Now()))
		e.drifts.observed = nil
	case before.Status == instance.Partial && !gone:
		s.tell(r, Event{Kind: Read})
	}
	if gone && e.record.Instance.Exists() {
		return decision.NotRead, nil
	}
	return decision.ReadChanged, nil
}
