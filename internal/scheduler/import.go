package scheduler

import (
	"cmp"
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// find imports the object of a resource for which nothing is stored: the object of spec.import or,
// if it no longer exists, the known object.
func (s *Scheduler) find(ctx context.Context, e *entry, r Request, ex terraform.Executor) error {
	if r.Deleted {
		r.Import = desired.Import{}
	}
	if r.Import.Invalid != nil && (r.New || r.Known == nil) {
		return decision.Failed(decision.ReasonInvalidConfiguration, r.Import.Invalid)
	}
	var notFound diagnostic.Diagnostics
	var known *terraform.ImportTarget
	if r.Known != nil {
		known = &r.Known.Target
	}
	for _, target := range []*terraform.ImportTarget{r.Import.Target, known} {
		if target == nil {
			continue
		}
		in, diags := ex.Import(ctx, r.Type, *target)
		switch {
		case !diags.HasErrors() && target == known:
			if err := s.checkFound(ctx, e, r, ex, in); err != nil {
				return err
			}
			return s.takeKnown(ctx, e, r, in)
		case !diags.HasErrors():
			return s.take(ctx, e, r, in)
		case !terraform.NonExistent(diags) && target == known:
			return notLookedFor("This resource has no stored state", diags)
		case !terraform.NonExistent(diags):
			return decision.Failed(decision.ReasonImportFailed, diags)
		case target == r.Import.Target:
			notFound = diags
		}
	}
	switch {
	case r.Import.Invalid != nil:
		return decision.Failed(decision.ReasonInvalidConfiguration, r.Import.Invalid)
	case notFound != nil:
		return decision.Failed(decision.ReasonImportFailed, notFound)
	}
	return nil
}

// importAfterwards imports the object of spec.import although the record has no object: spec.import
// was set after the earlier object was gone, or after a create found an existing object. If the
// object does not exist, the resource continues as without spec.import: an object is created.
func (s *Scheduler) importAfterwards(ctx context.Context, e *entry, r Request, ex terraform.Executor) error {
	if r.Import.Target == nil || r.Deleted {
		return nil
	}
	before := e.record.Handled.Imported
	if before && !(e.last.Failed() && e.last.Kind == instance.Create) {
		return nil
	}
	in, diags := ex.Import(ctx, r.Type, *r.Import.Target)
	switch {
	case !diags.HasErrors():
		return s.take(ctx, e, r, in)
	case before, terraform.NonExistent(diags):
		return nil
	default:
		return decision.Failed(decision.ReasonImportFailed, diags)
	}
}

// checkFound returns an error if an object that was found only by its external name may not be the
// resource's: an id need not be unique, nor suitable for an import.
func (s *Scheduler) checkFound(ctx context.Context, e *entry, r Request, ex terraform.Executor, found instance.Instance) error {
	var why string
	switch {
	case r.Known.Observed && !r.Known.Recognize(found):
		why = "the object that is found by it has another one"
	case r.Type.Schema.Identity != nil:
	case !r.claiming().Free(e.claimant, ownership.IDKey(r.Known.Target.ID)):
		why = "other resources of the type have the same one"
	case r.Config != nil:
		p, diags := ex.Plan(ctx, r.Type, found, *r.Configuration())
		if diags.HasErrors() {
			return decision.Failed(decision.ReasonInvalidConfiguration, diags)
		}
		if p.Action.IsReplace() {
			why = "the object that is found by it is so different that it would have to be replaced"
		}
	}
	if why == "" {
		return nil
	}
	return decision.Failed(decision.ReasonImportFailed, diagnostic.Errorf("Object not recognized",
		"This resource has no stored state, and its annotations do not identify one object: %s. If the object "+
			"exists, set spec.import; if it does not, remove the annotations crossplane.io/external-name and "+
			"landbridge.io/identity to have it created.",
		why))
}

// notLookedFor returns the error of a failed lookup of the known object. The object may not exist,
// but the provider did not report that in Terraform's way.
func notLookedFor(known string, diags diagnostic.Diagnostics) *Error {
	return decision.Failed(decision.ReasonImportFailed, append(diags, diagnostic.Errorf("Object not found",
		"%s, and the one that its annotations name could not be looked for. If there is none, remove the "+
			"annotations crossplane.io/external-name and landbridge.io/identity.",
		known)...))
}

// newer looks up the known object if the stored one is gone and differs from it. Then the record
// was restored from a backup, and is older than the object.
func (s *Scheduler) newer(ctx context.Context, e *entry, r Request, ex terraform.Executor, stored instance.Instance) (bool, error) {
	if r.Known == nil || r.Known.Recognize == nil || r.Known.Recognize(stored) || s.isRecent(&r, &stored, s.o.Clock.Now()) {
		return false, nil // one that is recent need not be gone
	}
	found, diags := ex.Import(ctx, r.Type, r.Known.Target)
	switch {
	case terraform.NonExistent(diags):
		return false, nil
	case diags.HasErrors():
		return false, notLookedFor("The object that is stored of this resource is gone", diags)
	case !r.Known.Recognize(found), stored.IsDeposed(found), e.destroyed.shows(found, s.o.Clock.Now(), s.gracePeriod(&r)):
		return false, nil
	}
	found.Deposed = stored.Deposed
	return true, s.takeKnown(ctx, e, r, found)
}

// importOf returns the import target of an object that was found by a handle: its own identity,
// which is complete, or the handle.
func importOf(found instance.Instance, by ownership.Handle) terraform.ImportTarget {
	if instance.Known(found.Identity) {
		return terraform.ImportTarget{Identity: found.Identity}
	}
	return by.Target()
}

// takeKnown stores an object that only the resource's annotations name, unless another resource has
// made it or holds it: its stored instance is better evidence.
func (s *Scheduler) takeKnown(ctx context.Context, e *entry, r Request, found instance.Instance) error {
	if err := r.allClaimed(); err != nil {
		return err
	}
	if !r.Policies.Manage {
		return s.take(ctx, e, r, found)
	}
	// A create claims what it knows of the identity beforehand, which may be less than the whole.
	for _, identity := range []string{ownership.IdentityKey(r.Type.Schema, found), r.naming().PlannedKey(cty.NilVal, found.State)} {
		for identity != "" {
			owner, ok := r.claiming().Holder(e.claimant, identity)
			if !ok {
				break
			}
			if s.mayExist(ctx, owner.Key, owner.UID) {
				s.claim(e, r, e.record.Instance, identity) // it is woken when the object is free
				return identityConflict(r, ownership.Rival{Owner: owner})
			}
			s.wake(s.owners.Release(owner.Key))
		}
	}
	return s.take(ctx, e, r, found)
}

// refuseTwin imports no object that another resource has, or may have, through another provider
// configuration. A resource that is being deleted goes without it.
func (s *Scheduler) refuseTwin(ctx context.Context, e *entry, r Request, by ownership.Rival, state twinState) error {
	if r.Deleted {
		return s.save(ctx, e, r, instance.Instance{Deposed: e.record.Instance.Deposed})
	}
	if state == sameObject {
		return identityConflict(r, by)
	}
	return unclearStore(r, by, "")
}

// take stores an imported object, if no other resource owns it. One of another namespace is the
// owner even if this resource is older.
func (s *Scheduler) take(ctx context.Context, e *entry, r Request, found instance.Instance) error {
	if err := r.allClaimed(); err != nil {
		return err
	}
	if err := s.withheld(ctx, e, r, found); err != nil {
		return err
	}
	if owner, by, ok := s.elsewhere(ctx, e, r, found); ok && r.Policies.Manage {
		var wanted []string
		for _, c := range by {
			if c.Strength > ownership.Weak {
				wanted = append(wanted, c.Object.Identity)
			}
		}
		s.claim(e, r, e.record.Instance, wanted...) // it is woken when the object is free
		return identityConflict(r, ownership.Rival{Owner: owner})
	}
	if by, state, err := s.twinAnywhere(ctx, e, &r, ownership.Identities(e.claims(&r, found, nil)), &found); err != nil {
		return err
	} else if state == sameObject || state.open() && !r.confirmsStore("") {
		return s.refuseTwin(ctx, e, r, by, state)
	}
	s.claim(e, r, found)
	if rival, ok := s.rival(ctx, e); ok {
		return identityConflict(r, rival)
	}
	faultpoint.Reach(faultpoint.Import, faultpoint.BeforeConclude)
	found = s.datedNow(e, &r, found)
	e.record.Account = cmp.Or(r.StoredAccount, e.record.Account)
	r.Upgrades = Upgrades{} // what is kept for going back is of another object
	if err := s.saveWith(ctx, e, r, found, r.describe(history.Entry{Action: history.Import, Author: r.Asked.Author},
		instance.Instance{}, found, nil)); err != nil {
		return err
	}
	faultpoint.Reach(faultpoint.Import, faultpoint.BeforeTold)
	e.view.state = decision.Imported
	s.tell(r, Event{Kind: Imported})
	return nil
}
