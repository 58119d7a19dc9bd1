package scheduler

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

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
	out.CreatedAt = in.CreatedAt
	return x.conclude(ctx, out, out.Exists() && !in.Exists())
}
