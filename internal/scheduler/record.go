package scheduler

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
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
		e.believe(store.Record{Handled: store.Tokens{Reapply: r.Asked.Reapply}}, assumed)
		return nil
	}
	known := e.record
	if before != unloaded {
		e.distrust(conflicted) // unless it can be loaded
	}
	e.lost.Store(false)
	rec, err := s.o.Store.Load(ctx, r.Key, r.Type.Schema)
	if errors.Is(err, store.ErrElsewhere) && rec.Owner != r.UID && s.mustExist(ctx, r) == nil {
		rec, err = s.loadFreed(ctx, r.Key, r.Type.Schema) // of an earlier resource of this name
	}
	switch {
	case errors.Is(err, store.ErrNotFound) && before != unloaded && known.Version != "" && known.Owner == r.UID:
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
	rec.Handled = withTold(e.withUnsaved(rec.Handled), r.Told)
	e.schema, e.read = r.Type.Schema, rec.Version
	e.believe(rec, loaded)
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
		return known, errSuccessor
	}
	s.o.Logger.Info("The stored instance was deleted, and is stored again", "resource", r.Key, "uid", r.UID)
	known.Version = ""
	return s.store(ctx, &r, known)
}

// Lost is called when a stored record was deleted. If its resource still exists, the
// record is stored again from memory.
func (s *Scheduler) Lost(k store.Key) {
	entries := s.slotsOf(k)
	for _, e := range entries {
		e.lost.Store(true)
	}
	if len(entries) > 0 {
		s.o.Wake(k)
	}
}

// entriesOf returns the entries of all resources that had a key.
func (s *Scheduler) slotsOf(k store.Key) []*slot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.slots.of(k)
}

// save stores the instance.
func (s *Scheduler) save(ctx context.Context, e *entry, r Request, in instance.Instance) error {
	rec := e.record
	if in.DriftHistory == nil {
		in.DriftHistory = rec.Instance.DriftHistory
	}
	rec.Instance, rec.Owner = in, r.UID
	rec.Handled.Imported = rec.Handled.Imported || r.Import.Target != nil && (in.Exists() || e.record.Instance.Exists())
	e.view.discard()
	if !s.o.Leads() {
		e.distrust(conflicted)
		return &Error{Reason: decision.ReasonStore, Err: errSuccessor}
	}
	if rec.Version == "" && s.removed(e) {
		e.distrust(conflicted)
		return &Error{Reason: decision.ReasonStore, Err: errGone}
	}
	version, err := s.reserve(ctx, r, rec)
	if err != nil {
		e.distrust(conflicted)
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
	return s.slots.byUID[e.uid] != e.slot || e.presence == leaving
}

// put stores a record. After a conflict the record in memory is no longer used, since another
// controller works on the same resource, or the Secret was changed.
func (s *Scheduler) put(ctx context.Context, e *entry, r Request, rec store.Record) error {
	rec, err := s.store(ctx, &r, rec)
	if err != nil {
		e.distrust(conflicted)
		return &Error{Reason: storeReason(err), Err: err}
	}
	e.believe(rec, loaded)
	return nil
}

// storeReason returns the reason of a failed write.
func storeReason(err error) Reason {
	if errors.Is(err, store.ErrTooLarge) {
		return decision.ReasonStateTooLarge
	}
	return decision.ReasonStore
}

// Retire implements Interface. It stores the record without an owner, unless this process has
// written it. Where the work is divided, another shard may have stored one since this one found
// none.
func (s *Scheduler) Retire(ctx context.Context, r Request) error {
	e := s.slot(r.Key, r.UID).lock()
	defer e.unlock()
	if r.Here != nil && e.record.Version == "" {
		if _, err := s.o.Store.Load(ctx, r.Key, r.Type.Schema); !errors.Is(err, store.ErrNotFound) {
			e.distrust(conflicted)
			return &Error{Reason: decision.ReasonStore, Err: cmp.Or(err, store.ErrConflict)}
		}
	}
	if e.state != loaded || e.record.Version == "" || e.record.Version != e.read {
		return nil
	}
	if !s.o.Leads() {
		return &Error{Reason: decision.ReasonStore, Err: errSuccessor}
	}
	rec := e.record
	// A resource that was retired before, under the same name, may have left the same record.
	rec.Owner, rec.Rewrite = "", true
	return s.put(ctx, e, r, rec)
}

// Forget implements Interface.
func (s *Scheduler) Forget(ctx context.Context, r Request) error {
	e := s.slot(r.Key, r.UID).lock()
	defer e.unlock()
	if e.view.state == decision.Running {
		if e.view.release != nil {
			e.view.release() // the next attempt finds that the operation has ended
		}
		return &Error{Reason: decision.ReasonStore, Err: errors.New("an operation is still running")}
	}
	if err := s.forget(ctx, e, r); err != nil {
		return &Error{Reason: decision.ReasonStore, Err: err}
	}
	s.mu.Lock()
	s.slots.remove(e.slot)
	s.mu.Unlock()
	s.o.Store.Forget(r.Key)
	s.corrections.forget(r.Key)
	s.wake(s.owners.Release(r.Key))
	return nil
}

// forget removes the record if it belongs to this resource and not to a new one with the same name.
func (s *Scheduler) forget(ctx context.Context, e *entry, r Request) error {
	if !s.o.Leads() {
		return errSuccessor
	}
	if e.state == loaded {
		err := s.o.Store.Delete(ctx, r.Key, e.record.Version)
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
		e.distrust(conflicted)
	}
	rec, err := s.o.Store.Load(ctx, r.Key, r.Type.Schema)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return s.o.Store.Delete(ctx, r.Key, "") // of a write that did not end
	case err != nil:
		return err
	case rec.Owner != r.UID && !retired(rec):
		return nil
	}
	return s.o.Store.Delete(ctx, r.Key, rec.Version)
}

// retired reports whether a record may be one that Retire has stored. It has nothing that anyone
// could miss.
func retired(rec store.Record) bool {
	return rec.Owner == "" && rec.Instance.Nothing()
}

// errSuccessor is the error of a process without the lease, whose memory may be outdated.
var errSuccessor = errors.New("another controller may have taken over")

// Reload implements Interface.
func (s *Scheduler) Reload(k store.Key) {
	for _, x := range s.slotsOf(k) {
		e := x.lock()
		if e.state == loaded {
			e.distrust(outdated)
			e.record.Version = "" // a record that was removed meanwhile is not restored
		}
		e.unlock()
	}
}

// errGone is the error for a resource that was removed while it was reconciled.
var errGone = errors.New("this resource does not exist any more")

// errMoving is the error for a resource whose record landbridge move has locked.
var errMoving = errors.New("the resource is being moved to another cluster, so nothing is done here. Repeat the landbridge move that began it, or give it --undo to keep the resource in this cluster")

// errForeign is the error for an operation that another process began.
var errForeign = errors.New("another controller has begun an operation on the resource; waiting for it to end")
