package scheduler

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// recover resolves an operation that was begun and not concluded, by an earlier process or because
// the provider never answered. If it returns no error, the record afterwards has no operation, or a
// unresolved one.
//
// A second create is only safe if the object of the planned identity is looked up and not found. If
// the object is found, the create made it only if there was none before the create: any other
// object may not be the resource's, and must be neither replaced nor adopted unless the user
// requests it.
func (s *Scheduler) recover(ctx context.Context, e *entry, r Request, ex terraform.Executor) error {
	in := e.record.Instance
	op := in.Operation
	in.Operation = nil
	if unresolved := e.undispatchedAfter; op.ID == e.undispatched && unresolved != nil {
		op, e.record.Instance.Operation = unresolved, unresolved // its outcome is still unknown
	}
	x := &recovery{Scheduler: s, e: e, r: r, ex: ex, op: op, unknown: createOutcomeUnknown(op)}
	if j, ok := ex.(terraform.Journaled); ok {
		return x.byJournal(ctx, j)
	}
	if op.Kind != instance.Create || op.ID == e.undispatched || r.ConfirmCreate == op.ID {
		// Reading the prior object shows the outcome; or there is none.
		return x.concludeWithout(ctx)
	}
	if r.Import.Target != nil {
		found, diags := ex.Import(ctx, r.Type, *r.Import.Target)
		switch {
		case diags.HasErrors():
			x.refused = diags
		case in.IsDeposed(found):
		case r.Deleted:
			return x.adoptToDestroy(ctx, found)
		default:
			return x.adopt(ctx, found)
		}
	}
	if op.Made != instance.Empty {
		return x.byMade(ctx)
	}
	if done, err := x.byHandle(ctx); done {
		return err
	}
	if r.token().Resumes(op, s.o.Clock.Now()) {
		s.isUnresolved(e, r, op)
		return nil
	}
	if done, err := x.byList(ctx); done {
		return err
	}
	if r.Import.Target == nil && r.Known != nil && op.Deposed == "" { // otherwise the known object is the replaced one
		found, diags := ex.Import(ctx, r.Type, r.Known.Target)
		switch {
		case diags.HasErrors() && !terraform.NonExistent(diags):
			x.refused = append(x.refused, diags...)
		case !diags.HasErrors() && !in.IsDeposed(found):
			x.unknown = append(x.unknown, foundAfterCreate(r, r.Known.Target)...)
		}
	}
	e.invalidate(outdated)
	if x.refused != nil {
		return decision.Failed(decision.ReasonImportFailed, append(x.refused, x.unknown...))
	}
	return decision.Failed(decision.ReasonCreateOutcomeUnknown, x.unknown)
}

// recovery is the recovery of one operation.
type recovery struct {
	*Scheduler
	e  *entry
	r  Request
	ex terraform.Executor
	op *instance.Operation
	// refused are the provider's errors, and unknown is what the user is told, if the outcome of a
	// create stays unknown.
	refused, unknown diagnostic.Diagnostics
}

// byHandle looks for the object of an interrupted create by its handle. done is false if the
// outcome stays unknown, and err is nil then.
func (x *recovery) byHandle(ctx context.Context) (done bool, err error) {
	e, r, op := x.e, x.r, x.op
	h, absent := r.naming().InterruptedHandle(op)
	if h.None() {
		x.unknown = append(x.unknown, r.Handles.NotUsed()...)
		return false, nil
	}
	in := e.record.Instance
	in.Operation = nil
	found, diags := x.ex.Import(ctx, r.Type, h.Target())
	switch {
	case diags.HasErrors() && !terraform.NonExistent(diags):
		x.refused = append(x.refused, diags...)
	case diags.HasErrors() && !h.Confirmed():
		x.unknown = append(x.unknown, diagnostic.Errorf("Object not found",
			"The object was not found by what the provider's configuration says about it, which no other object has confirmed yet.")...)
	case diags.HasErrors() && !h.Identified() && x.o.Clock.Now().Before(op.Deadline):
		if r.token().Resumes(op, x.o.Clock.Now()) {
			return false, nil
		}
		// Several objects may have the name that an import id is made of.
		return true, decision.Failed(decision.ReasonCreateOutcomeUnknown, decision.Awaited(op, op.Deadline))
	case diags.HasErrors():
		if err := x.mayAppear(e, &r, op); err != nil {
			return true, err
		}
		if may, err := x.mayStillCreate(e, r, op); may {
			return true, err
		}
		return true, x.concludeWithout(ctx)
	case in.IsDeposed(found) && !absent: // otherwise the deposed object was gone before the create
		return true, x.concludeWithout(ctx)
	case !r.naming().Means(h, found):
		x.unknown = append(x.unknown, r.Handles.NotUsed()...)
	case absent:
		found.Status = instance.Tainted // it may be incomplete
		return true, x.adopt(ctx, found)
	default:
		x.claim(e, r, in, r.naming().KeyOf(h, found))
		if rival, ok := x.rival(ctx, e); ok && !r.Deleted {
			return true, identityConflict(r, rival)
		} else if ok {
			return true, x.concludeWithout(ctx) // it belongs to another resource
		}
		if terraform.Told(r.Type.Schema, h.Target(), found.State) {
			x.unknown = append(x.unknown, foundAfterCreate(r, importOf(found, h))...)
		}
	}
	return false, nil
}

// byMade imports the object of a create that succeeded, although its outcome could not be
// stored. An id may not be unique, so an object without an identity is imported only on request.
func (x *recovery) byMade(ctx context.Context) error {
	e, r, op := x.e, x.r, x.op
	in := e.record.Instance
	in.Operation = nil
	var refused diagnostic.Diagnostics
	if identity := r.naming().PlannedIdentity(op.PlannedIdentity, cty.NilVal); identity != cty.NilVal {
		found, diags := x.ex.Import(ctx, r.Type, terraform.ImportTarget{Identity: identity})
		switch {
		case terraform.NonExistent(diags), !diags.HasErrors() && in.IsDeposed(found):
			if err := x.mayAppear(e, &r, op); err != nil {
				return err
			}
			return x.concludeWithout(ctx) // it was destroyed since
		case !diags.HasErrors():
			if op.Made == instance.Tainted {
				found.Status = instance.Tainted
			}
			return x.adopt(ctx, found)
		}
		refused = diags
	}
	e.invalidate(outdated)
	return decision.Failed(decision.ReasonCreateOutcomeUnknown, append(refused, diagnostic.Errorf("State not stored",
		"A create (operation %s) made an object with the id %q, but its state could not be stored. Adopt the object "+
			"with spec.import; if it does not exist, set the annotation landbridge.io/confirm-create to %q.",
		op.ID, op.MadeID, op.ID)...))
}

// adopt stores the object that an interrupted create made, unless it belongs to another resource.
func (x *recovery) adopt(ctx context.Context, found instance.Instance) error {
	e, r := x.e, x.r
	found.Deposed = e.record.Instance.Deposed
	x.claim(e, r, e.record.Instance, ownership.IdentityKey(r.Type.Schema, found))
	if rival, ok := x.rival(ctx, e); ok && !r.Deleted {
		return identityConflict(r, rival)
	} else if ok {
		return x.concludeWithout(ctx)
	}
	by, state, err := x.twinAnywhere(ctx, e, &r, []string{ownership.IdentityKey(r.Type.Schema, found)}, &found)
	switch {
	case err != nil:
		return err
	case state == sameObject && !r.Deleted:
		return identityConflict(r, by)
	case state == sameObject:
		return x.concludeWithout(ctx)
	}
	return x.conclude(ctx, found, true)
}

// adoptToDestroy stores the object that spec.import names as the one that an interrupted create
// made, so that it is destroyed with the resource. An object of another resource is not the one:
// the outcome of the create stays unknown.
func (x *recovery) adoptToDestroy(ctx context.Context, found instance.Instance) error {
	e, r := x.e, x.r
	wanted := ownership.IdentityKey(r.Type.Schema, found)
	if r.Type.Schema.Identity == nil {
		wanted = ownership.IDKey(r.Import.Target.ID)
	}
	x.claim(e, r, e.record.Instance, wanted)
	if rival, ok := x.rival(ctx, e); ok {
		e.invalidate(outdated)
		return decision.Failed(decision.ReasonCreateOutcomeUnknown, append(diagnostic.Errorf("Identity conflict",
			"spec.import names the remote object of %s, so it is not the one that the interrupted create made.",
			rival.Text(r.Key.Namespace)), createOutcomeUnknown(x.op)...))
	}
	found.Deposed = e.record.Instance.Deposed
	return x.conclude(ctx, found, true)
}

// conclude stores the outcome of an operation, and reports it. found is set for a create that made
// the object.
func (x *recovery) conclude(ctx context.Context, in instance.Instance, found bool) error {
	e, r, op := x.e, x.r, x.op
	undispatched := op.ID == e.undispatched
	process := faultpoint.Recover
	if op.Kind == instance.Create {
		process = faultpoint.RecoverCreate
	}
	faultpoint.Reach(process, faultpoint.BeforeConclude)
	if found {
		in = x.datedNow(e, &r, in)
	}
	if u := e.record.Instance.Unsettled; u != nil {
		counts := *u
		if found && (in.Status != instance.Tainted || len(in.Deposed) == 0) {
			counts.Repeats = counts.Gone() // it has replaced another one
		}
		in.Unsettled = &counts
	}
	what := recoveredEntry(op, undispatched)
	if found {
		what = r.describe(what, instance.Instance{}, in, nil)
	}
	if err := x.saveWith(ctx, e, r, in, what); err != nil {
		return err
	}
	delete(e.missing, absentOf(op))
	faultpoint.Reach(process, faultpoint.BeforeTold)
	if undispatched {
		return nil // its failure was reported already
	}
	x.tell(r, Event{Kind: Recovered, Operation: op.Kind, Deposed: op.Deposed, Found: found})
	if found && in.Status == instance.Tainted {
		x.tell(r, Event{Kind: Tainted})
	}
	return nil
}

// concludeWithout stores that the operation has left no other object than there was before.
func (x *recovery) concludeWithout(ctx context.Context) error {
	in := x.e.record.Instance
	in.Operation = nil
	return x.conclude(ctx, in.FallBack(x.op.Deposed), false)
}

func createOutcomeUnknown(op *instance.Operation) diagnostic.Diagnostics {
	return diagnostic.Errorf("Create outcome unknown",
		"A create (operation %s) was interrupted, and it is unknown whether it made a remote object. "+
			"Look for the object. If it exists, adopt it with spec.import; if it does not, set the annotation "+
			"landbridge.io/confirm-create to %q.",
		op.ID, op.ID)
}
