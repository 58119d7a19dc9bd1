package scheduler

import (
	"context"
	"errors"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Two provider configurations that are not known to be for one account may access the same objects:
// identities are often only names, unique within one server. Before an object comes to be that of a
// resource, or is destroyed with it, it is compared with that of each resource that has the same
// identity through another configuration:
//
//	it is not found, or what only a provider     the configurations access different stores
//	makes of it (terraform.Made) differs
//	what only a provider makes of it is equal    they access one store, and the object belongs to the other resource
//	neither shows                                the import, or the create without a look, waits for a confirmation
//
// An object that was made a short time ago may not be visible yet (visibility.go), so that it is
// not found shows nothing.
//
// The first two decide for a pair of configurations as long as neither changes, and as long as this
// process lives: a later one compares again. Resources that both have the object already go on, so
// that what worked before is not stopped; both are told of it (twins.go).
//
// The objects that a resource has several of, such as those of a module, are compared one by one,
// each through the configuration that it is accessed by (contained.go).

// twinState is what is known of an object that another resource may have through another provider
// configuration.
type twinState uint8

const (
	// noTwin: no other resource has it.
	noTwin twinState = iota
	// unclear: another resource has one of the same identity, which may be the same.
	unclear
	// undecided: likewise, and nothing shows whether it is.
	undecided
	// sameObject: another resource has it.
	sameObject
)

// open reports whether it is not known whether another resource has the object.
func (x twinState) open() bool { return x == unclear || x == undecided }

// sighting is what a look through a provider configuration has shown of an object.
type sighting struct {
	access       ownership.Access
	resourceType string
	// key is that of the configuration, if the resource has several objects.
	key string
	// identity is Object.Identity.
	identity string
	// identified is set in what a record tells, if the identity is not only an id.
	identified bool
	// looked is set if it was looked for, and exists if it was found.
	looked, exists bool
	// made is what the provider has made of it.
	made terraform.Made
	// again is set if nothing else would be concluded from what was undecided before.
	again bool
}

// sightingOf returns the sighting of the object of a resource. found is the object that was found;
// nil if it was not looked for.
func sightingOf(r *Request, found *instance.Instance) sighting {
	out := sighting{access: r.access(), resourceType: r.Type.Schema.Type, looked: found != nil}
	if found != nil && found.Exists() {
		out.exists, out.made = true, terraform.MadeOf(r.Type.Schema, found.State)
	}
	return out
}

// sightingsOf returns a sighting for each identity of the object of a resource; none if it has
// several, which are compared one by one.
func sightingsOf(r *Request, identities []string, found *instance.Instance) (out []sighting) {
	if r.Consists != nil {
		return nil
	}
	x := sightingOf(r, found)
	for _, x.identity = range identities {
		out = append(out, x)
	}
	return out
}

// twin returns the resource that has an object of one of the identities through a provider
// configuration that is not known to be for the account of this one, if that may be the same
// object. found is the object that this resource finds; nil if it was not looked for.
func (s *Scheduler) twin(
	ctx context.Context, e *entry, r *Request, identities []string, found *instance.Instance,
) (ownership.Rival, twinState, error) {
	return s.twinOfAny(ctx, e, r, sightingsOf(r, identities, found))
}

// twinOfAny is twin for sightings.
func (s *Scheduler) twinOfAny(ctx context.Context, e *entry, r *Request, all []sighting) (by ownership.Rival, out twinState, _ error) {
	for _, x := range all {
		rival, state, err := s.twinOf(ctx, e, r, x)
		if err != nil || state == sameObject {
			return rival, state, err
		}
		if state > out {
			by, out = rival, state
		}
	}
	return by, out, nil
}

// twinOf is twin for one sighting.
func (s *Scheduler) twinOf(ctx context.Context, e *entry, r *Request, x sighting) (by ownership.Rival, out twinState, _ error) {
	if e.claimant == nil || !r.Policies.Manage || x.identity == "" {
		return by, noTwin, nil
	}
	for _, t := range e.claimant.Twins(x.access.Names(), x.resourceType, x.identity) {
		if !s.mayExist(ctx, t.Owner.Key, t.Owner.UID) {
			s.wake(s.owners.Release(t.Owner.Key))
			continue
		}
		state, err := s.compareStores(ctx, r, x, t)
		if err != nil {
			return by, unclear, err
		}
		if state > out {
			out = state
			by = ownership.Rival{
				Owner: t.Owner, Claim: ownership.Claim{
					Object: x.access.Objects(x.resourceType, x.identity)[0], Strength: ownership.Wanted,
				}, Holds: true,
			}
		}
		if out == sameObject {
			break
		}
	}
	return by, out, nil
}

// compareStores compares an object with one of the same identity that another resource has.
func (s *Scheduler) compareStores(ctx context.Context, r *Request, x sighting, t ownership.Twin) (twinState, error) {
	if a, b := x.access.Account.DeclaredName(), t.Access.Account.DeclaredName(); a != "" && b != "" && a != b {
		return noTwin, nil
	}
	pair := pairOf(x.access, t.Access)
	if one, ok := s.stores.get(pair); ok && one {
		return sameObject, nil
	} else if ok {
		return noTwin, nil
	}
	if x.again && s.stores.undecides(pair, x.resourceType) {
		return undecided, nil
	}
	if !x.looked || !x.exists && t.Strength < ownership.Held {
		return unclear, nil
	}
	theirs, err := s.sighted(ctx, r, x, t)
	if err != nil || !theirs.exists {
		return unclear, err
	}
	return s.decideStores(pair, x, theirs), nil
}

// decideStores decides from two sightings of one identity whether the configurations of a pair
// access one store. theirs is that of the other resource, as it is stored.
func (s *Scheduler) decideStores(pair [2]string, x, theirs sighting) twinState {
	if !x.exists {
		if !theirs.looked {
			return unclear
		}
		s.stores.set(pair, false)
		return noTwin
	}
	switch decision.Compare(theirs.made, x.made) {
	case decision.Proved:
		s.stores.set(pair, true)
		return sameObject
	case decision.Stranger:
		s.stores.set(pair, false)
		return noTwin
	}
	s.stores.setUndecided(pair, x.resourceType)
	return undecided
}

// sighted returns what is known of the object of the same identity that another resource has. It is
// looked if it was visible long enough: that it is not found elsewhere shows something then.
func (s *Scheduler) sighted(ctx context.Context, r *Request, x sighting, t ownership.Twin) (sighting, error) {
	if t.Contained != nil {
		return sighting{exists: true, made: t.Contained.Made}, nil
	}
	of := s.schemas.of(t.Owner.Key)
	if of == nil || of.Type != x.resourceType {
		return sighting{}, nil
	}
	rec, err := s.o.Store.Load(ctx, t.Owner.Key, of)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrUnreadable), errors.Is(err, store.ErrElsewhere):
		return sighting{}, nil
	case err != nil:
		return sighting{}, &Error{Reason: decision.ReasonStore, Err: err}
	}
	object, ok := objectIn(of, &rec.Instance, x.identity)
	if !ok {
		object = rec.Instance // it is claimed by an id that its state does not have
	}
	if !object.Exists() {
		return sighting{}, nil
	}
	return sighting{exists: true, looked: !s.isRecent(r, &object, s.o.Clock.Now()), made: terraform.MadeOf(of, object.State)}, nil
}

// confirmsStore reports whether the user has confirmed that the provider configuration is for
// another account than others that have objects of the same identity. The key is that of one of
// several configurations, or "". Without a stored account there is nothing to confirm.
func (r *Request) confirmsStore(key string) bool {
	c, ok := r.StoredAccount.Configurations()[key]
	return !ok || r.ConfirmAccount == c.Title() || c.Confirmed == c.Code()
}

// unclearStore is the error of a resource that would have an object which may be that of another
// one. The key is that of confirmsStore.
func unclearStore(r Request, by ownership.Rival, key string) *Error {
	return decision.Failed(decision.ReasonIdentityConflict, diagnostic.Errorf("Identity conflict",
		"An object of the same identity belongs to %s through another provider configuration, and nothing shows "+
			"whether it is the same object, so nothing is done. "+
			"If the two configurations are for different accounts, set the annotation landbridge.io/confirm-account "+
			"to %q, or declare their accounts.",
		by.Text(r.Key.Namespace), r.StoredAccount.Configurations()[key].Title()))
}
