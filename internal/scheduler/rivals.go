package scheduler

import (
	"context"
	"errors"
	"slices"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// After a start, the objects of a resource are claimed before anything is written for it, and so
// are those of all resources that may have one of them, too. Each record tells in labels which
// object it names, so that these resources are found before all records are loaded.

// Sought are the objects of a resource that no other may have, as they are named in records: for
// store.Secrets.Naming.
type Sought struct {
	// By is store.Objects.By of the records that name objects by the same rules.
	By string
	// Objects are the hashes of the objects. If there are none, no other resource can prevent a
	// write.
	Objects []string
}

// Sought implements Interface.
func (s *Scheduler) Sought(r Request) (_ Sought, ok bool) {
	e := s.placeOf(&r).lock()
	defer e.unlock()
	out := Sought{By: soughtBy(&r)}
	if out.By == "" || e.claimant == nil {
		return Sought{}, false
	}
	for _, o := range e.claimant.Strong() {
		if hash := store.ObjectHash(o.Type, o.Identity); !slices.Contains(out.Objects, hash) {
			out.Objects = append(out.Objects, hash)
		}
	}
	return out, true
}

// soughtBy returns Objects.By of the records of a kind that are sought; empty if they are not,
// since nothing tells by which rules they name objects. Those of modules have objects of any type.
func soughtBy(r *Request) string {
	if r.Release == "" || r.Consists != nil {
		return ""
	}
	return store.ObjectsBy(r.Release)
}

// rival returns the resource that prevents this one from writing, if any. An owner that no longer
// exists is released.
func (s *Scheduler) rival(ctx context.Context, e *entry) (ownership.Rival, bool) {
	return s.living(ctx, e, (*ownership.Claimant).Rival)
}

// shared returns another resource whose record names the object of this one, as after one of them
// was restored from a backup. An owner that no longer exists is released.
func (s *Scheduler) shared(ctx context.Context, e *entry) (ownership.Rival, bool) {
	return s.living(ctx, e, (*ownership.Claimant).Shared)
}

// living returns the rival that find returns, after it has released those that no longer exist.
func (s *Scheduler) living(ctx context.Context, e *entry, find func(*ownership.Claimant) (ownership.Rival, bool)) (ownership.Rival, bool) {
	if e.claimant == nil {
		return ownership.Rival{}, false
	}
	var last ownership.Owner
	for {
		r, ok := find(e.claimant)
		if !ok || r.Owner == last || s.mayExist(ctx, r.Owner.Key, r.Owner.UID) {
			return r, ok
		}
		last = r.Owner
		s.wake(s.owners.Release(r.Owner.Key))
	}
}

// elsewhere returns the resource of another namespace that owns the object of an instance, if any.
// It does not go by age: a resource may be older than the one that made the object. An owner that
// no longer exists is released.
func (s *Scheduler) elsewhere(
	ctx context.Context, e *entry, r Request, in instance.Instance,
) (owner ownership.Owner, by []ownership.Claim, ok bool) {
	observes := !r.Policies.Manage
	r.Policies.Manage = true // what would be claimed
	by = e.claims(&r, in, nil)
	for _, c := range by {
		for {
			owner, ok = e.claimant.Elsewhere(c.Object, observes)
			if !ok {
				break
			}
			if s.mayExist(ctx, owner.Key, owner.UID) {
				return owner, by, true
			}
			s.wake(s.owners.Release(owner.Key))
		}
	}
	return ownership.Owner{}, by, false
}

// withheld returns the error of a resource that only observes an object of another namespace: what
// is known of the object is for the namespace of its owner.
func (s *Scheduler) withheld(ctx context.Context, e *entry, r Request, in instance.Instance) error {
	if r.Policies.Manage || !in.Exists() {
		return nil
	}
	if err := r.allClaimed(); err != nil {
		return err
	}
	if _, _, ok := s.elsewhere(ctx, e, r, in); ok {
		return decision.Failed(decision.ReasonIdentityConflict, diagnostic.Errorf("Identity conflict",
			"The remote object belongs to %s, so this resource may not observe it. Delete this resource, or change "+
				"it to observe another object.",
			ownership.OfAnotherNamespace))
	}
	return nil
}

// allClaimed returns an error as long as the objects of other resources are not known.
func (r *Request) allClaimed() error {
	if r.AllClaimed == nil || r.AllClaimed() {
		return nil
	}
	return &Error{Reason: decision.ReasonStore, Err: errors.New("the objects that other resources manage are not known yet")}
}

// conflictWith is the conflict with the owner of an object that the request's resource claims.
func conflictWith(r Request, by ownership.Rival) *decision.Conflict {
	return &decision.Conflict{Owner: by.Text(r.Key.Namespace), Type: by.Claim.Object.Type, Module: r.Consists != nil, Deleted: r.Deleted}
}

func identityConflict(r Request, by ownership.Rival) *Error { return conflictWith(r, by).Refusal() }

// sharedObject is the error of a resource that would destroy an object which the record of another
// one names, too.
func sharedObject(r Request, by ownership.Rival) *Error {
	return decision.Failed(decision.ReasonIdentityConflict, diagnostic.Errorf("Identity conflict",
		"The stored states of this resource and of %s name the same remote object, so it is not destroyed. Remove "+
			"Delete from spec.managementPolicies of the resource that it does not belong to, and delete that one.",
		by.Text(r.Key.Namespace)))
}
