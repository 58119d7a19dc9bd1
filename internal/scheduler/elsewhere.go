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
	// Naming returns the keys of those that name one of several objects, which are given by their
	// store.ObjectHash. With several, it also returns those that may name more than one object.
	Naming(ctx context.Context, objects []string, several bool) ([]store.Key, error)
	// Manages reports whether the resource of a record exists and manages its object.
	Manages(ctx context.Context, k store.Key) (bool, error)
	// Load loads one of them.
	Load(ctx context.Context, k store.Key, r *schema.Resource) (store.Record, error)
}

// twinAnywhere is twin, also among the records of other shards.
func (s *Scheduler) twinAnywhere(ctx context.Context, e *entry, r *Request, identities []string, found *instance.Instance) (ownership.Rival, twinState, error) {
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

// twinElsewhere is twinOf for several sightings, among the records of other shards. several is that
// of Elsewhere.Naming.
func (s *Scheduler) twinElsewhere(ctx context.Context, r *Request, all []sighting, several bool) (by ownership.Rival, out twinState, _ error) {
	if s.o.Elsewhere == nil || !r.Policies.Manage {
		return by, out, nil
	}
	var objects []string
	for _, x := range all {
		if x.identity != "" {
			objects = append(objects, store.ObjectHash(x.resourceType, x.identity))
		}
	}
	for some := range slices.Chunk(objects, mostObjects) {
		keys, err := s.o.Elsewhere.Naming(ctx, some, several)
		if err != nil {
			return by, unclear, &Error{Reason: decision.ReasonStore, Err: err}
		}
		for _, k := range keys {
			if k == r.Key {
				continue
			}
			rival, state, err := s.compareElsewhere(ctx, r, all, k)
			if err != nil || state == sameObject {
				return rival, state, err
			}
			if state > out {
				by, out = rival, state
			}
		}
	}
	return by, out, nil
}

// mostObjects is for how many objects records are asked at once.
const mostObjects = 100

// compareElsewhere compares sightings with the record of another shard.
func (s *Scheduler) compareElsewhere(ctx context.Context, r *Request, all []sighting, k store.Key) (by ownership.Rival, out twinState, _ error) {
	of := s.schemas.of(k)
	if of == nil && k.Group == r.Key.Group && k.Kind == r.Key.Kind {
		of = r.Type.Schema
	}
	if of == nil {
		return by, noTwin, nil
	}
	rec, err := s.o.Elsewhere.Load(ctx, k, of)
	manages := false
	if err == nil {
		manages, err = s.o.Elsewhere.Manages(ctx, k)
	}
	switch {
	case errors.Is(err, store.ErrNotFound), errors.Is(err, store.ErrUnreadable):
		return by, noTwin, nil
	case err != nil:
		return by, unclear, &Error{Reason: decision.ReasonStore, Err: err}
	case !manages, !s.mayExist(ctx, k, rec.Owner):
		return by, noTwin, nil
	}
	names := namesIn(of, &rec.Instance)
	for _, x := range all {
		if x.resourceType != of.Type || !slices.Contains(names, x.identity) {
			continue
		}
		if state := s.compareRecord(r, x, of, &rec); state > out {
			out = state
			by = ownership.Rival{Owner: ownership.Owner{Key: k, UID: rec.Owner}, Claim: ownership.Claim{Object: x.access.Objects(x.resourceType, x.identity)[0], Strength: ownership.Wanted}, Holds: true}
		}
	}
	return by, out, nil
}

// namesIn returns the identities of the objects that a record names.
func namesIn(of *schema.Resource, in *instance.Instance) []string {
	out := []string{ownership.IdentityKey(of, *in)}
	if of.Identity == nil {
		out = []string{ownership.StateKey(in.State)}
	}
	for _, d := range in.Deposed {
		out = append(out, ownership.IdentityKey(of, d.Instance()))
	}
	if op := in.Operation; op != nil && op.Kind == instance.Create {
		out = append(out, ownership.Naming{Type: terraform.ResourceType{Schema: of}}.InterruptedKey(op))
	}
	return out
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
	if !x.looked || !rec.Instance.Exists() {
		return unclear
	}
	return s.decideStores(pair, x, sighting{
		exists: true, looked: !s.isRecent(r, &rec.Instance, s.o.Clock.Now()), made: terraform.MadeOf(of, rec.Instance.State),
	})
}
