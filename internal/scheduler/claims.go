package scheduler

import (
	"context"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A remote object has one owner (package ownership). A resource claims, before it writes:
//
//	what is stored of it            the identity, which it holds
//	an object that it imports       the same, as soon as it is read and before it is stored
//	a create that was interrupted   the planned identity, which it may have made
//	a create, a replacement, an     the planned identity, which it wants, if it is wholly
//	update of the identity          known beforehand
//
// Where a type has no identity schema, nothing says that the id of an object is its alone, and
// for some types it is not: ids are claimed weakly, except for the one in spec.import, which
// the user says to be the object's.

// claimed is what claims were made for: another resource version may have others.
type claimed struct {
	generation    int64
	hash          string
	configuration string
	known         string
	manages       bool
}

func claimedFor(r Request) claimed {
	out := claimed{generation: r.Generation, hash: r.ConfigHash, configuration: r.ProviderConfiguration, manages: r.Policies.Manage}
	if r.Known != nil {
		out.known = r.Known.Target.ID
	}
	return out
}

// completed is an identity that was known in part before a create, and whole since there is an
// object that has it. Both are claimed, as long as this process lives: a later one has to look
// for the object to know that they are the same.
type completed struct{ planned, whole string }

// Claim implements Interface.
func (s *Scheduler) Claim(ctx context.Context, r Request) error {
	e := s.entry(r.UID)
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.running != nil {
		return nil
	}
	if err := s.load(ctx, e, r); err != nil {
		return err
	}
	s.reclaim(e, r)
	return nil
}

// Gone implements Interface.
func (s *Scheduler) Gone(k store.Key) { s.wake(s.owners.Release(k)) }

func (s *Scheduler) wake(keys []store.Key) {
	for _, k := range keys {
		s.o.Wake(k)
	}
}

// claim makes the claims of a resource those that follow from the instance, and the identities
// that it wants.
func (s *Scheduler) claim(e *entry, r Request, in instance.Instance, wanted ...string) {
	if e.claimant == nil {
		c, wake := s.owners.Claimant(ownership.Owner{Key: r.Key, UID: r.UID, Created: r.Created})
		s.wake(wake)
		e.claimant = c
	}
	e.claimed = claimedFor(r)
	s.wake(e.claimant.Claim(e.claims(r, in, wanted)...))
}

// reclaim makes the claims anew that follow from what is stored, unless the present ones were
// made for the very same request, and so know more.
func (s *Scheduler) reclaim(e *entry, r Request) {
	if e.claimant == nil || e.claimed != claimedFor(r) {
		s.claim(e, r, e.record.Instance)
	}
}

func (e *entry) claims(r Request, in instance.Instance, wanted []string) []ownership.Claim {
	if !r.Policies.Manage {
		return nil
	}
	var out []ownership.Claim
	add := func(identity string, s ownership.Strength) {
		if identity == "" {
			return
		}
		out = append(out, ownership.Claim{Object: object(r, identity), Strength: s})
		if identity == e.completed.whole {
			out = append(out, ownership.Claim{Object: object(r, e.completed.planned), Strength: s})
		}
	}
	for _, identity := range wanted {
		strength := ownership.Wanted
		if identity != "" && e.claimant.Has(object(r, identity)) {
			strength = ownership.Begun // another object is to take the place of the one it had
		}
		add(identity, strength)
	}
	if r.Resource.Schema.Identity != nil {
		add(identityKey(r, in), ownership.Held)
		for _, d := range in.Deposed {
			add(identityKey(r, d.Instance()), ownership.Held)
		}
		if op := in.Operation; op != nil && op.Kind == instance.Create {
			add(plannedKey(r, op.PlannedIdentity, op.PlannedState), ownership.Begun)
		}
		return out
	}
	add(idOf(in.State), ownership.Weak)
	for _, d := range in.Deposed {
		add(idOf(d.State), ownership.Weak)
	}
	switch {
	case r.Import.Target != nil && in.Exists():
		add(idKey(r.Import.Target.ID), ownership.Held)
	case r.Import.Target != nil:
		add(idKey(r.Import.Target.ID), ownership.Wanted)
	case r.Known != nil && !in.Exists():
		add(idKey(r.Known.Target.ID), ownership.Weak)
	}
	return out
}

// wants are the identities that a plan is going to make.
func wants(e *entry, r Request, p *terraform.Plan) []string {
	if p == nil {
		return nil
	}
	switch {
	case p.Action == terraform.Create && r.Policies.Create, p.Action.IsReplace() && r.Policies.Replace, p.Action == terraform.Update:
	default:
		return nil
	}
	planned := plannedKey(r, p.Identity, p.State)
	if planned != "" && planned == e.completed.planned {
		return []string{planned, e.completed.whole}
	}
	return []string{planned}
}

func object(r Request, identity string) ownership.Object {
	return ownership.Object{Configuration: r.ProviderConfiguration, Type: r.Resource.Schema.Type, Identity: identity}
}

// identityKey singles out an object within its provider configuration and type; empty when it
// has no identity. Identities of different versions of their schema cannot be compared: each is
// claimed as it is until the read that upgrades it.
func identityKey(r Request, in instance.Instance) string {
	raw := in.IdentityJSON()
	if raw == nil {
		return ""
	}
	version := in.IdentityVersion
	if len(in.RawIdentity) == 0 && r.Resource.Schema.Identity != nil {
		version = r.Resource.Schema.Identity.Version
	}
	return fmt.Sprintf("%d:%s", version, raw)
}

// plannedKey is identityKey of an object that is to be made; empty when its identity is not
// known beforehand.
func plannedKey(r Request, identity, state cty.Value) string {
	v := plannedIdentity(r, identity, state)
	if v == cty.NilVal {
		return ""
	}
	return identityKey(r, instance.Instance{Identity: v})
}

func idKey(id string) string {
	if id == "" {
		return ""
	}
	return "id=" + id
}

func idOf(state cty.Value) string {
	v := attribute(state, "id")
	if v == cty.NilVal || !known(v) || v.Type() != cty.String {
		return ""
	}
	return idKey(v.AsString())
}

// rival is who keeps the resource from writing, if anybody does. An owner that is there no more
// is none.
func (s *Scheduler) rival(ctx context.Context, e *entry) (ownership.Rival, bool) {
	if e.claimant == nil {
		return ownership.Rival{}, false
	}
	var last ownership.Owner
	for {
		r, ok := e.claimant.Rival()
		if !ok || s.o.Exists == nil || r.Owner == last || s.o.Exists(ctx, r.Owner.Key, r.Owner.UID) {
			return r, ok
		}
		last = r.Owner
		s.wake(s.owners.Release(r.Owner.Key))
	}
}

// yield leaves the remote object to its owner, if that is another resource: an error, or for a
// resource that is being deleted the observation that there is nothing to delete. Both nil say
// that nobody is in the way. What the resource only wants does not keep it from looking after
// what it has.
func (s *Scheduler) yield(ctx context.Context, e *entry, r Request) (*Observation, error) {
	s.reclaim(e, r)
	rival, ok := s.rival(ctx, e)
	switch {
	case !ok, rival.Claim.Strength < ownership.Begun && e.record.Instance.Exists():
		return nil, nil
	case r.Deleted && len(e.record.Instance.Deposed) == 0:
		return &Observation{Last: e.last}, nil
	}
	return nil, identityConflict(rival)
}

// take stores an object that was found, if no other resource owns it.
func (s *Scheduler) take(ctx context.Context, e *entry, r Request, found instance.Instance) error {
	s.claim(e, r, found)
	if rival, ok := s.rival(ctx, e); ok {
		return identityConflict(rival)
	}
	faultpoint.Reach(faultpoint.Import, faultpoint.BeforeConclude)
	if err := s.save(ctx, e, r, found); err != nil {
		return err
	}
	faultpoint.Reach(faultpoint.Import, faultpoint.BeforeTold)
	e.taken = true
	r.tell(Event{Kind: Imported})
	return nil
}

func identityConflict(r ownership.Rival) *Error {
	owner := r.Owner.Key.Name
	if r.Owner.Key.Namespace != "" {
		owner = r.Owner.Key.Namespace + "/" + owner
	}
	return failed(ReasonIdentityConflict, diagnostic.Errorf("Identity conflict",
		"The remote object belongs to %s %s, and this resource is about the same one. It changes nothing remotely, and deleting it leaves the object as it is. Delete one of the two, or make this one another object.",
		r.Owner.Key.Kind, owner))
}
