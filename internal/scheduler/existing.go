package scheduler

import (
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// An existing object is only adopted on request. If the identity of an object is known before its
// create, Landbridge looks it up first, because creates of many providers silently overwrite or
// return an existing object. The result is part of the intent: after an interruption it shows
// whether the create made the object.
//
// An object counts as found only if the provider told something about it (terraform.Told).

// look looks up the object of a create by its handle. If it returns none, the operation has absent
// set if there certainly is none; otherwise that is unknown, and the create decides.
func (o *operation) look() (found instance.Instance) {
	if o.op.Kind != instance.Create {
		o.handle = ownership.Handle{}
		return found
	}
	r := &o.r
	o.handle = r.naming().Handle(o.plan.Identity, o.plan.State)
	if r.Policies.CreateUnchecked || o.handle.None() {
		return found
	}
	found, diags := o.ex.Import(o.early, r.Type, o.handle.Target())
	switch {
	case diags.HasErrors():
		o.absent = terraform.NonExistent(diags)
		return instance.Instance{}
	case o.in.IsDeposed(found): // it is the replaced object
		return instance.Instance{}
	case !terraform.Told(r.Type.Schema, o.handle.Target(), found.State), !r.naming().Means(o.handle, found):
		return instance.Instance{}
	}
	return found
}

// refuseUnchecked returns the error of a create that is not looked up before, and whose object
// another resource may have through another provider configuration. If it was looked up and is
// absent, that shows that the two access different stores.
func (o *operation) refuseUnchecked() *Error {
	r, h := o.r, o.handle
	if o.op.Kind != instance.Create || h.None() || !o.absent && !r.Policies.CreateUnchecked {
		return nil
	}
	twin := o.twinOfAnywhere
	if o.absent {
		twin = o.twinOfAny
	}
	by, state, err := twin(o.early, o.e, &r, o.sightings())
	switch {
	case err != nil || o.absent:
		return nil
	case state == sameObject:
		return identityConflict(r, by)
	case state.open() && !r.confirmsStore(""):
		return unclearStore(r, by, "")
	}
	return nil
}

// sightings returns what the look has shown of the object of a create.
func (o *operation) sightings() []sighting {
	var found *instance.Instance
	if o.absent {
		found = &instance.Instance{}
	}
	return sightingsOf(&o.r, []string{o.r.naming().KeyBefore(o.handle)}, found)
}

// meets returns the error of a create whose object already exists. No operation runs.
func (s *Scheduler) meets(e *entry, r Request, met instance.Instance, by ownership.Handle) *Error {
	planned, whole := r.naming().KeyBefore(by), ownership.IdentityKey(r.Type.Schema, met)
	if by.Identified() {
		e.complete(planned, whole)
	}
	s.claim(e, r, e.record.Instance, planned, whole)
	if rival, ok := s.rival(s.ctx, e); ok {
		return identityConflict(r, rival)
	}
	if by, state, err := s.twinAnywhere(s.ctx, e, &r, []string{planned, whole}, &met); err == nil && state == sameObject {
		return identityConflict(r, by)
	}
	what := "identity"
	if !by.Identified() {
		what = "import id"
	}
	return decision.Failed(decision.ReasonAlreadyExists,
		terraform.ObjectExistsError(what, "no resource of this cluster manages it; it is not changed. "+
			r.spell("If the provider is mistaken and there is none, set spec.lifecycle.existenceCheck to Never. "+
				"To take it over", importOf(met, by))))
}

// complete records that a planned identity is part of the identity of an object.
func (e *entry) complete(planned, whole string) {
	if planned != "" && whole != "" && planned != whole {
		e.completed = &ownership.Completed{Planned: planned, Whole: whole}
	}
}

// foundAfterCreate returns the error for an object that an interrupted create may have made.
func foundAfterCreate(r Request, target terraform.ImportTarget) diagnostic.Diagnostics {
	return diagnostic.Errorf("Object found", "A remote object exists, but it is unknown whether the interrupted "+
		"create made it. %s", r.spell("If it is the one", target))
}

// spell returns the instruction to request an import.
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
