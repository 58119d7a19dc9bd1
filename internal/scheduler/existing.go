package scheduler

import (
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Nothing is taken over unless somebody asks for it. Where the identity of an object is known
// before it is created, it is looked for first: many providers' creates overwrite what is
// there, or answer with it, and say nothing. What the look finds is written into the intent, so
// that an interrupted create can later tell the object that it made from anybody else's.

// look looks for the object that a create is going to make. absent says that there is none for
// certain; without it and without an object nothing is known, and the provider has to say what
// it says of the create.
func look(ctx context.Context, ex terraform.Executor, r Request, in instance.Instance, kind instance.OperationKind, p terraform.Plan) (found instance.Instance, absent bool) {
	if kind != instance.Create {
		return instance.Instance{}, false
	}
	identity := plannedIdentity(r, p.Identity, p.State)
	if identity == cty.NilVal {
		return instance.Instance{}, false
	}
	found, diags := ex.Import(ctx, r.Resource, terraform.ImportTarget{Identity: identity})
	switch {
	case diags.HasErrors():
		return instance.Instance{}, terraform.NonExistent(diags)
	case in.IsDeposed(found):
		return instance.Instance{}, false // it is the one that makes way
	}
	return found, false
}

// meets is why a create failed where there is an object. The entry's lock is held by the caller,
// and no operation runs.
func (s *Scheduler) meets(e *entry, r Request, met instance.Instance, by cty.Value) *Error {
	planned, whole := identityKey(r, instance.Instance{Identity: by}), identityKey(r, met)
	e.complete(planned, whole)
	s.claim(e, r, e.record.Instance, planned, whole)
	if rival, ok := s.rival(s.ctx, e); ok {
		return identityConflict(rival)
	}
	return failed(ReasonAlreadyExists, diagnostic.Errorf("Object exists already",
		"There is a remote object with the identity of the one to create, and no resource of this cluster manages it. It is left as it is. %s",
		r.spell("To take it over", importOf(met, by))))
}

// complete remembers that an identity that was planned is a part of one that an object has.
func (e *entry) complete(planned, whole string) {
	if planned != "" && whole != "" && planned != whole {
		e.completed = completed{planned: planned, whole: whole}
	}
}

// foundAfterCreate is said of an object that is where an interrupted create may have made one.
func foundAfterCreate(r Request, target terraform.ImportTarget) diagnostic.Diagnostics {
	return diagnostic.Errorf("Object found", "There is a remote object, but nothing tells whether the interrupted create made it. %s", r.spell("If it is the one", target))
}

// importAfterwards imports the object that the user asked for where it is known that there is none: it was
// asked for when the one before was gone, or a create met one. If it is not there, the resource goes
// on with what it would do without: create one.
func (s *Scheduler) importAfterwards(ctx context.Context, e *entry, r Request, ex terraform.Executor) error {
	if r.Import.Target == nil || r.Deleted {
		return nil
	}
	imported := e.record.Handled.Imported
	if imported && !(e.last.Failed() && e.last.Kind == instance.Create) {
		return nil
	}
	in, diags := ex.Import(ctx, r.Resource, *r.Import.Target)
	switch {
	case !diags.HasErrors():
		return s.take(ctx, e, r, in)
	case imported, terraform.NonExistent(diags):
		return nil
	default:
		return failed(ReasonImportFailed, diags)
	}
}

// doubt is why an object that was found by its external name alone is not believed to be the
// resource's: an id need not be unique, nor be one to import by.
func (s *Scheduler) doubt(ctx context.Context, e *entry, r Request, ex terraform.Executor, found instance.Instance) error {
	var why string
	switch {
	case r.Known.Observed && !r.Known.Recognize(found):
		why = "the object that is found by it has another one"
	case r.Resource.Schema.Identity != nil:
	case !e.claimant.Alone(object(r, idKey(r.Known.Target.ID))):
		why = "other resources of the type have the same one"
	case r.Config != nil:
		p, diags := ex.Plan(ctx, r.Resource, found, *r.Config)
		if diags.HasErrors() {
			return failed(ReasonInvalidConfiguration, diags)
		}
		if p.Action.IsReplace() {
			why = "the object that is found by it is so different that it would have to be replaced"
		}
	}
	if why == "" {
		return nil
	}
	return failed(ReasonImportFailed, diagnostic.Errorf("Object not recognized",
		"Nothing is stored of this resource's object, and what its annotations say does not single one out: %s. If you know the object, give spec.import. If there is none, remove the annotations crossplane.io/external-name and landbridge.io/identity, and one is created.", why))
}

// notLookedFor is why an object that the resource says it has is not known: there may be none, and the
// provider does not say so as Terraform would.
func notLookedFor(known string, diags diagnostic.Diagnostics) *Error {
	return failed(ReasonImportFailed, append(diags, diagnostic.Errorf("Object not found",
		"%s, and the one that its annotations name could not be looked for. If there is none, remove the annotations crossplane.io/external-name and landbridge.io/identity.", known)...))
}

// newer looks for the object that the resource says it has, where that is another one than the one
// that is stored, and gone: what is stored was restored from a backup, and is older than reality.
func (s *Scheduler) newer(ctx context.Context, e *entry, r Request, ex terraform.Executor, stored instance.Instance) (bool, error) {
	if r.Known == nil || r.Known.Recognize == nil || r.Known.Recognize(stored) {
		return false, nil
	}
	found, diags := ex.Import(ctx, r.Resource, r.Known.Target)
	switch {
	case terraform.NonExistent(diags):
		return false, nil
	case diags.HasErrors():
		return false, notLookedFor("The object that is stored of this resource is gone", diags)
	case !r.Known.Recognize(found), stored.IsDeposed(found):
		return false, nil
	}
	found.Deposed = stored.Deposed
	return true, s.take(ctx, e, r, found)
}

// importOf is how to import an object that was found by an identity: by its own, which is whole.
func importOf(found instance.Instance, by cty.Value) terraform.ImportTarget {
	if known(found.Identity) {
		by = found.Identity
	}
	return terraform.ImportTarget{Identity: by}
}

// spell says how to ask for an import.
func (r Request) spell(when string, t terraform.ImportTarget) string {
	text := ""
	if r.SpellImport != nil {
		text = r.SpellImport(t)
	}
	if text == "" {
		return when + ", set spec.import."
	}
	return when + ", set spec.import to " + text
}
