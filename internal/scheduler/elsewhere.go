package scheduler

import (
	"context"
	"errors"
	"slices"

	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// Configurations that are not known to be for one account may be in several shards, each of which
// knows the objects of its own resources. Before an object is imported, created without a look,
// recovered or destroyed, and after the intent of its create is stored, the records of the others
// are asked which of them name it, by the labels of their Secrets. What is found is compared as in
// stores.go, the objects of modules one by one.
//
// Of two shards that create one object, at least one finds the intent of the other, since each
// looks after it has stored its own. It gives way and tries again.

// Elsewhere are the records of other shards, and the kinds that all shards have.
type Elsewhere interface {
	// Having returns the kinds whose resources may have objects of a resource type: those of the
	// type, and those of modules.
	Having(resourceType string) []runtimeschema.GroupKind
	// ObjectsOf returns the schema of the resource of a record, and its Request.Consists. The
	// schema is nil if the kind is not known.
	ObjectsOf(k store.Key) (*schema.Resource, Consists)
	// Naming calls a function with the keys of those that may name an object, some at a time.
	Naming(ctx context.Context, n store.Named, some func([]store.Key)) error
	// Manages reports whether the resource of a record exists and manages its object.
	Manages(ctx context.Context, k store.Key) (bool, error)
	// Load loads one of them, while Naming calls the function.
	Load(ctx context.Context, k store.Key, r *schema.Resource) (store.Record, error)
}

// Consists returns the objects that an instance consists of, and those that an interrupted
// operation may have created.
type Consists = func(instance.Instance) (held, begun []terraform.Object)

// twinAnywhere is twin, also among the records of other shards.
func (s *Scheduler) twinAnywhere(
	ctx context.Context, e *entry, r *Request, identities []string, found *instance.Instance,
) (ownership.Rival, twinState, error) {
	return s.twinOfAnywhere(ctx, e, r, sightingsOf(r, identities, found))
}

// twinOfAnywhere is twinOfAny, also among the records of other shards.
func (s *Scheduler) twinOfAnywhere(ctx context.Context, e *entry, r *Request, all []sighting) (ownership.Rival, twinState, error) {
	by, state, err := s.twinOfAny(ctx, e, r, all)
	if err != nil || state == sameObject {
		return by, state, err
	}
	other, elsewhere, err := s.twinElsewhere(ctx, r, all)
	if err == nil && elsewhere <= state {
		return by, state, nil
	}
	return other, elsewhere, err
}

// twinElsewhere is twinOf for several sightings, among the records of other shards.
func (s *Scheduler) twinElsewhere(ctx context.Context, r *Request, all []sighting) (by ownership.Rival, out twinState, failed error) {
	if s.o.Elsewhere == nil || !r.Policies.Manage {
		return by, out, nil
	}
	compare := func(keys []store.Key) {
		for _, k := range keys {
			if k == r.Key || s.owners.Claims(k) || failed != nil || out == sameObject {
				continue
			}
			rival, state, err := s.compareElsewhere(ctx, r, all, k)
			if failed = err; state > out {
				by, out = rival, state
			}
		}
	}
	named := store.Named{Kinds: s.having(all)}
	for named.Objects = range slices.Chunk(hashesOf(all), mostObjects) {
		err := s.o.Elsewhere.Naming(ctx, named, compare)
		if err != nil && failed == nil {
			failed = &Error{Reason: decision.ReasonStore, Err: err}
		}
		if failed != nil || out == sameObject {
			break
		}
	}
	return by, out, failed
}

// having returns the kinds whose resources may have one of several objects.
func (s *Scheduler) having(all []sighting) (out []runtimeschema.GroupKind) {
	types := map[string]bool{}
	for _, x := range all {
		if types[x.resourceType] {
			continue
		}
		types[x.resourceType] = true
		for _, kind := range s.o.Elsewhere.Having(x.resourceType) {
			if !slices.Contains(out, kind) {
				out = append(out, kind)
			}
		}
	}
	return out
}

// hashesOf returns the store.ObjectHash of the objects of sightings whose identity is known.
func hashesOf(all []sighting) (out []string) {
	for _, x := range all {
		if x.identity != "" {
			out = append(out, store.ObjectHash(x.resourceType, x.identity))
		}
	}
	return out
}

// mostObjects is for how many objects records are asked at once.
const mostObjects = 100

// compareElsewhere compares sightings with the record of another shard.
func (s *Scheduler) compareElsewhere(
	ctx context.Context, r *Request, all []sighting, k store.Key,
) (by ownership.Rival, out twinState, _ error) {
	of, consists := s.o.Elsewhere.ObjectsOf(k)
	if of == nil {
		of = r.Type.Schema
	}
	rec, err := s.o.Elsewhere.Load(ctx, k, of)
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrUnreadable):
		return by, noTwin, nil
	case err != nil:
		return by, unclear, &Error{Reason: decision.ReasonStore, Err: err}
	}
	type pair struct{ mine, theirs sighting }
	var pairs []pair
	for _, x := range all {
		if theirs, ok := s.sightedIn(r, &rec.Instance, of, consists, x); ok {
			pairs = append(pairs, pair{x, theirs})
		}
	}
	if len(pairs) == 0 {
		return by, noTwin, nil
	}
	switch manages, err := s.o.Elsewhere.Manages(ctx, k); {
	case err != nil:
		return by, unclear, &Error{Reason: decision.ReasonStore, Err: err}
	case !manages, !s.mayExist(ctx, k, rec.Owner):
		return by, noTwin, nil
	}
	for _, p := range pairs {
		if state := s.compareRecord(r, p.mine, p.theirs, rec.Account); state > out {
			out = state
			by = ownership.Rival{
				Owner: ownership.Owner{Key: k, UID: rec.Owner},
				Claim: ownership.Claim{
					Object: p.mine.access.Objects(p.mine.resourceType, p.mine.identity)[0], Strength: ownership.Wanted,
				}, Holds: true,
			}
		}
	}
	return by, out, nil
}

// sightedIn returns what a record tells of the object of a sighting. It is looked if it was visible
// long enough. ok is false if the record does not name the object.
func (s *Scheduler) sightedIn(r *Request, in *instance.Instance, of *schema.Resource, consists Consists, x sighting) (_ sighting, ok bool) {
	if x.identity == "" {
		return sighting{}, false
	}
	if consists != nil {
		return sightedAmong(consists, *in, x)
	}
	object, ok := objectIn(of, in, x.identity)
	if !ok || of.Type != x.resourceType {
		return sighting{}, false
	}
	out := sighting{identified: of.Identity != nil, exists: object.Exists()}
	if out.exists {
		out.looked, out.made = !s.isRecent(r, &object, s.o.Clock.Now()), terraform.MadeOf(of, object.State)
	}
	return out, true
}

// sightedAmong is sightedIn for a record that names several objects.
func sightedAmong(consists Consists, in instance.Instance, x sighting) (_ sighting, ok bool) {
	held, begun := consists(in)
	for i, o := range slices.Concat(held, begun) {
		if o.Type == x.resourceType && ownership.ObjectKey(o) == x.identity {
			return sighting{key: o.Configuration, identified: o.Identity != "", exists: i < len(held), made: o.Made}, true
		}
	}
	return sighting{}, false
}

// objectIn returns the object of a record that has an identity: the current one, a deposed one, or
// none if an operation would make it. ok is false if the record does not name it.
func objectIn(of *schema.Resource, in *instance.Instance, identity string) (_ instance.Instance, ok bool) {
	if identity == "" {
		return instance.Instance{}, false
	}
	all := []instance.Instance{*in}
	for _, d := range in.Deposed {
		all = append(all, d.Instance())
	}
	for _, x := range all {
		name := ownership.IdentityKey(of, x)
		if of.Identity == nil {
			name = ownership.StateKey(x.State)
		}
		if name == identity {
			return x, true
		}
	}
	return instance.Instance{}, slices.Contains(ownership.Naming{Type: terraform.ResourceType{Schema: of}}.PlannedKeys(in.Operation), identity)
}

// compareRecord compares a sighting with the object of the same identity that a record names.
func (s *Scheduler) compareRecord(r *Request, mine, theirs sighting, account instance.Account) twinState {
	by, own := account.Configurations()[theirs.key], r.StoredAccount.Configurations()[mine.key]
	switch known := by.Name != "" && own.Name != ""; {
	case by.Declared != "" && own.Declared != "" && by.Declared != own.Declared:
		return noTwin
	case known && by.Account().Relation(own.Account()) == instance.SameAccount && !theirs.identified:
		return noTwin // others of the account may have the same id
	case known && by.Account().Relation(own.Account()) == instance.SameAccount:
		return sameObject // it comes to this shard
	}
	pair := pairOf(mine.access, ownership.Access{Configuration: by.Name + "@" + by.Arguments})
	if one, ok := s.stores.get(pair); ok && one {
		return sameObject
	} else if ok {
		return noTwin
	}
	if !mine.looked || !theirs.exists {
		return unclear
	}
	return s.decideStores(pair, mine, theirs)
}
