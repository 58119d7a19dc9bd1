package scheduler

import (
	"context"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// The change record of a resource is stored with its instance, in writes that are made anyway: an
// operation is added with its intent, and gets its outcome with the outcome. So an entry that is
// missing would be one of something that has left no other trace either.

// described returns an entry with what all entries have.
func (s *Scheduler) described(r *Request, e history.Entry, account instance.Account) history.Entry {
	e.UID, e.Provider = r.UID, r.Provider
	if e.At.IsZero() {
		e.At = s.o.Clock.Now()
	}
	if account != "" {
		e.Account = account.Title()
	}
	if r.origin.IsValid() {
		e.Trace = r.origin.TraceID().String()
	}
	return e
}

// describe adds to an entry which fields have changed, and why it has failed.
func (r *Request) describe(e history.Entry, before, after instance.Instance, diags diagnostic.Diagnostics) history.Entry {
	if r.Describe == nil {
		return e
	}
	e.Changes, e.Message = r.Describe(before, after, diags.Errors())
	if !after.Exists() {
		e.Changes = nil // those of a destroyed object are all of its fields
	}
	return e
}

// saveWith stores the instance, with an entry of the change record.
func (s *Scheduler) saveWith(ctx context.Context, e *entry, r Request, in instance.Instance, what history.Entry) error {
	what = s.described(&r, what, e.record.Account)
	e.record.History = history.Add(e.record.History, what, s.o.HistorySize)
	if err := s.save(ctx, e, r, in); err != nil {
		return err
	}
	s.recorded(r.Key, what)
	return nil
}

// recorded tells of an entry that is stored.
func (s *Scheduler) recorded(k store.Key, e history.Entry) {
	if s.o.Recorded != nil {
		s.o.Recorded(k, e)
	}
}

// entry returns the entry of the operation.
func (o *operation) entry(outcome history.Outcome) history.Entry {
	out := history.Entry{
		At: o.op.StartedAt, Action: history.Action(o.op.Kind), Outcome: outcome, Operation: o.op.ID, Deposed: o.op.Deposed,
		Replacement: o.t.replacement, Because: o.t.because(o.r),
	}
	if o.t.otherWish(o.r) == "" {
		out.Author = o.r.Asked.Author
	}
	if o.op.Kind == instance.Create {
		out.Deposed = "" // it is about the new object
	}
	if o.t.approval != nil {
		out.By = o.t.approval.by
	}
	return o.described(&o.r, out, o.rec.Account)
}

// ended returns the entry of the operation with its outcome.
func (o *operation) ended(out instance.Instance, diags diagnostic.Diagnostics) history.Entry {
	outcome := history.Succeeded
	switch {
	case terraform.OutcomeUnknown(diags):
		outcome = history.Unknown
	case diags.HasErrors():
		outcome = history.Failed
	}
	e := o.entry(outcome)
	e.Took = milliseconds(o.o.Clock.Since(o.op.StartedAt))
	before := o.plan.Prior
	if o.op.Kind == instance.Create {
		before = instance.Instance{}
	}
	return o.r.describe(e, before, out, diags)
}

// recoveredEntry returns the entry of an interrupted operation whose outcome was found out.
// undispatched is set if its provider was never asked.
func recoveredEntry(op *instance.Operation, undispatched bool) history.Entry {
	e := history.Entry{At: op.StartedAt, Action: history.Action(op.Kind), Outcome: history.Recovered, Operation: op.ID, Deposed: op.Deposed}
	if op.Kind == instance.Create {
		e.Deposed = ""
	}
	if undispatched {
		e.Outcome, e.Message = history.Failed, "The provider was not asked for a change."
	}
	return e
}

// milliseconds returns a duration as entries have it. One that is shorter counts as one.
func milliseconds(d time.Duration) int64 { return max(1, d.Milliseconds()) }

// saveRead stores the instance as it was read. gone is set if the object was destroyed outside
// Landbridge. An object that is only observed cannot be planned, so each change of it is drift.
func (s *Scheduler) saveRead(ctx context.Context, e *entry, r Request, after instance.Instance, gone bool) error {
	before := e.record.Instance
	switch in := after.FallBack(""); {
	case gone && before.Exists():
		return s.saveWith(ctx, e, r, in, history.Entry{Action: history.Gone})
	case e.drifts.observed != nil:
		return s.saveWith(ctx, e, r, in, r.describe(history.Entry{Action: history.Drift}, before, after, nil))
	default:
		return s.save(ctx, e, r, in)
	}
}

// noteDrifted adds drift that a plan has found to the change record, with the time of now: drift
// itself only keeps the second in which its first change was found. It is stored with the next
// write: that of the intent to repair it, if it is repaired.
func (s *Scheduler) noteDrifted(e *entry, r *Request, found *instance.Drift) {
	what := s.described(r, history.Entry{Action: history.Drift}, e.record.Account)
	if r.DescribeDrift != nil {
		what.Changes = r.DescribeDrift(found, e.record.Instance)
	}
	e.record.History = history.Add(e.record.History, what, s.o.HistorySize)
	s.recorded(r.Key, what)
}
