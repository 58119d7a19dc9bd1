package scheduler

import (
	"context"
	"errors"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Two provider configurations that are not known to be for one account may access the same objects:
// identities are often only names, unique within one server. Before an object comes to be that of a
// resource, or is destroyed with it, it is compared with that of each resource that has the same
// identity through another configuration:
//
//	it is not found, or what only a provider     the configurations access different stores
//	makes of it (compareMade) differs
//	what only a provider makes of it is equal    they access one store, and the object belongs to the other resource
//	neither shows                                the import, or the create without a look, waits for a confirmation
//
// An object that was made a short time ago may not be visible yet (visibility.go), so that it is
// not found shows nothing.
//
// The first two decide for a pair of configurations as long as neither changes, and as long as this
// process lives: a later one compares again. Resources that both have the object already go on, so
// that what worked before is not stopped.

// twinState is what is known of an object that another resource may have through another provider
// configuration.
type twinState uint8

const (
	// noTwin: no other resource has it.
	noTwin twinState = iota
	// unclear: another resource has one of the same identity, which may be the same.
	unclear
	// sameObject: another resource has it.
	sameObject
)

// twin returns the resource that has an object of one of the identities through a provider
// configuration that is not known to be for the account of this one, if that may be the same
// object. found is the object that this resource finds; nil if it was not looked for.
func (s *Scheduler) twin(ctx context.Context, e *entry, r *Request, identities []string, found *instance.Instance) (ownership.Rival, twinState, error) {
	mine := r.access()
	var by ownership.Rival
	out := noTwin
	if e.claimant == nil || r.Consists != nil || !r.Policies.Manage {
		return by, out, nil
	}
	for _, identity := range identities {
		if identity == "" {
			continue
		}
		for _, t := range e.claimant.Twins(mine.Names(), r.Type.Schema.Type, identity) {
			if !s.mayExist(ctx, t.Owner.Key, t.Owner.UID) {
				s.wake(s.owners.Release(t.Owner.Key))
				continue
			}
			state, err := s.compareStores(ctx, r, mine, t, found)
			if err != nil {
				return by, unclear, err
			}
			if state > out {
				out = state
				by = ownership.Rival{Owner: t.Owner, Claim: ownership.Claim{Object: r.claiming().Objects(identity)[0], Strength: ownership.Wanted}, Holds: true}
			}
			if out == sameObject {
				return by, out, nil
			}
		}
	}
	return by, out, nil
}

// compareStores compares an object with one of the same identity that another resource has.
func (s *Scheduler) compareStores(ctx context.Context, r *Request, mine ownership.Access, t ownership.Twin, found *instance.Instance) (twinState, error) {
	theirs := t.Access
	if a, b := mine.Account.Declared, theirs.Account.Declared; a != "" && b != "" && a != b {
		return noTwin, nil
	}
	pair := pairOf(mine, theirs)
	if one, ok := s.stores.get(pair); ok && one {
		return sameObject, nil
	} else if ok {
		return noTwin, nil
	}
	if found == nil || !found.Exists() && t.Strength < ownership.Held {
		return unclear, nil
	}
	rec, err := s.o.Store.Load(ctx, t.Owner.Key, r.Type.Schema)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrUnreadable), errors.Is(err, store.ErrElsewhere), err == nil && !rec.Instance.Exists():
		return unclear, nil
	case err != nil:
		return unclear, &Error{Reason: decision.ReasonStore, Err: err}
	case !found.Exists() && s.isRecent(r, &rec.Instance, s.o.Clock.Now()):
		return unclear, nil
	case !found.Exists():
		s.stores.set(pair, false)
		return noTwin, nil
	}
	switch decision.CompareMade(r.Type.Schema, rec.Instance.State, found.State) {
	case decision.Proved:
		s.stores.set(pair, true)
		return sameObject, nil
	case decision.Stranger:
		s.stores.set(pair, false)
		return noTwin, nil
	}
	return unclear, nil
}

// confirmsStore reports whether the user has confirmed that the provider configuration is for
// another account than others that have objects of the same identity. Without a stored account
// there is nothing to confirm.
func (r *Request) confirmsStore() bool {
	c, ok := r.StoredAccount.Configurations()[""]
	return !ok || r.ConfirmAccount == c.Title() || c.Confirmed == c.Code()
}

// unclearStore is the error of a resource that would have an object which may be that of another
// one.
func unclearStore(r Request, by ownership.Rival) *Error {
	return decision.Failed(decision.ReasonIdentityConflict, diagnostic.Errorf("Identity conflict",
		"An object of the same identity belongs to %s through another provider configuration, and nothing shows whether it is the same object, so nothing is done. "+
			"If the two configurations are for different accounts, set the annotation landbridge.io/confirm-account to %q, or declare their accounts.",
		by.Text(r.Key.Namespace), r.StoredAccount.Title()))
}
