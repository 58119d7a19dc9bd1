package scheduler

import (
	"context"
	"errors"

	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

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
		return nil, errSuccessor
	}
	return l, nil
}

// Leave implements Interface. Nothing of the resource stays in memory, so that nothing outdated is
// used if it comes back.
func (s *Scheduler) Leave(ctx context.Context, k store.Key, stored bool) (left bool, _ error) {
	slots := s.slotsOf(k)
	if len(slots) == 0 && !stored {
		return false, nil
	}
	if !s.o.Leads() {
		return false, &Error{Reason: decision.ReasonStore, Err: errSuccessor}
	}
	for _, x := range slots {
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
	for _, x := range slots {
		s.withdrawDestroy(x)
	}
	s.mu.Lock()
	for _, x := range slots {
		s.slots.remove(x)
	}
	s.mu.Unlock()
	s.o.Store.Forget(k)
	s.corrections.forget(k)
	s.wake(s.owners.Release(k))
	return true, nil
}
