package scheduler

import (
	"context"
	"slices"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/desired"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/settling"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Drift is what was changed of an object outside Landbridge. As in Terraform, it is the difference
// between the stored object and the object as read. It is stored with the object as read, in the
// same write.
//
// A read also shows values that change by themselves, such as the time of the last login. So of
// what was read, drift is what a plan would change back: to the value from before, or to a
// configured value that is still the same. What the plan changes for another reason is a change of
// the configuration.

// afterRead returns the instance, as read, with what was changed since the instance before.
func (s *Scheduler) afterRead(e *entry, r *Request, upgraded cty.Value, read instance.Instance) instance.Instance {
	before := e.record.Instance
	read.Carry(before)
	switch {
	case before.Status != instance.Full || r.Deleted:
		return read
	case !read.Exists():
		if r.Config != nil && r.Policies.Manage {
			read.Drift = &instance.Drift{Found: instance.Moment(s.o.Clock.Now()), Gone: true}
			e.drifts.read = true
		}
		return read
	case e.suspects():
		return read // this is what the apply has left
	}
	if upgraded == cty.NilVal {
		upgraded = before.State
	}
	former := before.Drift
	if e.drifts.planned {
		former = e.drifts.found // the rest changes by itself
	}
	what := instance.Read{Before: upgraded, After: read.State, Sensitive: sensitiveIn(r.Type, before, read), At: s.o.Clock.Now()}
	if r.Config != nil && e.view.fits(r) {
		what.Config = r.Configuration().Value
	}
	read.Drift = instance.DriftAfter(former, what)
	if r.Config == nil && read.Drift != nil {
		// There is nothing that the object could be changed back to.
		e.drifts.observed = read.Drift
		read, read.Drift = read.AfterDrift(*read.Drift, instance.Observed, s.o.Clock.Now()), nil
	}
	e.drifts.read = read.Drift != nil
	return read
}

// sensitiveIn returns a function that reports whether the value at a path is sensitive, or may hold
// something sensitive.
func sensitiveIn(r terraform.ResourceType, instances ...instance.Instance) func(cty.Path) bool {
	return func(path cty.Path) bool {
		for i := range path {
			if a := r.Schema.Block.AttributeByPath(path[:i+1]); a != nil && (a.Sensitive || a.WriteOnly) {
				return true
			}
		}
		for _, in := range instances {
			for _, p := range in.SensitivePaths {
				if p.HasPrefix(path) || path.HasPrefix(p) {
					return true
				}
			}
		}
		return false
	}
}

// driftIn returns the part of what was read that a plan would change back.
func (e *entry) driftIn(r *Request, p *terraform.Plan) *instance.Drift {
	d := e.record.Instance.Drift
	switch {
	case d == nil:
		return nil
	case d.Gone:
		if p.Action == terraform.Create {
			return d
		}
		return nil
	case p.Action != terraform.Update && p.Reason != terraform.ReplaceBecauseCannotUpdate:
		return nil
	}
	return d.Filter(func(c instance.DriftChange) bool {
		path := cty.Path(c.Path)
		planned := instance.Digest(instance.ValueAt(p.State, path))
		if planned == "" || planned == instance.Digest(instance.ValueAt(p.Prior.State, path)) {
			return false
		}
		return planned == c.Was || c.Config != "" && c.Config == instance.Digest(instance.ValueAt(r.Configuration().Value, path))
	})
}

// reports reports whether drift stays as it is.
func (r *Request) reports(d *instance.Drift) bool {
	return d != nil && r.Policies.Drift == desired.ReportDrift
}

// planDrift finds the drift in a plan, and returns the plan without it if the drift stays.
func (e *entry) planDrift(
	ctx context.Context, r *Request, ex terraform.Executor, p terraform.Plan, config terraform.Config,
) (terraform.Plan, *instance.Drift, diagnostic.Diagnostics) {
	d := e.driftIn(r, &p)
	if !r.reports(d) || d.Gone || config.Reapply {
		return p, d, nil
	}
	config.Validated = true
	config.IgnoreChanges.Paths = slices.Clone(config.IgnoreChanges.Paths)
	for _, c := range d.Changes {
		config.IgnoreChanges.Paths = append(config.IgnoreChanges.Paths, cty.Path(c.Path))
	}
	p, diags := ex.Plan(ctx, r.Type, e.record.Instance, config)
	return p, d, diags.Errors()
}

// noteDrift makes drift that a plan has found what is known of the resource. Drift that has ended
// is stored.
func (s *Scheduler) noteDrift(ctx context.Context, e *entry, r Request, found *instance.Drift) error {
	was, read := e.drifts.found, e.drifts.read
	e.drifts = drifts{found: found, planned: true}
	e.drifted.Store(found != nil)
	in, stale := e.record.Instance, false
	ended := func(outcome instance.DriftOutcome, same bool) {
		over := was.Filter(func(c instance.DriftChange) bool {
			return !found.Has(cty.Path(c.Path)) && same == (instance.Digest(instance.ValueAt(in.State, cty.Path(c.Path))) == c.Was)
		})
		if over != nil {
			in, stale = in.AfterDrift(*over, outcome, s.o.Clock.Now()), true
		}
	}
	if in.Exists() {
		ended(instance.Reverted, true)
		ended(instance.Adopted, false)
	}
	if stale {
		in.Drift = found
		if err := s.save(ctx, e, r, in); err != nil {
			return err
		}
	}
	if read && found != nil && !found.Gone {
		s.noteDrifted(e, &r, found)
		s.tell(r, e.drift(found, s.o.Clock.Now()))
	}
	return nil
}

// drift returns the event of drift that was found.
func (e *entry) drift(found *instance.Drift, now time.Time) Event {
	out := Event{Kind: Drifted, Drift: found}
	if !e.matched.IsZero() {
		out.Took = now.Sub(e.matched)
	}
	return out
}

// afterOperation returns the instance that an operation has left, with the drift before it. An
// operation on the current object that has succeeded has repaired it.
func (s *Scheduler) afterOperation(out, before instance.Instance, t *task, diags diagnostic.Diagnostics) instance.Instance {
	out.Carry(before)
	if !diags.HasErrors() && (t.deposed == "" || t.kind == instance.Create) {
		out.Unsettled = t.counts
		if t.counts != nil {
			out.Unsettled = t.counts.Ended(s.o.Clock.Now())
		}
	}
	if diags.HasErrors() && len(t.contained()) > 0 {
		out.Unsettled = settling.Failure{
			Config: t.config, Counts: t.counts, Changed: t.changed, Diagnostics: diags,
		}.CountsAfter(before.Unsettled, s.o.Clock.Now())
	}
	if t.kind == instance.Create && out.Status == instance.Tainted && terraform.Inconsistent(diags) {
		out.Unsettled = settling.InconsistentCreate(t.config, t.counts, s.o.Clock.Now())
	}
	if diags.HasErrors() || !t.endsDrift() {
		return out
	}
	out.Drift = nil
	if t.drift != nil {
		out = out.AfterDrift(*t.drift, instance.Repaired, s.o.Clock.Now())
	}
	return out
}

// undrifted takes note that there is no drift.
func (e *entry) undrifted() {
	e.drifts = drifts{planned: true}
	e.drifted.Store(false)
}

// endsDrift reports whether there is no drift after an operation that succeeds.
func (t *task) endsDrift() bool {
	return !t.keepsDrift && (t.kind != instance.Delete || t.deposed == "")
}
