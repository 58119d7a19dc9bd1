package scheduler

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// recorder returns the function that stores the journal of an operation of several changes,
// together with its intent in rec. Like the intent it is fenced: if another process has written, or
// may have taken over, nothing is stored.
func (s *Scheduler) recorder(ctx context.Context, r Request, rec *store.Record) func([]byte) error {
	return func(journal []byte) error {
		if !s.o.Leads() {
			return errSuccessor
		}
		next := *rec
		op := *rec.Instance.Operation
		op.Journal = journal
		next.Instance.Operation = &op
		// Not the operation's context: answers may come after its deadline.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
		defer cancel()
		stored, err := s.store(ctx, &r, next)
		if err != nil {
			rec.Instance = next.Instance // stored with the next journal, or with the outcome
			return err
		}
		*rec = stored
		return nil
	}
}

// byJournal recovers an operation of several changes, as its executor reports.
func (x *recovery) byJournal(ctx context.Context, ex terraform.Journaled) error {
	e, r, op := x.e, x.r, x.op
	in := e.record.Instance
	in.Operation = nil
	out, diags := ex.Recover(ctx, r.Type, in, op, r.ConfirmCreate == op.ID, x.o.Clock.Now())
	if diags.HasErrors() {
		e.invalidate(outdated)
		reason := decision.ReasonReadFailed
		if terraform.OutcomeUnknown(diags) {
			reason = decision.ReasonCreateOutcomeUnknown
		}
		return decision.Failed(reason, diags)
	}
	return x.conclude(ctx, out, out.Exists() && !in.Exists())
}
