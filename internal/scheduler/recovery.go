package scheduler

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// recover deals with an operation that was begun and not concluded, by an earlier process or
// by a provider that never answered. After it, the record has no operation, or there is an error.
//
// Only an object that is looked for where the create would have put it, and is not there,
// proves that a second create is safe. Only if it was not there before the create either, it
// proves that the create made it: anything else may be somebody else's, which must neither be
// replaced nor taken over unless the user says so.
func (s *Scheduler) recover(ctx context.Context, e *entry, r Request, ex terraform.Executor) error {
	in := e.record.Instance
	op := in.Operation
	in.Operation = nil
	if op.ID == e.undispatched && e.doubt != nil {
		op, e.record.Instance.Operation = e.doubt, e.doubt // it is as unknown as before what became of that one
	}
	if j, ok := ex.(terraform.Journaled); ok {
		return s.recoverJournaled(ctx, e, r, op, j)
	}
	if op.Kind != instance.Create || op.ID == e.undispatched || r.ConfirmCreate == op.ID {
		// The prior object is known, and reading it tells what became of it; or there is none.
		return s.recovered(ctx, e, r, op, in.FallBack(op.Deposed), false)
	}
	unknown := createOutcomeUnknown(op)
	var refused diagnostic.Diagnostics
	if r.Import.Target != nil {
		found, diags := ex.Import(ctx, r.Resource, *r.Import.Target)
		switch {
		case diags.HasErrors():
			refused = diags
		case !in.IsDeposed(found):
			return s.adopt(ctx, e, r, op, found)
		}
	}
	if identity := plannedIdentity(r, op.PlannedIdentity, op.PlannedState); identity != cty.NilVal {
		found, diags := ex.Import(ctx, r.Resource, terraform.ImportTarget{Identity: identity})
		switch {
		case diags.HasErrors() && !terraform.NonExistent(diags):
			refused = append(refused, diags...)
		case diags.HasErrors():
			if doubtful, err := s.doubtful(e, r, op); doubtful {
				return err
			}
			return s.recovered(ctx, e, r, op, in.FallBack(op.Deposed), false)
		case in.IsDeposed(found):
			return s.recovered(ctx, e, r, op, in.FallBack(op.Deposed), false)
		case op.Absent:
			found.Status = instance.Tainted // what is there may not be whole
			return s.adopt(ctx, e, r, op, found)
		default:
			s.claim(e, r, in, identityKey(r, found))
			if rival, ok := s.rival(ctx, e); ok && !r.Deleted {
				return identityConflict(rival)
			} else if ok {
				return s.recovered(ctx, e, r, op, in.FallBack(op.Deposed), false) // it is not ours to look after
			}
			unknown = append(unknown, foundAfterCreate(r, importOf(found, identity))...)
		}
	}
	if r.Import.Target == nil && r.Known != nil && op.Deposed == "" { // else what is known is the object that made way
		found, diags := ex.Import(ctx, r.Resource, r.Known.Target)
		switch {
		case diags.HasErrors() && !terraform.NonExistent(diags):
			refused = append(refused, diags...)
		case !diags.HasErrors() && !in.IsDeposed(found):
			unknown = append(unknown, foundAfterCreate(r, r.Known.Target)...)
		}
	}
	e.forget()
	if refused != nil {
		return failed(ReasonImportFailed, append(refused, unknown...))
	}
	return failed(ReasonCreateOutcomeUnknown, unknown)
}

// adopt stores the object that an interrupted create left behind, unless it is another resource's.
func (s *Scheduler) adopt(ctx context.Context, e *entry, r Request, op *instance.Operation, found instance.Instance) error {
	found.Deposed = e.record.Instance.Deposed
	s.claim(e, r, e.record.Instance, identityKey(r, found))
	if rival, ok := s.rival(ctx, e); ok && !r.Deleted {
		return identityConflict(rival)
	} else if ok {
		in := e.record.Instance
		in.Operation = nil
		return s.recovered(ctx, e, r, op, in.FallBack(op.Deposed), false)
	}
	return s.recovered(ctx, e, r, op, found, true)
}

// recovered stores what became of an operation, and tells it. found says of a create that it
// made the object.
func (s *Scheduler) recovered(ctx context.Context, e *entry, r Request, op *instance.Operation, in instance.Instance, found bool) error {
	undispatched := op.ID == e.undispatched
	process := faultpoint.Recover
	if op.Kind == instance.Create {
		process = faultpoint.RecoverCreate
	}
	faultpoint.Reach(process, faultpoint.BeforeConclude)
	if err := s.save(ctx, e, r, in); err != nil {
		return err
	}
	faultpoint.Reach(process, faultpoint.BeforeTold)
	if undispatched {
		return nil // its failure was told already
	}
	r.tell(Event{Kind: Recovered, Operation: op.Kind, Deposed: op.Deposed, Found: found})
	if found && in.Status == instance.Tainted {
		r.tell(Event{Kind: Tainted})
	}
	return nil
}

func createOutcomeUnknown(op *instance.Operation) diagnostic.Diagnostics {
	return diagnostic.Errorf("Create outcome unknown",
		"A create (operation %s) was interrupted, and nothing tells whether it made a remote object. "+
			"Look for the object. If it exists, adopt it with spec.import; if it does not, set the annotation landbridge.io/confirm-create to %q.", op.ID, op.ID)
}

// plannedIdentity is the identity of an object that is to be made, or may have been, as far as
// an import needs it; cty.NilVal when it cannot be told beforehand. Without attributes that an
// import requires, nothing says when it is whole. It comes from what was planned, not from the
// configuration, which may have changed since.
func plannedIdentity(r Request, identity, state cty.Value) cty.Value {
	schema := r.Resource.Schema.Identity
	if schema == nil || len(schema.Required()) == 0 {
		return cty.NilVal
	}
	values := make(map[string]cty.Value, len(schema.Attributes))
	for name, a := range schema.Attributes {
		v := planned(identity, name, a.Type)
		if v == cty.NilVal {
			// Providers that do not plan identities name their attributes after those of the resource.
			v = planned(state, name, a.Type)
		}
		switch {
		case v != cty.NilVal:
			values[name] = v
		case a.RequiredForImport:
			return cty.NilVal
		default:
			values[name] = cty.NullVal(a.Type)
		}
	}
	return cty.ObjectVal(values)
}

// planned is the attribute of an object, if it has the type and is known and not null.
func planned(object cty.Value, name string, t cty.Type) cty.Value {
	if v := attribute(object, name); v != cty.NilVal && known(v) && v.Type().Equals(t) {
		return v
	}
	return cty.NilVal
}
