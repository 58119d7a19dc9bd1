package scheduler

import (
	"context"
	"slices"
	"unique"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A remote object has one owner (package ownership). Before a resource writes, it claims:
//
//	the stored object               its identity (Held)
//	an object that it imports       the same, after it is read and before it is stored
//	an interrupted create           the planned identity (Begun)
//	a create, a replacement, an     the planned identity (Wanted), if it is wholly known
//	update of the identity          beforehand
//
// If a type has no identity schema, the id of an object need not be unique, and for some types it
// is not. So ids are claimed weakly, except for the one in spec.import, which the user has stated
// to be the object's.

func claimedFor(r *Request) claimed {
	through := claimedThrough{configuration: r.ProviderConfiguration, account: r.Account, manages: r.Policies.Manage, maps: r.Handles.maps()}
	out := claimed{generation: r.Generation, hash: r.ConfigHash, named: r.named(), through: unique.Make(through)}
	if r.Known != nil {
		out.known = r.Known.Target.ID
	}
	return out
}

// hasClaimed reports whether the claims were made for the same as a request.
func (e *entry) hasClaimed(r *Request) bool {
	return e.claimed == claimedFor(r)
}

// Claim implements Interface.
func (s *Scheduler) Claim(ctx context.Context, r Request) error {
	x := s.slot(r.Key, r.UID)
	s.restoreBrake(ctx, x, &r)
	e := x.lock()
	defer e.unlock()
	if e.view.state == decision.Running {
		return nil
	}
	if !e.knows(&r) {
		before := assumptionOf(e, &r)
		if err := s.load(ctx, e, r); err != nil {
			return err
		}
		if before.assumed && e.record.Version == "" {
			before.restore(e) // what was assumed is true
		}
	}
	if e.claimant != nil && e.claimed.sameApartFromConfiguration(claimedFor(&r)) {
		return nil // an observation has claimed more: what its plan wants
	}
	r.learn(e.record.Instance, cty.NilVal)
	s.reclaim(e, &r)
	return nil
}

// assumption is what an observation of a resource that looked new has left.
type assumption struct {
	assumed   bool
	view      view
	validated string
	claimed   claimed
}

func assumptionOf(e *entry, r *Request) assumption {
	return assumption{assumed: e.state == assumed && e.schema == r.Type.Schema, view: e.view, validated: e.validated, claimed: e.claimed}
}

func (a assumption) restore(e *entry) {
	e.view, e.validated, e.claimed = a.view, a.validated, a.claimed
}

// claim claims the identities of the instance and the wanted identities, and nothing else.
func (s *Scheduler) claim(e *entry, r Request, in instance.Instance, wanted ...string) {
	if e.claimant == nil {
		c, wake := s.owners.Claimant(ownership.Owner{Key: r.Key, UID: r.UID, Created: r.Created})
		s.wake(wake)
		e.claimant = c
	}
	e.claimed = claimedFor(&r)
	s.wake(e.claimant.Claim(e.claims(r, in, wanted)...))
}

// reclaim makes the claims that follow from the record, unless there already are claims for the
// same request, which are based on more than the record. Objects that are not known to be in the
// account of the request are claimed in the one where they are: another resource may have one of
// the same identity in this one.
func (s *Scheduler) reclaim(e *entry, r *Request) {
	by := *r
	if s.accountOf(e, r) != decision.AccountIsSame {
		by = r.asStored(e.record.Account)
	}
	if e.claimant == nil || !e.hasClaimed(&by) {
		s.claim(e, by, e.record.Instance)
	}
}

// inherits reports whether the record is that of an earlier resource of the same name.
func (e *entry) inherits(r Request) bool {
	return e.record.Owner != "" && e.record.Owner != r.UID
}

func (e *entry) claims(r Request, in instance.Instance, wanted []string) []ownership.Claim {
	if !r.Policies.Manage {
		return nil
	}
	var out []ownership.Claim
	var recorded string
	if r.Type.Schema.Identity != nil && e.record.Instance.Exists() {
		recorded = ownership.IdentityKey(r.Type.Schema, e.record.Instance)
	}
	add := func(identity string, s ownership.Strength) {
		if identity == "" {
			return
		}
		for _, on := range objects(r, identity) {
			out = append(out, ownership.Claim{Object: on, Strength: s, Inherited: e.inherits(r), Recorded: identity == recorded && !e.inherits(r)})
		}
		if e.completed == nil || identity != e.completed.whole {
			return
		}
		for _, on := range objects(r, e.completed.planned) {
			out = append(out, ownership.Claim{Object: on, Strength: s, Inherited: e.inherits(r)})
		}
	}
	if r.Consists != nil {
		held, begun := r.Consists(in)
		out = append(out, ownership.Contained{Held: held, Begun: begun, Taken: r.takes}.Claims(r.Accesses, e.inherits(r))...)
	}
	for _, identity := range wanted {
		if identity == creating {
			out = append(out, claimsCreating(r)...)
			continue
		}
		strength := ownership.Wanted
		if identity != "" && e.claimant.Has(object(r, identity)) {
			strength = ownership.Begun // another object replaces the current one
		}
		add(identity, strength)
	}
	if op := in.Operation; op != nil && op.Kind == instance.Create && r.ListArguments != nil {
		out = append(out, claimsCreating(r)...)
	}
	for _, n := range r.names(in) {
		add(n.identity, n.strength)
	}
	return out
}

// named is an identity by which a resource claims an object.
type named struct {
	identity string
	strength ownership.Strength
}

// names returns the identities that follow from an instance and the request, without those of the
// objects that it consists of. Some may be empty.
func (r *Request) names(in instance.Instance) (out []named) {
	add := func(identity string, s ownership.Strength) { out = append(out, named{identity, s}) }
	if id := r.named(); id != "" && in.Exists() && known(in.State) && r.NamedImport.Names(in.State) {
		add(ownership.ImportKey(id), ownership.Held)
	}
	if op := in.Operation; op != nil && op.Kind == instance.Create {
		add(interruptedKey(*r, op), ownership.Begun)
		add(ownership.ImportKey(op.ImportID), ownership.Begun)
	}
	if r.Type.Schema.Identity != nil {
		add(ownership.IdentityKey(r.Type.Schema, in), ownership.Held)
		for _, d := range in.Deposed {
			add(ownership.IdentityKey(r.Type.Schema, d.Instance()), ownership.Held)
		}
		return out
	}
	add(ownership.StateKey(in.State), ownership.Weak)
	for _, d := range in.Deposed {
		add(ownership.StateKey(d.State), ownership.Weak)
	}
	switch {
	case r.Import.Target != nil && in.Exists():
		add(ownership.IDKey(r.Import.Target.ID), ownership.Held)
	case r.Import.Target != nil && !r.Deleted:
		add(ownership.IDKey(r.Import.Target.ID), ownership.Wanted)
	case r.Known != nil && !in.Exists():
		add(ownership.IDKey(r.Known.Target.ID), ownership.Named)
	}
	return out
}

// wants returns the identities of the objects that a plan creates or changes.
func wants(e *entry, r Request, p *terraform.Plan) []string {
	if p == nil {
		return nil
	}
	switch {
	case p.Action == terraform.Create && r.Policies.Create, p.Action.IsReplace() && r.Policies.Replace, p.Action == terraform.Update:
	default:
		return nil
	}
	if p.Action != terraform.Update && r.lists(p.Identity, p.State) {
		return []string{creating}
	}
	h := handleOf(r, p.Identity, p.State)
	planned := keyOf(r, h, instance.Instance{Identity: h.identity})
	if planned != "" && e.completed != nil && planned == e.completed.planned {
		return []string{planned, e.completed.whole}
	}
	return []string{planned}
}

// unrivalled reports whether a plan creates an object that nothing identifies beforehand, for a
// resource that nothing was done for.
func (e *entry) unrivalled(r *Request, p *terraform.Plan) bool {
	if p.Action != terraform.Create || !e.record.Instance.Nothing() ||
		r.Consists != nil || r.Known != nil || r.imports() || r.MoveFrom != nil || r.NamedImport.ID != "" {
		return false
	}
	return !slices.ContainsFunc(wants(e, *r, p), func(identity string) bool { return identity != "" })
}

// object returns an object as it is accessed by the provider configuration.
func object(r Request, identity string) ownership.Object {
	return objects(r, identity)[0]
}

// objects returns an object as it is accessed by the provider configuration and by others of the
// same account.
func objects(r Request, identity string) []ownership.Object {
	return ownership.Access{Configuration: r.ProviderConfiguration, Account: r.Account}.Objects(r.Type.Schema.Type, identity)
}

// alone reports whether no other resource has a claim on an object.
func (e *entry) alone(r Request, identity string) bool {
	for _, on := range objects(r, identity) {
		if !e.claimant.Alone(on) {
			return false
		}
	}
	return true
}

// holder returns another resource that has begun to make an object, or holds it.
func (e *entry) holder(r Request, identity string) (ownership.Owner, bool) {
	for _, on := range objects(r, identity) {
		if owner, ok := e.claimant.Holder(on); ok {
			return owner, true
		}
	}
	return ownership.Owner{}, false
}

// taking returns the request with the contained objects that a plan takes.
func (r Request) taking(p *terraform.Plan) Request {
	if p != nil {
		r.takes = slices.Concat(p.Creates, p.Imports)
	}
	return r
}

// imports reports whether spec.import is to be looked at where no create was interrupted.
func (r Request) imports() bool { return r.Import.Asked() && !r.Deleted }

// creating is claimed weakly for a create of a type whose objects are listed.
const creating = "creating"

// claimsCreating returns the claims of a create whose object is looked for by listing.
func claimsCreating(r Request) (out []ownership.Claim) {
	for _, on := range objects(r, creating) {
		out = append(out, ownership.Claim{Object: on, Strength: ownership.Weak})
	}
	return out
}

// lists reports whether the object of a create can only be found by listing.
func (r *Request) lists(identity, state cty.Value) bool {
	return r.ListArguments != nil && r.Type.Schema.Identity != nil && handleOf(*r, identity, state).none()
}
