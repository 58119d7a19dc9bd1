package scheduler

import (
	"context"
	"strings"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// recorder stores what an operation of several changes records, with its intent in rec. Like that, it
// is fenced: where somebody else has written, or may have begun to work, nothing is stored.
func (s *Scheduler) recorder(ctx context.Context, r Request, rec *store.Record) func([]byte) error {
	return func(journal []byte) error {
		if !s.o.Leads() {
			return errSuccessor
		}
		next := *rec
		op := *rec.Instance.Operation
		op.Journal = journal
		next.Instance.Operation = &op
		// Not the operation's context: answers come after its deadline, too.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
		defer cancel()
		stored, err := s.o.Store.Save(ctx, r.Key, r.Resource.Schema, next)
		if err != nil {
			rec.Instance = next.Instance // it is stored with the next one, or with the outcome
			return err
		}
		*rec = stored
		return nil
	}
}

// recoverJournaled has the executor say what became of an operation of several changes.
func (s *Scheduler) recoverJournaled(ctx context.Context, e *entry, r Request, op *instance.Operation, ex terraform.Journaled) error {
	in := e.record.Instance
	in.Operation = nil
	out, diags := ex.Recover(ctx, r.Resource, in, op, r.ConfirmCreate == op.ID)
	if diags.HasErrors() {
		e.forget()
		reason := ReasonReadFailed
		if terraform.OutcomeUnknown(diags) {
			reason = ReasonCreateOutcomeUnknown
		}
		return failed(reason, diags)
	}
	return s.recovered(ctx, e, r, op, out, out.Exists() && !in.Exists())
}

func containedRefused(p terraform.Plan) diagnostic.Diagnostics {
	return diagnostic.Errorf("Replacement refused", "This change would destroy %s, which spec.lifecycle.replacePolicy or spec.managementPolicies do not allow. Allow it, or take the change back.", strings.Join(p.Destroys(), ", "))
}
