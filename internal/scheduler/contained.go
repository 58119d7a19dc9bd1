package scheduler

import (
	"slices"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// The objects that an instance consists of, such as those of a Terraform module, are claimed as if
// each had a resource of its own. An import block of a module is like spec.import: it never takes
// an object from another resource.

// containedClaims returns the claims on the objects that an instance consists of, and on those that
// its plan takes.
func (e *entry) containedClaims(r Request, in instance.Instance) (out []ownership.Claim) {
	if r.Consists == nil {
		return nil
	}
	inherited := e.inherits(r)
	add := func(all []terraform.Object, identity, id ownership.Strength) {
		for _, o := range all {
			access, ok := r.Accesses[o.Configuration]
			if !ok {
				continue // the module has no such provider configuration any more
			}
			key, strength := idKey(o.ID), id
			if o.Identity != "" {
				key, strength = versionedKey(o.IdentityVersion, o.Identity), identity
			}
			for _, on := range objectsOf(access, o.Type, key) {
				if o.Settings != "" {
					on.Account += "/settings:" + o.Settings
				}
				out = append(out, ownership.Claim{Object: on, Strength: strength, Inherited: inherited})
			}
		}
	}
	held, begun := r.Consists(in)
	add(held, ownership.Held, ownership.Weak)
	add(begun, ownership.Begun, ownership.Weak)
	add(r.takes, ownership.Wanted, ownership.Wanted)
	return out
}

// taking returns the request with the contained objects that a plan takes.
func (r Request) taking(p *terraform.Plan) Request {
	if p != nil {
		r.takes = slices.Concat(p.Creates, p.Imports)
	}
	return r
}

// objectsOf returns an object as it is accessed by a provider configuration, and by others of the
// same account.
func objectsOf(a ownership.Access, resourceType, identity string) []ownership.Object {
	names := a.Names()
	out := make([]ownership.Object, len(names))
	for i, name := range names {
		out[i] = ownership.Object{Account: name, Type: resourceType, Identity: identity}
	}
	return out
}
