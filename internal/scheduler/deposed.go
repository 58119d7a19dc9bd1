package scheduler

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
)

// A replacement that creates before it destroys (contract § 3.9) is two operations:
//
//	current: old ── Create ──▶ current: none, deposed: old   intent, in the same write
//	                    ├─ an object was made ──▶ current: new, deposed: old ── Delete of old ──▶ current: new
//	                    └─ none was made ──▶ current: old
//
// Only while that Create is unresolved is there a deposed object without a current one: whenever
// the current object turns out to be gone, the last deposed one takes its place. So deleting a
// resource deletes all its objects, one after the other, without regard to which are deposed.

// destroyDeposed starts to destroy a deposed object, unless another resource has it through another
// provider configuration.
func (s *Scheduler) destroyDeposed(ctx context.Context, e *entry, r Request) error {
	key, object := e.record.Instance.Deposed[0].Key, e.record.Instance.Deposed[0].Instance()
	name := ownership.IdentityKey(r.Type.Schema, object)
	if r.Type.Schema.Identity == nil {
		name = ownership.StateKey(object.State)
	}
	if by, state, err := s.twinAnywhere(ctx, e, &r, []string{name}, &object); err != nil {
		return err
	} else if state == sameObject {
		return sharedObject(r, by)
	}
	t := task{kind: instance.Delete, deposed: key, replacement: true, braked: r.Brake != nil, notFound: func(in instance.Instance) meaning {
		e := e.lock()
		defer e.unlock()
		return s.notFound(e, &r, key, in)
	}}
	return s.started(&r, &t, s.start(e, r, t))
}
