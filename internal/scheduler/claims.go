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

// What a resource claims follows from its record and its request (ownership.Claiming). It is
// claimed when it is loaded, when it is read, and when it is planned.

// naming is how the objects of the resource are named.
func (r *Request) naming() ownership.Naming {
	return ownership.Naming{Type: r.Type, Handles: r.Handles, NamedImport: r.NamedImport}
}

// access is how the object is accessed.
func (r *Request) access() ownership.Access {
	return ownership.Access{Configuration: r.ProviderConfiguration, Account: r.Account}
}

// claiming is what the claims of the resource follow from.
func (r *Request) claiming() *ownership.Claiming {
	out := &ownership.Claiming{
		Naming: r.naming(), Access: r.access(), Accesses: r.Accesses, Manages: r.Policies.Manage, Deleted: r.Deleted,
		Import: r.Import.Target, Lists: r.ListArguments != nil, Consists: r.Consists, Taken: r.takes,
	}
	if r.Known != nil {
		out.Known = &r.Known.Target
	}
	return out
}

// recorded is what the record tells about the claims.
func (e *entry) recorded(r *Request) ownership.Recorded {
	return ownership.Recorded{Instance: &e.record.Instance, Inherited: e.inherits(r), Completed: e.completed}
}

func claimedFor(r *Request) claimed {
	through := claimedThrough{configuration: r.ProviderConfiguration, account: r.Account, manages: r.Policies.Manage, maps: r.Handles.Maps()}
	out := claimed{generation: r.Generation, hash: r.ConfigHash, named: r.naming().Named(), through: unique.Make(through)}
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
	x := s.placeOf(&r)
	s.restoreBrake(ctx, x, &r)
	e := x.lock()
	defer e.unlock()
	if e.view.state == decision.Running || s.removed(e) {
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
	r.naming().Learn(e.record.Instance, cty.NilVal)
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
	s.schemas.note(r.Key, r.Type.Schema)
	s.wake(e.claimant.Claim(e.claims(&r, in, wanted)...))
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
func (e *entry) inherits(r *Request) bool {
	return e.record.Owner != "" && e.record.Owner != r.UID
}

// claims returns the claims on the identities of an instance, and on wanted ones.
func (e *entry) claims(r *Request, in instance.Instance, wanted []string) []ownership.Claim {
	return r.claiming().Claims(e.claimant, e.recorded(r), in, wanted)
}

// wants returns the identities of the objects that a plan creates or changes.
func (e *entry) wants(r *Request, p *terraform.Plan) []string {
	if p == nil {
		return nil
	}
	switch {
	case p.Action == terraform.Create && r.Policies.Create, p.Action.IsReplace() && r.Policies.Replace, p.Action == terraform.Update:
	default:
		return nil
	}
	return r.claiming().Planned(e.recorded(r), p)
}

// unrivalled reports whether a plan creates an object that nothing identifies beforehand, for a
// resource that nothing was done for.
func (e *entry) unrivalled(r *Request, p *terraform.Plan) bool {
	if p.Action != terraform.Create || !e.record.Instance.Nothing() ||
		r.Consists != nil || r.Known != nil || r.imports() || r.MoveFrom != nil || r.NamedImport.ID != "" {
		return false
	}
	return !slices.ContainsFunc(e.wants(r, p), func(identity string) bool { return identity != "" })
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
