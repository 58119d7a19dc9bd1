package scheduler

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/journal"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/slots"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/tracing"
)

// operation is one operation in the background.
type operation struct {
	*Scheduler
	e     *entry
	r     Request
	t     task
	limit *limit
	// op is what is known of the operation. rec is the record as it is stored.
	op  *instance.Operation
	rec store.Record
	// unresolved is the interrupted create that the operation began after; nil if there was none.
	unresolved *instance.Operation

	// ctx ends at the deadline, and early with an interrupt, too.
	ctx, early context.Context
	timeout    time.Duration
	ex         terraform.Executor
	// ends are called in reverse order when the operation ends.
	ends []func()

	// in is the instance to store while the operation runs, and plan is carried out.
	in   instance.Instance
	plan terraform.Plan
	// handle is what the object of a create is looked up by, and absent is set if there certainly
	// is none.
	handle ownership.Handle
	absent bool
}

// run carries out the journal protocol: the intent is stored before the provider is called, and the
// outcome before it is reported.
func (o *operation) run() result {
	defer func() {
		for i := len(o.ends) - 1; i >= 0; i-- {
			o.ends[i]()
		}
	}()
	for _, phase := range []func() *result{o.wait, o.prepare, o.check, o.intend, o.contend} {
		if ended := phase(); ended != nil {
			return *ended
		}
	}
	out, diags, ended := o.dispatch()
	if ended != nil {
		return *ended
	}
	return o.conclude(out, diags)
}

// atEnd has a function called when the operation ends.
func (o *operation) atEnd(f func()) { o.ends = append(o.ends, f) }

// notStarted is the result of an operation that never reaches the provider. record is the stored
// record; nil if it is unknown.
func (o *operation) notStarted(record *store.Record, diags diagnostic.Diagnostics) *result {
	return &result{op: o.op, record: record, diags: o.t.interruption.Explain(diags), undispatched: true, unresolved: o.unresolved}
}

// refuse is notStarted before anything is stored.
func (o *operation) refuse(format string, args ...any) *result {
	return o.notStarted(&o.rec, diagnostic.Errorf("Operation not started", format, args...))
}

// wait waits for the operation's turn and for the provider, and begins the time that it may take.
func (o *operation) wait() *result {
	traced := tracing.With(slots.WithOwner(o.Scheduler.ctx, o.r.Key.Namespace), o.r.origin)
	early, cancel := o.t.interruption.Before(traced)
	o.atEnd(cancel)
	waiting, cancel := context.WithTimeout(early, o.o.OperationTimeout)
	o.atEnd(cancel)
	giveBack, err := o.limit.Acquire(waiting)
	if err != nil {
		return o.refuse("The operation waited too long for others of the same provider configuration: %s.", err)
	}
	o.atEnd(giveBack)
	o.begin()
	o.ctx, cancel = context.WithTimeout(provider.WithInterrupt(provider.WithFence(traced, o.fence), o.t.interruption.Context()), o.timeout)
	o.atEnd(cancel)
	o.t.interruption.Dispatches(cancel)
	o.early, cancel = o.t.interruption.Before(o.ctx)
	o.atEnd(cancel)
	ex, release, diags := o.r.Acquire(o.early)
	if diags.HasErrors() {
		return o.notStarted(&o.rec, diags)
	}
	o.atEnd(release)
	o.ex = ex
	return nil
}

// begin sets the deadline of the operation.
func (o *operation) begin() {
	t, in := &o.t, &o.rec.Instance
	state, private := in.State, in.Private
	if i := in.DeposedIndex(t.deposed); t.kind == instance.Delete && i >= 0 {
		state, private = in.Deposed[i].State, in.Deposed[i].Private
	}
	if t.plan != nil {
		state, private = t.plan.State, t.plan.Private
	}
	o.timeout = o.Scheduler.timeout(&o.r, t.kind, state, private)
	op := *o.op
	op.StartedAt = o.o.Clock.Now()
	op.Deadline = op.StartedAt.Add(o.timeout)
	o.op = &op
	e := o.e.lock()
	defer e.unlock()
	e.show(&op, t.progress)
}

// prepare makes the instance to store while the operation runs, and the plan to carry out.
func (o *operation) prepare() *result {
	in, t := o.rec.Instance, &o.t
	var diags diagnostic.Diagnostics
	switch {
	case t.kind == instance.Delete && t.deposed == "":
		o.plan, diags = o.ex.PlanDestroy(o.early, o.r.Type, in)
		o.plan.WithoutRefresh = o.r.Deleted && o.r.WithoutRefresh
	case t.kind == instance.Delete:
		in, diags = o.prepareDeposed(in)
	case t.deposed != "":
		in = in.SetAside(t.deposed)
		config := *o.r.Configuration()
		config.Value = o.r.CreateToken.In(config.Value, cty.NilVal, journal.NewToken())
		config.Validated = true
		o.plan, diags = o.ex.Plan(o.early, o.r.Type, in, config)
		o.plan.Validation = t.plan.Validation
	default:
		o.plan = *t.plan
	}
	if diags.HasErrors() {
		return o.notStarted(&o.rec, diags)
	}
	o.in = in
	return nil
}

// prepareDeposed plans to destroy a deposed object, and returns the instance with the object as it
// is: it may be gone, or have another version of its schema.
func (o *operation) prepareDeposed(in instance.Instance) (instance.Instance, diagnostic.Diagnostics) {
	t := &o.t
	i := in.DeposedIndex(t.deposed)
	if i < 0 {
		return in, diagnostic.Errorf("Operation not started", "There is no deposed object %s.", t.deposed)
	}
	before := in.Deposed[i].Instance()
	refreshed, diags := o.ex.Refresh(o.early, o.r.Type, before)
	if diags.HasErrors() {
		return in, diags
	}
	if t.unseen = !refreshed.Instance.Exists(); t.unseen {
		switch t.notFound(before) {
		case hidden:
			return in, diagnostic.Errorf("Replaced object not visible yet",
				"The object that was replaced was made a short time ago, and its API does not show it. It is destroyed as soon as it is visible.")
		case doomed:
			if refreshed.Instance, diags = o.upgraded(before); diags.HasErrors() {
				return in, diags
			}
		}
	}
	refreshed.Instance.CreatedAt = before.CreatedAt
	if !refreshed.Instance.Exists() {
		o.plan = terraform.Plan{Resource: o.r.Type, Action: terraform.NoOp, Prior: refreshed.Instance}
		return in, nil
	}
	o.plan, diags = o.ex.PlanDestroy(o.early, o.r.Type, refreshed.Instance)
	return in.WithDeposed(t.deposed, refreshed.Instance), diags
}

// upgraded returns an object that was not found, and is to be destroyed as it is stored, in the
// current version of its schema.
func (o *operation) upgraded(in instance.Instance) (instance.Instance, diagnostic.Diagnostics) {
	if len(in.RawState)+len(in.RawIdentity) == 0 {
		return in, nil
	}
	u, ok := o.ex.(terraform.Upgrader)
	if !ok {
		return in, diagnostic.Errorf("Replaced object not visible yet",
			"The object that was replaced was made a short time ago, and its API does not show it. It is destroyed "+
				"as soon as it is visible, since its state is of an earlier version of its schema.")
	}
	return u.Upgrade(o.early, o.r.Type, in)
}

// check looks again whether the operation may begin, since it may have waited, and whether its
// object exists already.
func (o *operation) check() *result {
	t, r := &o.t, &o.r
	if !t.approval.permits(o.Scheduler, r, t, &o.plan) {
		return o.refuse("The plan of the new object is not the approved one any more. It is planned again.")
	}
	if diags := o.stillPermitted(o.early, r, t, o.rec.Instance, o.plan); diags.HasErrors() {
		return o.notStarted(&o.rec, diags)
	}
	if why := r.stopped(); why != "" {
		return o.refuse("%s", why)
	}
	if o.isStopping() {
		return o.refuse("The controller is stopping; the operation is left to its successor.")
	}
	if o.unresolved != nil && r.naming().InterruptedKey(o.unresolved) == "" && r.token().Expired(o.unresolved, o.o.Clock.Now()) {
		return o.refuse("The create token of an earlier create, which was interrupted, is not valid any more.")
	}
	met := o.look()
	switch {
	case met.Exists() && o.unresolved != nil:
		return o.refuse("The object of an earlier create, which was interrupted, has appeared.")
	case met.Exists() && t.destroyed.shows(met, o.o.Clock.Now(), o.gracePeriod(r)):
		return o.refuse("The object that was destroyed for it is still shown by its API. It is tried again.")
	case met.Exists():
		return &result{op: o.op, record: &o.rec, undispatched: true, met: met, handle: o.handle}
	}
	if refused := o.refuseUnchecked(); refused != nil {
		res := o.notStarted(&o.rec, refused.Diagnostics)
		res.reason = refused.Reason
		return res
	}
	if t.interruption.Asked() != "" {
		return o.refuse("The provider was not asked for a change.")
	}
	return nil
}

// intend stores the intent.
func (o *operation) intend() *result {
	t, r, p := &o.t, &o.r, &o.plan
	intended := *o.op
	intended.Absent = o.absent
	o.in.Carry(o.rec.Instance)
	o.in.Unsettled, o.in.Waiting = t.beginning(o.in.Unsettled, r), nil
	intended.PlannedState, intended.PlannedPrivate, intended.PlannedIdentity = p.State, p.Private, p.Identity
	if o.op.Kind == instance.Create {
		o.handle.Note(&intended)
		r.token().Note(*p, o.unresolved, &intended, o.o.Clock.Now())
		if r.claiming().OnlyListed(p) && intended.CreateToken == "" {
			intended.Listed = r.listing(o.ex).Snapshot(o.early, p.State)
		}
	}
	o.in.Operation = &intended
	intent := o.rec
	intent.Owner, intent.Instance, intent.Former = r.UID, o.in, nil
	intent.Account = cmp.Or(r.StoredAccount, o.rec.Account)
	intent.History = history.Add(intent.History, o.entry(history.Running), o.o.HistorySize)
	t.approval.use(&intent.Handled, o.o.Clock.Now())
	if t.reapply != "" {
		intent.Handled.Reapply = t.reapply
	}
	if r.round != "" {
		intent.Handled.Round, intent.Handled.RoundEnded = r.round, false
	}
	p.Exact = t.approval != nil && !t.approval.unasked
	faultpoint.Reach(t.process, faultpoint.BeforeIntent)
	if !o.o.Leads() {
		return o.notStarted(nil, diagnostic.Errorf("Operation not started", "Its intent could not be recorded: %s.", journal.ErrSuccessor))
	}
	if o.op.Kind == instance.Create && o.left(o.e) {
		return o.refuse("The resource is gone.")
	}
	version, err := o.reserve(o.ctx, *r, o.rec)
	if intent.Version = version; err == nil {
		o.rec, err = o.store(o.ctx, r, intent)
	}
	if err != nil {
		res := o.notStarted(nil, diagnostic.Errorf("Operation not started", "Its intent could not be recorded: %s.", err))
		res.reason = storeReason(err)
		return res
	}
	if a := t.approval; a != nil && !a.completes && !a.unasked {
		o.tell(*r, Event{Kind: Approved, Hash: a.hash, By: a.by, Action: a.action})
	}
	return nil
}

// contend looks after the intent of a create was stored whether another shard has the object, or is
// about to make it, too. Then nothing is created: the intent is withdrawn. A create whose object
// was looked for goes on as long as no configuration is known to access the same store.
func (o *operation) contend() *result {
	if o.o.Elsewhere == nil || o.op.Kind != instance.Create || o.handle.None() ||
		!o.r.Policies.CreateUnchecked && !o.stores.shared(o.r.access()) {
		return nil
	}
	var refused *Error
	switch by, state, err := o.twinElsewhere(o.early, &o.r, o.sightings()); {
	case err != nil:
		return o.notStarted(nil, diagnostic.Errorf("Operation not started",
			"Whether another shard has the object could not be determined: %s.", err))
	case state == sameObject:
		refused = identityConflict(o.r, by)
	case state.open() && o.r.Policies.CreateUnchecked && !o.r.confirmsStore(""):
		refused = unclearStore(o.r, by, "")
	default:
		return nil
	}
	res := o.notStarted(nil, refused.Diagnostics)
	res.reason = refused.Reason
	return res
}

// dispatch calls the provider, and returns its answer.
func (o *operation) dispatch() (out instance.Instance, diags diagnostic.Diagnostics, ended *result) {
	t, p := &o.t, &o.plan
	faultpoint.Reach(t.process, faultpoint.BeforeDispatch)
	if !o.o.Leads() {
		return out, nil,
			o.notStarted(
				nil, diagnostic.Errorf("Operation not started", "Too much time has passed since its intent was "+
					"recorded: another controller may have found it by now."),
			)
	}
	if t.interruption.Asked() != "" {
		return out, nil, o.notStarted(nil, diagnostic.Errorf("Operation not started", "The provider was not asked for a change."))
	}
	if t.braked {
		o.brake.Begin(o.o.Clock.Now(), o.r.UID)
	}
	out = p.Prior
	intended := o.in.Operation
	if p.Action != terraform.NoOp {
		answered := faultpoint.During(t.process, faultpoint.InFlight)
		if j, ok := o.ex.(terraform.Journaled); ok {
			p.CreateUnchecked, p.Refuses = o.r.Policies.CreateUnchecked, o.refusesContained
			out, diags = j.ApplyJournaled(o.listen(o.ctx, o.r, t.progress, *p), *p, o.writer().Recorder(o.ctx, &o.rec))
			o.in.Operation = o.rec.Instance.Operation
			t.changed, t.left = j.Changed(o.in.Operation.Journal), j.Left(out)
		} else {
			out, diags = o.ex.Apply(o.listen(o.ctx, o.r, t.progress, *p), *p)
		}
		answered()
	}
	out, diags = journal.Repeated(o.unresolved, intended, out, diags)
	diags = t.interruption.Explain(diags)
	if diags.HasErrors() && !o.o.Clock.Now().Before(o.op.Deadline) {
		diags = append(diags, journal.TimedOut(o.op.Kind, o.timeout)...)
	}
	if o.op.Kind == instance.Update {
		out = out.AfterIdentity(p.Prior, o.o.Clock.Now())
	}
	return out, diags, nil
}

// conclude stores the outcome.
func (o *operation) conclude(out instance.Instance, diags diagnostic.Diagnostics) result {
	t, p := &o.t, &o.plan
	faultpoint.Reach(t.process, faultpoint.BeforeConclude)
	out = o.dated(o.r, t, o.in, out, diags)
	o.rec.Instance = o.afterOperation(journal.Concluded(o.in, out, diags, o.unresolved), o.in, t, diags)
	t.interruption.Note(&o.rec.Handled, o.op.Generation, t.completes(diags))
	if o.r.round != "" && t.completes(diags) {
		o.rec.Handled.RoundEnded = true
	}
	entry := o.ended(out, diags)
	stands := o.rec.Instance.Operation != nil && o.rec.Instance.Operation.ID == o.op.ID
	if !stands { // otherwise nothing may have to be written; its recovery adds the outcome
		o.rec.History = history.Add(o.rec.History, entry, o.o.HistorySize)
	}
	var err error
	if o.rec, err = o.writer().Outcome(o.in, o.rec); err != nil {
		return result{
			op: o.op,
			diags: append(diags, diagnostic.Errorf("Outcome not recorded",
				"The operation ended, but its outcome could not be recorded: %s.", err)...),
		}
	}
	if !stands {
		o.recorded(o.r.Key, entry)
	}
	faultpoint.Reach(t.process, faultpoint.BeforeTold)
	reason := Reason("")
	if terraform.ObjectExists(diags) {
		reason = decision.ReasonAlreadyExists
	}
	return result{
		op: o.op, record: &o.rec, diags: diags, reason: reason, planned: o.r.naming().PlannedIdentity(p.Identity, p.State), plannedState: p.State,
		changed: t.changed, left: t.left,
	}
}

// writer stores what becomes of the operation.
func (o *operation) writer() *journal.Writer {
	return &journal.Writer{
		Store: o.o.Store, Key: o.r.Key, Schema: o.r.Type.Schema, Logger: o.o.Logger, Clock: o.o.Clock,
		Running: o.Scheduler.ctx, RetryEvery: o.o.MaxBackoff,
		Save:  func(ctx context.Context, rec store.Record) (store.Record, error) { return o.store(ctx, &o.r, rec) },
		Leads: o.o.Leads, MayExist: func(ctx context.Context) bool { return o.mayExist(ctx, o.r.Key, o.r.UID) }, Unrecorded: o.reportUnrecorded,
	}
}

// reportUnrecorded shows in the view of a running operation that its outcome cannot be stored.
// release ends the attempts to store it.
func (o *operation) reportUnrecorded(op *instance.Operation, release func(), err error) {
	e := o.e.lock()
	if e.view.state == decision.Running {
		shown := *e.view.observation
		shown.Unrecorded = &Error{Reason: storeReason(err), Err: fmt.Errorf(
			"%s ended, but its outcome cannot be stored and is only in the controller's memory: %w. It is "+
				"tried again every %s",
			op.Kind, err, o.o.MaxBackoff)}
		e.view.observation, e.view.release = &shown, release
		e.unrecorded.Store(shown.Unrecorded)
	}
	e.unlock()
	o.o.Wake(o.r.Key)
}
