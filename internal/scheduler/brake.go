package scheduler

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/scheduler/brake"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// restoreBrake has the brake hold if the status of a resource tells that an earlier process has
// held its destruction.
func (s *Scheduler) restoreBrake(ctx context.Context, x *slot, r *Request) {
	if r.Brake == nil || r.Brake.Held.IsZero() || x.braked.Load() {
		return
	}
	scope, _ := r.Brake.scope(ctx)
	s.brake.Restore(s.o.Clock.Now(), r.UID, scope, r.Brake.Held)
}

// reserveDestroy returns nil if the object of a resource may be destroyed now. If it is not then,
// the reservation has to be cancelled.
func (s *Scheduler) reserveDestroy(ctx context.Context, e *entry, r *Request) *Error {
	if r.Brake == nil {
		return nil
	}
	s.restoreBrake(ctx, e.slot, r)
	scope, limit := r.Brake.scope(ctx)
	s.brake.Start(s.began())
	refused := s.brake.Reserve(s.o.Clock.Now(), brake.Destroy{
		ID: r.UID, Scope: scope, Limit: limit, Kind: r.Key.Kind + "." + r.Key.Group, Deleted: r.Brake.Deleted,
		Others: func() int { return s.others(r.Key) },
	})
	if refused == nil {
		e.braked.Store(false)
		return nil
	}
	return e.errBraked(scope, refused)
}

// others returns the number of resources of the kind of a resource beside it.
func (s *Scheduler) others(k store.Key) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.slots.byUID {
		if e.key.Kind == k.Kind && e.key.Group == k.Group && e.key != k {
			n++
		}
	}
	return n
}

// holdsReplacement returns why a replacement that creates first does not begin: the old object
// could not be destroyed.
func (s *Scheduler) holdsReplacement(ctx context.Context, e *entry, r *Request) *Error {
	if r.Brake == nil {
		return nil
	}
	s.restoreBrake(ctx, e.slot, r)
	scope, limit := r.Brake.scope(ctx)
	if why := s.brake.Holds(scope); why != "" && limit.Destroys > 0 {
		return e.errBraked(scope, &brake.Refusal{Text: why})
	}
	return nil
}

// errBraked is the error for a destroy that the brake holds.
func (e *entry) errBraked(in brake.Scope, why *brake.Refusal) *Error {
	if !why.Until.IsZero() {
		out := decision.Failed(decision.ReasonDestroyDelayed, diagnostic.Errorf("Destroy delayed", "%s", why.Text))
		out.LookAt = why.Until
		return out
	}
	e.braked.Store(true)
	e.denied.Store(true)
	place := ""
	if in.Namespace != "" {
		place = " in the namespace " + in.Namespace
	}
	return decision.Failed(decision.ReasonDestroyBrake, diagnostic.Errorf("Destroy held",
		"%s in the account %s of %s%s, so further ones are kept. They are destroyed after landbridge release-brake --provider %s --account %s; "+
			"take the deletion or the change back to keep the object.", why.Text, in.Account, in.Provider, place, in.Provider, in.Account))
}

// withdrawDestroy notes that the object of a resource is not to be destroyed any more.
func (s *Scheduler) withdrawDestroy(x *slot) {
	if x.braked.Swap(false) && s.brake.Withdraw(x.uid) {
		s.WakePending()
	}
}

// ReleaseBrake lets destroys begin that wait.
func (s *Scheduler) ReleaseBrake(r brake.Release) {
	s.brake.Release(r)
	s.WakePending()
}

// endBrake is called when an operation has ended.
func (s *Scheduler) endBrake(r *Request, t *task, res *result) {
	switch {
	case !t.braked:
	case res.undispatched:
		s.brake.Cancel(r.UID)
	case !res.diags.HasErrors():
		if s.brake.Withdraw(r.UID) {
			s.WakePending()
		}
	}
}

// brakes returns why the brake does not let a step of Apply begin; nil if it does.
func (s *Scheduler) brakes(ctx context.Context, e *entry, r *Request, step decision.Step) *Error {
	switch {
	case step.Destroys:
		return s.reserveDestroy(ctx, e, r)
	case step.Deed == decision.CreateFirst:
		return s.holdsReplacement(ctx, e, r)
	}
	return nil
}

// started returns the error of an operation that was to begin. It cancels its reservation if it did
// not.
func (s *Scheduler) started(r *Request, t *task, err error) error {
	if err != nil && t.braked {
		s.brake.Cancel(r.UID)
	}
	return err
}
