package scheduler

import (
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// An interrupted create whose object is not found may still make it, and the API may show it later:
//
//	an intent with a create token           a second create with the same token is safe while the remote side remembers it
//	an intent alone, whose planned          a second create of the same identity is safe after the grace period, since a cloud
//	identity is not found                   makes one object of it, not two. The intent stands until there is an object or its
//	                                        deadline has passed: what appears meanwhile is its own

// mayStillCreate reports whether an interrupted create whose object was not found may still make
// it. It returns an error if the outcome is not known yet.
func (s *Scheduler) mayStillCreate(e *entry, r Request, op *instance.Operation) (may bool, err error) {
	switch {
	case !s.o.Clock.Now().Before(op.Deadline):
		return false, nil // waiting longer is no use
	case r.Deleted:
		return true, decision.Failed(decision.ReasonCreateOutcomeUnknown, decision.Awaited(op, op.Deadline))
	}
	s.isUnresolved(e, r, op)
	return true, nil
}

// isUnresolved notes that the outcome of an interrupted create is unknown, and that another one is
// safe all the same.
func (s *Scheduler) isUnresolved(e *entry, r Request, op *instance.Operation) {
	if e.unresolved == nil || e.unresolved.ID != op.ID {
		e.unresolved = op
		s.tell(r, Event{Kind: Recovered, Operation: op.Kind, Repeated: r.token().Resumes(op, s.o.Clock.Now())})
	}
}

// mayMakeAnother reports whether an interrupted create may still make another object than the plan.
func (e *entry) mayMakeAnother(r Request, p terraform.Plan) bool {
	op := e.record.Instance.Operation
	if op == nil {
		return false
	}
	if key := r.naming().InterruptedKey(op); key != "" {
		return key != r.naming().PlannedKey(p.Identity, p.State)
	}
	return op.CreateToken != r.CreateToken.Of(p.Config)
}

// foreign reports whether another process began the operation of the record after this one started.
// Then this process has lost its lease or soon will, and the other one may still conclude the
// operation.
func (s *Scheduler) foreign(e *entry) bool {
	op := e.record.Instance.Operation
	if s.o.Lease == 0 || op.ID == e.begun || e.unresolved != nil && op.ID == e.unresolved.ID || !op.StartedAt.After(s.began()) {
		return false
	}
	return s.o.Clock.Now().Before(op.StartedAt.Add(s.o.Lease))
}
