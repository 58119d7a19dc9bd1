package scheduler

import (
	"errors"
	"time"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// What is not there now may be there later: clouds accept a create, and show the object when it
// is made. A read that finds nothing proves that an object is gone only if its creation ended
// well. After an interruption there are two cases:
//
//	the provider said what it began: a tainted object   its delete ends what is under way, so that
//	                                                    is tried before the object is believed gone
//	nobody said anything: an intent alone, whose        a second create of the same identity is
//	planned identity is not to be found                 safe, as a cloud makes one object of it, not
//	                                                    two; but the intent stands until there is
//	                                                    an object or its deadline is over. What
//	                                                    appears meanwhile is its own

// mayAppear says whether an object that was not found, the current one or the deposed one of the
// key, may be under way, and is to be destroyed. If that fails for as long as a create may take, it
// is gone. The entry's lock is held by the caller.
func (s *Scheduler) mayAppear(e *entry, r Request, key string, in instance.Instance) bool {
	if in.Status != instance.Tainted || len(in.RawState)+len(in.RawIdentity) > 0 {
		return false
	}
	now := s.o.Clock.Now()
	since, ok := e.missing[key]
	if !ok {
		since = now
		if e.missing == nil {
			e.missing = map[string]time.Time{}
		}
		e.missing[key] = since
	}
	return now.Sub(since) < s.timeout(r, instance.Create, in.State, in.Private)
}

// mayDestroy says whether a tainted object may be destroyed for its taint.
func mayDestroy(r Request) bool {
	return r.Deleted && r.Policies.Delete || r.Config != nil && r.Policies.Replace && r.Policies.ReplaceTainted
}

// doubtful says whether an interrupted create, whose object was looked for and is not there, may
// still make it. An error says that this has to be waited for.
func (s *Scheduler) doubtful(e *entry, r Request, op *instance.Operation) (doubtful bool, err error) {
	switch {
	case !op.Absent, !s.o.Clock.Now().Before(op.Deadline):
		return false, nil // it can be told no better later
	case r.Deleted:
		return true, failed(ReasonCreateOutcomeUnknown, awaited(op))
	}
	if e.doubt == nil || e.doubt.ID != op.ID {
		e.doubt = op
		r.tell(Event{Kind: Recovered, Operation: op.Kind})
	}
	return true, nil
}

// doubted is why a create must not begin as long as an interrupted one may still make another object.
func (s *Scheduler) doubted(e *entry, r Request, p terraform.Plan) error {
	op := e.record.Instance.Operation
	if op == nil || plannedKey(r, p.Identity, p.State) == plannedKey(r, op.PlannedIdentity, op.PlannedState) {
		return nil
	}
	return failed(ReasonCreateOutcomeUnknown, awaited(op))
}

func awaited(op *instance.Operation) diagnostic.Diagnostics {
	return diagnostic.Errorf("Create outcome unknown",
		"A create (operation %s) was interrupted. Its object is not there, but may appear until %s, and is waited for. "+
			"If you know that there will be none, set the annotation landbridge.io/confirm-create to %q.", op.ID, op.Deadline.UTC().Format(time.RFC3339), op.ID)
}

// leave leaves an operation alone that another process began after this one began to work: it has
// been told of its successor by now, or will soon be, and may still conclude it.
func (s *Scheduler) leave(e *entry) error {
	op := e.record.Instance.Operation
	if s.o.Lease == 0 || op.ID == e.begun || e.doubt != nil && op.ID == e.doubt.ID || !op.StartedAt.After(s.began()) ||
		!s.o.Clock.Now().Before(op.StartedAt.Add(s.o.Lease)) {
		return nil
	}
	e.forget()
	return &Error{Reason: ReasonStore, Err: errors.New("another controller has begun an operation on the resource; it is waited for")}
}

// forget has what is stored loaded anew: another process may write it.
func (e *entry) forget() { e.outdated, e.conflicted = true, true }

// errSuccessor is why a process without the lease begins nothing: what it holds in memory may be
// long outdated.
var errSuccessor = errors.New("another controller may work by now")
