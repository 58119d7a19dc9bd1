package scheduler

import (
	"context"
	"errors"
	"slices"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

// Configurations that are not known to be for one account may be in several shards, each of which
// knows the objects of its own resources. Before an object is imported, created without a look,
// recovered or destroyed, the records of the others are asked which of them name it, by the labels
// of their Secrets. What is found is compared as in stores.go. The records of modules do not tell
// which objects they name, so those of other shards are not found.

// Elsewhere are the records of other shards.
type Elsewhere interface {
	// Naming calls a function with the keys of those that name an object, some at a time.
	Naming(ctx context.Context, n store.Named, some func([]store.Key)) error
	// Manages reports whether the resource of a record exists and manages its object.
	Manages(ctx context.Context, k store.Key) (bool, error)
	// Load loads one of them, while Naming calls the function.
	Load(ctx context.Context, k store.Key, r *schema.Resource) (store.Record, error)
}

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
	other, elsewhere, err := s.twinElsewhere(ctx, r, all, true)
	if err == nil && elsewhere <= state {
		return by, state, nil
	}
	return other, elsewhere, err
}

// twinElsewhere is twinOf for several sightings, among the records of other shards. several is
// store.Named.Several.
func (s *Scheduler) twinElsewhere(
	ctx context.Context, r *Request, all []sighting, several bool,
) (by ownership.Rival, out twinState, failed error) {
	if s.o.Elsewhere == nil || !r.Policies.Manage {
		return by, out, nil
	}
	named := store.Named{Kinds: s.schemas.kindsOf(r, all), Several: several}
	compare := func(keys []store.Key) {
		for _, k := range keys {
			if k == r.Key || failed != nil || out == sameObject {
				continue
			}
			rival, state, err := s.compareElsewhere(ctx, r, all, k)
			if failed = err; state > out {
				by, out = rival, state
			}
		}
	}
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
	of := s.schemas.of(k)
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
	all = slices.DeleteFunc(slices.Clone(all), func(x sighting) bool {
		_, ok := objectIn(of, &rec.Instance, x.identity)
		return !ok || x.resourceType != of.Type
	})
	if len(all) == 0 {
		return by, noTwin, nil
	}
	switch manages, err := s.o.Elsewhere.Manages(ctx, k); {
	case err != nil:
		return by, unclear, &Error{Reason: decision.ReasonStore, Err: err}
	case !manages, !s.mayExist(ctx, k, rec.Owner):
		return by, noTwin, nil
	}
	for _, x := range all {
		if state := s.compareRecord(r, x, of, &rec); state > out {
			out = state
			by = ownership.Rival{
				Owner: ownership.Owner{Key: k, UID: rec.Owner},
				Claim: ownership.Claim{
					Object: x.access.Objects(x.resourceType, x.identity)[0], Strength: ownership.Wanted,
				}, Holds: true,
			}
		}
	}
	return by, out, nil
}

// objectIn returns the object of a record that has an identity: the current one, a deposed one, or
// none if an interrupted create would make it. ok is false if the record does not name it.
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
	op := in.Operation
	return instance.Instance{}, op != nil && op.Kind == instance.Create &&
		ownership.Naming{Type: terraform.ResourceType{Schema: of}}.InterruptedKey(op) == identity
}

// compareRecord compares a sighting with the object of the same identity that a record names.
func (s *Scheduler) compareRecord(r *Request, x sighting, of *schema.Resource, rec *store.Record) twinState {
	theirs, mine := rec.Account.Configurations()[""], r.StoredAccount.Configurations()[x.key]
	switch known := theirs.Name != "" && mine.Name != ""; {
	case theirs.Declared != "" && mine.Declared != "" && theirs.Declared != mine.Declared:
		return noTwin
	case known && rec.Account.Relation(mine.Account()) == instance.SameAccount && of.Identity == nil:
		return noTwin // others of the account may have the same id
	case known && rec.Account.Relation(mine.Account()) == instance.SameAccount:
		return sameObject // it comes to this shard
	}
	pair := pairOf(x.access, ownership.Access{Configuration: theirs.Name + "@" + theirs.Arguments})
	if one, ok := s.stores.get(pair); ok && one {
		return sameObject
	} else if ok {
		return noTwin
	}
	object, _ := objectIn(of, &rec.Instance, x.identity)
	if !x.looked || !object.Exists() {
		return unclear
	}
	return s.decideStores(pair, x, sighting{
		exists: true, looked: !s.isRecent(r, &object, s.o.Clock.Now()), made: terraform.MadeOf(of, object.State),
	})
}
