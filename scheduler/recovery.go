package scheduler

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/diagnostic"
	"github.com/landbridge-io/landbridge/instance"
	"github.com/landbridge-io/landbridge/terraform"
)

// recover deals with an operation that was begun and not concluded, by an earlier process or
// by a provider that never answered. After it, the record has no operation, or there is an error.
//
// Only an object that is looked for where the create would have put it, and is not there,
// proves that a second create is safe. Where the user or an annotation says that the object
// is, may be where an earlier one was: it proves something only if there is one.
func (s *Scheduler) recover(ctx context.Context, e *entry, r Request, ex terraform.Executor) error {
	in := e.record.Instance
	op := in.Operation
	in.Operation = nil
	if op.Kind != instance.Create || op.ID == e.undispatched || r.ConfirmCreate == op.ID {
		// The prior object is known, and reading it tells what became of it; or there is none.
		return s.recovered(ctx, e, r, op, fallBack(in, op.Deposed), false)
	}
	unknown := createOutcomeUnknown(op)
	var refused diagnostic.Diagnostics
	if identity := createIdentity(r, op); identity != cty.NilVal {
		found, diags := ex.Import(ctx, r.Resource, terraform.ImportTarget{Identity: identity})
		switch {
		case !diags.HasErrors() && !isDeposed(in, found):
			return s.adopt(ctx, e, r, op, found)
		case !diags.HasErrors(), nonExistent(diags):
			return s.recovered(ctx, e, r, op, fallBack(in, op.Deposed), false)
		}
		refused = diags
	}
	target := r.Import
	if target == nil {
		target = r.Known
	}
	if target != nil {
		found, diags := ex.Import(ctx, r.Resource, *target)
		switch {
		case !diags.HasErrors() && isDeposed(in, found): // known is the object that made way
		case !diags.HasErrors():
			return s.adopt(ctx, e, r, op, found)
		case r.Import != nil || !nonExistent(diags):
			refused = diags
		}
	}
	if refused != nil {
		return failed(ReasonImportFailed, append(refused, unknown...))
	}
	return failed(ReasonCreateOutcomeUnknown, unknown)
}

// adopt stores the object that an interrupted create left behind. What is there may not be
// whole, unless the user says that it is the one to import.
func (s *Scheduler) adopt(ctx context.Context, e *entry, r Request, op *instance.Operation, found instance.Instance) error {
	found.Deposed = e.record.Instance.Deposed
	if r.Import == nil {
		found.Status = instance.Tainted
	}
	return s.recovered(ctx, e, r, op, found, true)
}

// recovered stores what became of an operation, and tells it. found says of a create that it
// made the object.
func (s *Scheduler) recovered(ctx context.Context, e *entry, r Request, op *instance.Operation, in instance.Instance, found bool) error {
	undispatched := op.ID == e.undispatched
	if err := s.save(ctx, e, r, in); err != nil {
		return err
	}
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

// nonExistent says whether an import failed because there is no such object (contract § 3.10).
func nonExistent(diags diagnostic.Diagnostics) bool {
	return diags.HasSummary("Cannot import non-existent remote object") || diags.HasSummary("Import returned null resource")
}

// createIdentity is the identity of the object that an interrupted create makes, as far as an
// import needs it; cty.NilVal when it cannot be told beforehand. Without attributes that an
// import requires, nothing says when it is whole. It comes from what was
// planned, not from the configuration, which may have changed since.
func createIdentity(r Request, op *instance.Operation) cty.Value {
	schema := r.Resource.Schema.Identity
	if schema == nil {
		return cty.NilVal
	}
	if len(schema.Required()) == 0 {
		return cty.NilVal
	}
	values := make(map[string]cty.Value, len(schema.Attributes))
	for name, a := range schema.Attributes {
		v := planned(op.PlannedIdentity, name, a.Type)
		if v == cty.NilVal {
			// Providers that do not plan identities name their attributes after those of the resource.
			v = planned(op.PlannedState, name, a.Type)
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
