package scheduler

import (
	"cmp"
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/types"

	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/journal"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Leave implements Interface. Nothing of the resource stays in memory, so that nothing outdated is
// used if it comes back.
func (s *Scheduler) Leave(ctx context.Context, k store.Key, stored bool) (left bool, _ error) {
	places := s.placesOf(k)
	if len(places) == 0 && !stored {
		return false, nil
	}
	if !s.o.Leads() {
		return false, &Error{Reason: decision.ReasonStore, Err: journal.ErrSuccessor}
	}
	for _, x := range places {
		e := x.lock()
		defer e.unlock()
		if e.view.state == decision.Running {
			return false, &Error{Reason: decision.ReasonStore, Err: errors.New("an operation is still running")}
		}
	}
	if l, ok := s.o.Store.(store.Sharded); ok {
		if err := l.Leave(ctx, k); err != nil {
			return false, &Error{Reason: decision.ReasonStore, Err: err}
		}
	}
	for _, x := range places {
		s.withdrawDestroy(x)
	}
	s.mu.Lock()
	for _, x := range places {
		s.places.remove(x)
	}
	s.mu.Unlock()
	s.o.Store.Forget(k)
	s.corrections.forget(k)
	s.wake(s.owners.Release(k))
	return true, nil
}

// Gone implements Interface.
func (s *Scheduler) Gone(k store.Key) {
	for _, e := range s.placesOf(k) {
		s.withdrawDestroy(e)
	}
	s.mu.Lock()
	s.places.gone(k)
	s.mu.Unlock()
	s.o.Store.Forget(k)
	s.corrections.forget(k)
	s.wake(s.owners.Release(k))
}

// Deleted implements Interface.
func (s *Scheduler) Deleted(uid types.UID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.places.deleted(uid)
}

// Retire implements Interface. It stores the record without an owner, unless this process has
// written it. Where the work is divided, another shard may have stored one since this one found
// none.
func (s *Scheduler) Retire(ctx context.Context, r Request) error {
	e := s.placeOf(&r).lock()
	defer e.unlock()
	if r.Here != nil && e.record.Version == "" {
		if _, err := s.o.Store.Load(ctx, r.Key, r.Type.Schema); !errors.Is(err, store.ErrNotFound) {
			e.invalidate(conflicted)
			return &Error{Reason: decision.ReasonStore, Err: cmp.Or(err, store.ErrConflict)}
		}
	}
	if e.state != loaded || e.record.Version == "" || e.record.Version != e.read {
		return nil
	}
	if !s.o.Leads() {
		return &Error{Reason: decision.ReasonStore, Err: journal.ErrSuccessor}
	}
	rec := e.record
	// A resource that was retired before, under the same name, may have left the same record.
	rec.Owner, rec.Rewrite = "", true
	return s.put(ctx, e, r, rec)
}

// Forget implements Interface.
func (s *Scheduler) Forget(ctx context.Context, r Request) error {
	e := s.placeOf(&r).lock()
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
	s.places.remove(e.place)
	s.mu.Unlock()
	s.o.Store.Forget(r.Key)
	s.corrections.forget(r.Key)
	s.wake(s.owners.Release(r.Key))
	return nil
}

// forget removes the record if it belongs to this resource and not to a new one with the same name.
func (s *Scheduler) forget(ctx context.Context, e *entry, r Request) error {
	if !s.o.Leads() {
		return journal.ErrSuccessor
	}
	if e.state == loaded {
		err := s.o.Store.Delete(ctx, r.Key, e.record.Version)
		if !errors.Is(err, store.ErrConflict) {
			return err
		}
		e.invalidate(conflicted)
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
