package scheduler

import (
	"context"
	"errors"
	"slices"
	"unique"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
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

// claimed identifies the request that claims were made for. Another generation of the resource may
// have other claims.
type claimed struct {
	generation int64
	hash       string
	known      string
	// named is the import id that is known beforehand. It may turn out to be wrong.
	named string
	// through is the same value for many resources.
	through unique.Handle[claimedThrough]
}

// claimedThrough is what claims of many resources have in common.
type claimedThrough struct {
	configuration string
	account       ownership.Account
	manages       bool
	// maps is set when the configuration maps an identity, which may turn out to be wrong.
	maps bool
}

// sameApartFromConfiguration reports whether claims are for the same, apart from the configuration
// of the object.
func (c claimed) sameApartFromConfiguration(other claimed) bool {
	other.hash = c.hash
	return c == other
}

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

// completed is an identity that was partly known before a create, and the complete identity of the
// created object. Both are claimed while this process lives. A later process has to look up the
// object to know that they are the same.
type completed struct{ planned, whole string }

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

// Gone implements Interface.
func (s *Scheduler) Gone(k store.Key) {
	for _, e := range s.slotsOf(k) {
		s.withdrawDestroy(e)
	}
	s.mu.Lock()
	s.slots.gone(k)
	s.mu.Unlock()
	s.o.Store.Forget(k)
	s.corrections.forget(k)
	s.wake(s.owners.Release(k))
}

// Deleted implements Interface.
func (s *Scheduler) Deleted(uid types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slots.deleted(uid)
}

func (s *Scheduler) wake(keys []store.Key) {
	for _, k := range keys {
		s.o.Wake(k)
	}
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

// plannedKey is the ownership.IdentityKey of an object before its create; empty if its identity is
// not known beforehand.
func plannedKey(r Request, identity, state cty.Value) string {
	v := plannedIdentity(r, identity, state)
	if v == cty.NilVal {
		return ""
	}
	return ownership.IdentityKey(r.Type.Schema, instance.Instance{Identity: v})
}

// interruptedKey is the plannedKey of the object of an interrupted create.
func interruptedKey(r Request, op *instance.Operation) string {
	if op.Mapped && (r.Handles.refutesMapping() || !r.Handles.maps() && !op.Confirmed) {
		return plannedKey(r, cty.NilVal, op.PlannedState)
	}
	return plannedKey(r, op.PlannedIdentity, op.PlannedState)
}

// keyOf is the ownership.IdentityKey of an object that was found by a handle, or the key of the
// handle.
func keyOf(r Request, h handle, found instance.Instance) string {
	if h.importID != "" {
		return ownership.ImportKey(h.importID)
	}
	return ownership.IdentityKey(r.Type.Schema, found)
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
func (s *Scheduler) elsewhere(ctx context.Context, e *entry, r Request, in instance.Instance) (owner ownership.Owner, by []ownership.Claim, ok bool) {
	observes := !r.Policies.Manage
	r.Policies.Manage = true // what would be claimed
	by = e.claims(r, in, nil)
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
			"The remote object belongs to %s, so this resource may not observe it. Delete this resource, or change it to observe another object.", ownership.OfAnotherNamespace))
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
		"The stored states of this resource and of %s name the same remote object, so it is not destroyed. Remove Delete from spec.managementPolicies of the resource that it does not belong to, and delete that one.",
		by.Text(r.Key.Namespace)))
}

// taking returns the request with the contained objects that a plan takes.
func (r Request) taking(p *terraform.Plan) Request {
	if p != nil {
		r.takes = slices.Concat(p.Creates, p.Imports)
	}
	return r
}
