package scheduler

import (
	"context"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/keyed"
	"github.com/landbridge-io/landbridge/internal/scheduler/settling"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Whether an object settles is decided by package settling. What an apply has left is remembered,
// and what is counted of it is stored.

// making is what the object is made from.
func (r *Request) making() settling.Making {
	return settling.Making{Configuration: r.configuration(), Release: r.Release, Sums: r.sums, Poll: r.Poll, Module: r.Consists != nil}
}

// settling is what is known of whether the object settles.
func (e *entry) settling(r *Request) *settling.Settling {
	in := &e.record.Instance
	return &settling.Settling{
		Making: r.making(), Counts: in.Unsettled, Deposed: len(in.Deposed) > 0, Last: e.lastApply,
		Alternated: e.alternated, Changed: e.changed,
	}
}

// noteApplied notes what an operation on the current object has left.
func (e *entry) noteApplied(r *Request, res result, p *terraform.Plan) {
	if res.op.Kind == instance.Delete && res.op.Deposed != "" {
		return
	}
	before := e.lastApply
	e.lastApply = nil
	failed := res.diags.HasErrors()
	switch {
	case r.Config == nil || res.op.Kind == instance.Delete || res.undispatched || res.record == nil:
	case r.Consists != nil && p != nil:
		e.lastApply = r.making().AppliedObjects(p, e.last.At, failed, res.changed, res.left).Keeping(p, before)
		if failed {
			e.lastApply = e.lastApply.After(before)
		}
		e.changed = e.changed.Applied(e.lastApply)
	case r.Consists == nil && !failed:
		e.lastApply = r.making().Applied(e.record.Instance.State, e.last.At)
	}
}

// noteRead notes a read that has found the object, which it shows changed or as it was left.
func (e *entry) noteRead(state cty.Value, changed bool, now time.Time) {
	if e.updated != nil {
		e.updated.shown = false
	}
	e.lastApply.Read(state, changed, e.record.Instance.Unsettled, now)
}

// suspects reports whether the object is read as soon as the last apply has ended, since an earlier
// one did not settle.
func (e *entry) suspects() bool { return e.lastApply.Suspects(e.record.Instance.Unsettled) }

// settled notes a plan without changes. It returns what the record counts after it.
func (e *entry) settled(r *Request, now time.Time) *instance.Unsettled {
	e.lastApply = nil
	counts := e.settling(r).Settled(now)
	if counts == nil {
		e.alternated = nil
	}
	return counts
}

// looksAgain reports whether the object is looked at once more before the plan of the view is
// carried out.
func (e *entry) looksAgain(r *Request, now time.Time) bool {
	o := e.view.observation
	return !r.Deleted && o.Reapply == "" && e.settling(r).LooksAgain(o.Plan, e.flap.corrected(r.ConfigHash), now)
}

// noteAlternation stores that two looks have shown different objects, though nothing was done in
// between, and adds it to the view. first is the plan of the first look.
func (s *Scheduler) noteAlternation(ctx context.Context, e *entry, r Request, first *terraform.Plan) error {
	in, shown := e.record.Instance, e.view
	if !in.Exists() || !first.Prior.Exists() {
		return nil
	}
	settles, now, alternated := e.settling(&r), s.o.Clock.Now(), first
	switch second := shown.observation.Plan; {
	case settles.Module:
		if in.Unsettled = settles.AfterObjectsAlternated(first, second, now); in.Unsettled == nil {
			return nil
		}
		alternated = settles.AlternatedObjects(first, second)
	case in.State.RawEquals(first.Prior.State):
		return nil
	default:
		in.Unsettled = settles.AfterAlternation(now)
	}
	if err := s.save(ctx, e, r, in); err != nil {
		return err
	}
	e.alternated, e.view = alternated, shown
	o := e.view.observation
	o.Instance, o.Unsettled = e.record.Instance, e.settling(&r).Unsettled(o.Plan)
	e.repeating.Store(o.Unsettled != nil && o.Unsettled.Never)
	return nil
}

// planKeeping returns a plan of a module without the updates of the objects that the configuration
// keeps; the plan itself if they cannot be kept. A plan reads the objects: if nothing but these is
// to be changed any more, only their updates are left, which wait.
func planKeeping(ctx context.Context, ex terraform.Executor, p terraform.Plan, config terraform.Config) terraform.Plan {
	if len(config.Keeps) == 0 {
		return p
	}
	kept, diags := ex.Plan(ctx, p.Resource, p.Prior, config)
	switch {
	case diags.HasErrors():
		return p
	case kept.Action == terraform.NoOp:
		p.Contained = slices.DeleteFunc(slices.Clone(p.Contained), func(c terraform.Contained) bool {
			return !slices.Contains(config.Keeps, c.Address)
		})
		return p
	case kept.Action != p.Action:
		return p
	}
	kept.Validation, kept.Keeps = p.Validation, slices.DeleteFunc(config.Keeps, func(address string) bool {
		return slices.ContainsFunc(kept.Contained, func(c terraform.Contained) bool { return c.Address == address })
	})
	return kept
}

// beginning returns what the record counts while an operation is under way.
func (t *task) beginning(before *instance.Unsettled, r *Request) *instance.Unsettled {
	if t.deposed != "" && !t.replacement {
		return before
	}
	return r.making().Beginning(before, t.counts)
}

// contained returns the changes of a module's objects that the task makes.
func (t *task) contained() []terraform.Contained {
	if t.plan == nil || t.kind == instance.Delete {
		return nil
	}
	return t.plan.Contained
}

// countRefused stores that a replacement was refused, which would not help.
func (s *Scheduler) countRefused(ctx context.Context, e *entry, r Request, p *terraform.Plan) error {
	counts, changed := e.settling(&r).Refused(p)
	if !changed {
		return nil
	}
	in := e.record.Instance
	in.Unsettled = counts.Ended(s.o.Clock.Now())
	return s.save(ctx, e, r, in)
}

// rekey stores the counts of a resource with the key of this installation, if they have another
// one, so that another configuration is noticed from now on.
func (s *Scheduler) rekey(ctx context.Context, e *entry, r Request) error {
	in := e.record.Instance
	if in.Unsettled == nil || !keyed.OtherKey(in.Unsettled.Config, r.making().Config()) {
		return nil
	}
	in.Unsettled = r.making().CountFor(in.Unsettled)
	return s.save(ctx, e, r, in)
}
