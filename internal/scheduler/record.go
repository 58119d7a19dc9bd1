package scheduler

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/journal"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// load loads the record from the store, once for each version of the provider.
func (s *Scheduler) load(ctx context.Context, e *entry, r Request) error {
	s.began()
	before := e.state
	e.view.discard()
	e.validated, e.claimed, e.drifts = "", claimed{}, drifts{}
	if r.New && before == unloaded {
		// If a record exists nevertheless, the first write conflicts.
		e.schema = r.Type.Schema
		e.setRecord(store.Record{Handled: store.Tokens{Reapply: r.Asked.Reapply}}, assumed)
		return nil
	}
	known := e.record
	if before != unloaded {
		e.invalidate(conflicted) // unless it can be loaded
	}
	e.lost.Store(false)
	rec, err := s.o.Store.Load(ctx, r.Key, r.Type.Schema)
	if errors.Is(err, store.ErrElsewhere) && rec.Owner != r.UID && s.mustExist(ctx, r) == nil {
		rec, err = s.loadFreed(ctx, r.Key, r.Type.Schema) // of an earlier resource of this name
	}
	switch {
	case errors.Is(err, store.ErrNotFound) && before != unloaded && known.Version != "" && known.Owner == r.UID:
		if s.removed(e) {
			return &Error{Reason: decision.ReasonStore, Err: errGone}
		}
		if err := s.mustExist(ctx, r); err != nil {
			return &Error{Reason: decision.ReasonStore, Err: fmt.Errorf("the stored instance was deleted: %w", err)}
		}
		if rec, err = s.restore(ctx, r, known); err != nil {
			return &Error{Reason: decision.ReasonStore, Err: err}
		}
	case errors.Is(err, store.ErrNotFound):
		rec = store.Record{Handled: store.Tokens{Reapply: r.Asked.Reapply}} // nothing to set again
	case err != nil:
		return &Error{Reason: decision.ReasonStore, Err: err}
	case rec.Owner != r.UID:
		// This process may not know yet that the resource is gone, for instance because it was
		// suspended.
		if err := s.mustExist(ctx, r); err != nil {
			return &Error{Reason: decision.ReasonStore, Err: fmt.Errorf("the stored instance belongs to another resource of this name: %w", err)}
		}
		// The resource or the Secret was restored from a backup, or the resource was deleted and
		// created again while no controller ran. The object is read before the record is used.
		if rec.Instance.Operation != nil {
			// Since that resource is gone, others may have made an object of the same identity.
			op := *rec.Instance.Operation
			op.Absent, op.Listed, rec.Instance.Operation = false, nil, &op
		}
		s.o.Logger.Info("Stored instance belongs to an earlier resource of the same name", "resource", r.Key, "uid", r.UID, "owner", rec.Owner)
	}
	read := rec.Version
	if rec, err = s.rollBack(ctx, &r, rec); err != nil {
		return err
	}
	rec.Instance = s.datedAdopted(rec)
	rec.Handled = withTold(e.withUnsaved(rec.Handled), r.Told)
	e.schema, e.read = r.Type.Schema, read
	e.setRecord(rec, loaded)
	return nil
}

// mustExist returns an error unless the resource certainly exists.
func (s *Scheduler) mustExist(ctx context.Context, r Request) error {
	exists, err := s.o.Exists(ctx, r.Key, r.UID)
	switch {
	case err != nil:
		return fmt.Errorf("cannot tell whether this resource still exists: %w", err)
	case !exists:
		return errGone
	}
	return nil
}

// mayExist reports whether a resource exists, or may exist as far as is known.
func (s *Scheduler) mayExist(ctx context.Context, k store.Key, uid types.UID) bool {
	exists, err := s.o.Exists(ctx, k, uid)
	return exists || err != nil
}

// restore stores a deleted record again. Nothing else has the private bytes of
// the object, and the values that its provider returned only once.
func (s *Scheduler) restore(ctx context.Context, r Request, known store.Record) (store.Record, error) {
	if !s.o.Leads() {
		return known, journal.ErrSuccessor
	}
	s.o.Logger.Info("The stored instance was deleted, and is stored again", "resource", r.Key, "uid", r.UID)
	known.Version = ""
	return s.store(ctx, &r, known)
}

// Lost is called when a stored record was deleted. If its resource still exists, the
// record is stored again from memory.
func (s *Scheduler) Lost(k store.Key) {
	entries := s.placesOf(k)
	for _, e := range entries {
		e.lost.Store(true)
	}
	if len(entries) > 0 {
		s.o.Wake(k)
	}
}

// save stores the instance.
func (s *Scheduler) save(ctx context.Context, e *entry, r Request, in instance.Instance) error {
	rec := e.record
	if in.DriftHistory == nil {
		in.DriftHistory = rec.Instance.DriftHistory
	}
	rec.Former = s.formerOf(e, &r, in)
	rec.Instance, rec.Owner = in, r.UID
	rec.Handled.Imported = rec.Handled.Imported || r.Import.Target != nil && (in.Exists() || e.record.Instance.Exists())
	e.view.discard()
	if !s.o.Leads() {
		e.invalidate(conflicted)
		return &Error{Reason: decision.ReasonStore, Err: journal.ErrSuccessor}
	}
	if rec.Version == "" && s.removed(e) {
		e.invalidate(conflicted)
		return &Error{Reason: decision.ReasonStore, Err: errGone}
	}
	version, err := s.reserve(ctx, r, rec)
	if err != nil {
		e.invalidate(conflicted)
		return &Error{Reason: storeReason(err), Err: err}
	}
	rec.Version = version
	if err := s.put(ctx, e, r, rec); err != nil {
		return err
	}
	e.unsaved = unsavedTokens{}
	return nil
}

// reserve stores an empty record before the first one of a resource, and returns the version to
// write over. It is for shards: as long as there is no record, another one may take the resource to
// be its own, and release it. Once there is one, either the other one finds it, or the resource is
// found to be deleted, or to be of the other one.
func (s *Scheduler) reserve(ctx context.Context, r Request, rec store.Record) (version string, _ error) {
	if r.Here == nil || rec.Version != "" {
		return rec.Version, nil
	}
	empty, err := s.store(ctx, &r, store.Record{Owner: r.UID})
	if err != nil {
		return "", err
	}
	if err := r.Here(ctx); err != nil {
		return "", errors.Join(err, s.o.Store.Delete(ctx, r.Key, empty.Version))
	}
	return empty.Version, nil
}

// removed reports whether the resource of an entry was taken for gone since the entry was asked
// for. Nothing is stored for it then: nothing would remove it.
func (s *Scheduler) removed(e *entry) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.places.byUID[e.uid] != e.place || e.presence == leaving
}

// put stores a record. After a conflict the record in memory is no longer used, since another
// controller works on the same resource, or the Secret was changed.
func (s *Scheduler) put(ctx context.Context, e *entry, r Request, rec store.Record) error {
	rec, err := s.store(ctx, &r, rec)
	if err != nil {
		e.invalidate(conflicted)
		return &Error{Reason: storeReason(err), Err: err}
	}
	e.setRecord(rec, loaded)
	return nil
}

// storeReason returns the reason of a failed write.
func storeReason(err error) Reason {
	if errors.Is(err, store.ErrTooLarge) {
		return decision.ReasonStateTooLarge
	}
	return decision.ReasonStore
}

// Reload implements Interface.
func (s *Scheduler) Reload(k store.Key) {
	for _, x := range s.placesOf(k) {
		e := x.lock()
		if e.state == loaded {
			e.invalidate(outdated)
			e.record.Version = "" // a record that was removed meanwhile is not restored
		}
		e.unlock()
	}
}

// errGone is the error for a resource that was removed while it was reconciled.
var errGone = errors.New("this resource does not exist any more")

// errMoving is the error for a resource whose record landbridge move has locked.
var errMoving = errors.New("the resource is being moved to another cluster, so nothing is done here. Repeat the " +
	"landbridge move that began it, or give it --undo to keep the resource in this cluster")

// errOtherVersion is the error for an operation that another version of the provider began.
var errOtherVersion = errors.New("another version of the provider has begun an operation on the resource; waiting for it to end")

// errForeign is the error for an operation that another process began.
var errForeign = errors.New("another controller has begun an operation on the resource; waiting for it to end")

// loadFreed loads a record that belongs to another shard, and whose resource does not exist any
// more.
func (s *Scheduler) loadFreed(ctx context.Context, k store.Key, as *schema.Resource) (store.Record, error) {
	l, err := s.sharded()
	if err == nil {
		err = l.Free(ctx, k)
	}
	if err != nil {
		return store.Record{}, err
	}
	return s.o.Store.Load(ctx, k, as)
}

// fenceRecord has the writes of a record of another shard fail that are based on what is stored
// now.
func (s *Scheduler) fenceRecord(ctx context.Context, k store.Key) error {
	l, err := s.sharded()
	if err != nil {
		return err
	}
	return l.Fence(ctx, k)
}

// sharded returns the store, to change a record of another shard.
func (s *Scheduler) sharded() (store.Sharded, error) {
	l, ok := s.o.Store.(store.Sharded)
	switch {
	case !ok:
		return nil, store.ErrElsewhere
	case !s.o.Leads():
		return nil, journal.ErrSuccessor
	}
	return l, nil
}

// store stores a record, with the objects that it names.
func (s *Scheduler) store(ctx context.Context, r *Request, rec store.Record) (store.Record, error) {
	rec.Objects = r.claiming().ObjectsIn(store.ObjectsBy(r.Release), &rec.Instance)
	return s.o.Store.Save(ctx, r.Key, r.Type.Schema, rec)
}
