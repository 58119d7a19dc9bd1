package ownership

import (
	"slices"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// A remote object has one owner. Before a resource writes, it claims:
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

// Claiming is what the claims of a resource follow from, beside its instance.
type Claiming struct {
	Naming
	// Access is how its object is accessed, and Accesses how those of an instance that consists of
	// several are, by terraform.Object.Configuration.
	Access   Access
	Accesses map[string]Access
	// Manages is set unless the resource only observes: then it claims nothing. Deleted is set when
	// it is being deleted.
	Manages, Deleted bool
	// Import is the object of spec.import, and Known the one that annotations name; nil for none.
	Import, Known *terraform.ImportTarget
	// Lists is set if the object of an interrupted create may be found by listing.
	Lists bool
	// Consists returns the objects that an instance consists of, and those that an interrupted
	// operation may have created; nil if an instance is one object. Taken are those that the plan
	// creates or imports.
	Consists func(instance.Instance) (held, begun []terraform.Object)
	Taken    []terraform.Object
}

// Recorded is what the record of a resource tells about its claims.
type Recorded struct {
	Instance *instance.Instance
	// Inherited is set when the record is that of an earlier resource of the same name.
	Inherited bool
	// Completed is a planned identity with the complete identity of the created object; nil if they
	// are the same.
	Completed *Completed
}

// Completed is an identity that was partly known before a create, and the complete identity of the
// created object. Both are claimed while this process lives. A later process has to look up the
// object to know that they are the same.
type Completed struct{ Planned, Whole string }

// Creating is claimed weakly for a create of a type whose objects are listed.
const Creating = "creating"

// Objects returns an object as it is accessed by the provider configuration and by others of the
// same account.
func (x *Claiming) Objects(identity string) []Object {
	return x.Access.Objects(x.Type.Schema.Type, identity)
}

// Claims returns the claims on the identities of an instance, and on wanted ones. by is the
// resource, whose claims are those that it has made before.
func (x *Claiming) Claims(by *Claimant, rec Recorded, in instance.Instance, wanted []string) (out []Claim) {
	if !x.Manages {
		return nil
	}
	var recorded string
	if x.Type.Schema.Identity != nil && rec.Instance.Exists() {
		recorded = IdentityKey(x.Type.Schema, *rec.Instance)
	}
	add := func(identity string, s Strength) {
		if identity == "" {
			return
		}
		for _, on := range x.Objects(identity) {
			out = append(out, Claim{Object: on, Strength: s, Inherited: rec.Inherited, Recorded: identity == recorded && !rec.Inherited})
		}
		if rec.Completed == nil || identity != rec.Completed.Whole {
			return
		}
		for _, on := range x.Objects(rec.Completed.Planned) {
			out = append(out, Claim{Object: on, Strength: s, Inherited: rec.Inherited})
		}
	}
	if x.Consists != nil {
		held, begun := x.Consists(in)
		out = append(out, contained{Held: held, Begun: begun, Taken: x.Taken}.Claims(x.Accesses, rec.Inherited)...)
	}
	for _, identity := range wanted {
		if identity == Creating {
			out = append(out, x.claimsCreating()...)
			continue
		}
		strength := Wanted
		if identity != "" && by.Has(x.Objects(identity)[0]) {
			strength = Begun // another object replaces the current one
		}
		add(identity, strength)
	}
	if op := in.Operation; op != nil && op.Kind == instance.Create && x.Lists {
		out = append(out, x.claimsCreating()...)
	}
	for _, n := range x.names(&in) {
		add(n.identity, n.strength)
	}
	return out
}

// claimsCreating returns the claims of a create whose object is looked for by listing.
func (x *Claiming) claimsCreating() (out []Claim) {
	for _, on := range x.Objects(Creating) {
		out = append(out, Claim{Object: on, Strength: Weak})
	}
	return out
}

// name is an identity by which a resource claims an object.
type name struct {
	identity string
	strength Strength
}

// names returns the identities that follow from an instance, without those of the objects that it
// consists of. Some may be empty.
func (x *Claiming) names(in *instance.Instance) (out []name) {
	add := func(identity string, s Strength) { out = append(out, name{identity, s}) }
	if id := x.Named(); id != "" && in.Exists() && instance.Known(in.State) && x.NamedImport.Names(in.State) {
		add(importKey(id), Held)
	}
	if op := in.Operation; op != nil && op.Kind == instance.Create {
		add(x.InterruptedKey(op), Begun)
		add(importKey(op.ImportID), Begun)
	}
	if x.Type.Schema.Identity != nil {
		add(IdentityKey(x.Type.Schema, *in), Held)
		for _, d := range in.Deposed {
			add(IdentityKey(x.Type.Schema, d.Instance()), Held)
		}
		return out
	}
	add(StateKey(in.State), Weak)
	for _, d := range in.Deposed {
		add(StateKey(d.State), Weak)
	}
	switch {
	case x.Import != nil && in.Exists():
		add(IDKey(x.Import.ID), Held)
	case x.Import != nil && !x.Deleted:
		add(IDKey(x.Import.ID), Wanted)
	case x.Known != nil && !in.Exists():
		add(IDKey(x.Known.ID), Named)
	}
	return out
}

// Planned returns the identities of the object that a plan creates or changes. Some may be empty.
func (x *Claiming) Planned(rec Recorded, p *terraform.Plan) []string {
	if p.Action != terraform.Update && x.OnlyListed(p) {
		return []string{Creating}
	}
	planned := x.KeyBefore(x.Handle(p.Identity, p.State))
	if planned != "" && rec.Completed != nil && planned == rec.Completed.Planned {
		return []string{planned, rec.Completed.Whole}
	}
	return []string{planned}
}

// OnlyListed reports whether the object of a create can only be found by listing.
func (x *Claiming) OnlyListed(p *terraform.Plan) bool {
	return x.Lists && x.Type.Schema.Identity != nil && x.Handle(p.Identity, p.State).None()
}

// ObjectsIn returns which objects an instance names as long as its resource imports no other one:
// those that exist, that were replaced, and that an operation may have made. by is
// store.Objects.By.
func (x *Claiming) ObjectsIn(by string, in *instance.Instance) store.Objects {
	out := store.Objects{By: by}
	name := func(resourceType, identity string) {
		if identity != "" {
			out.Hashes = append(out.Hashes, store.ObjectHash(resourceType, identity))
		}
	}
	for _, n := range x.names(in) {
		name(x.Type.Schema.Type, n.identity)
	}
	for _, identity := range x.PlannedKeys(in.Operation) {
		name(x.Type.Schema.Type, identity)
	}
	if x.Consists != nil {
		held, begun := x.Consists(*in)
		for _, o := range slices.Concat(held, begun) {
			name(o.Type, ObjectKey(o))
		}
	}
	return out
}

// Identities returns the identities that claims are on, each once. Those that only annotations name
// are left out.
func Identities(claims []Claim) (out []string) {
	seen := map[string]bool{}
	for _, c := range claims {
		if id := c.Object.Identity; c.Strength > Named && !seen[id] && id != Creating {
			seen[id] = true
			out = append(out, id)
		}
	}
	return out
}

// Free reports whether no other resource than by has a claim on an object.
func (x *Claiming) Free(by *Claimant, identity string) bool {
	return !slices.ContainsFunc(x.Objects(identity), func(on Object) bool { return !by.Alone(on) })
}

// Holder returns another resource than by that has begun to make an object, or holds it.
func (x *Claiming) Holder(by *Claimant, identity string) (Owner, bool) {
	for _, on := range x.Objects(identity) {
		if owner, ok := by.Holder(on); ok {
			return owner, true
		}
	}
	return Owner{}, false
}
