package scheduler

import (
	"context"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// plan plans, and makes the result the view.
func (s *Scheduler) plan(ctx context.Context, e *entry, r Request, ex terraform.Executor) error {
	e.replans.Store(false)
	s.probe(ctx, &r, e.record.Instance, ex)
	o := &Observation{
		Instance: e.record.Instance, Last: e.last, Imported: e.view.state == decision.Imported,
		Contradiction: s.contradiction(r, e.record.Instance),
	}
	o.Missing = e.missing[""] != nil
	e.view.discard()
	if r.Config != nil {
		config := e.withToken(r, e.record.Instance, *r.Configuration())
		config.Validated = e.validated != "" && e.validated == r.ConfigHash
		o.Reapply = e.reapplies(&r)
		config.Reapply = o.Reapply != ""
		config.PlannedPrivate = s.plannedPrivate(&r, e.record.Instance)
		p, diags := ex.Plan(ctx, r.Type, e.record.Instance, config)
		if diags.HasErrors() {
			return decision.Failed(decision.ReasonInvalidConfiguration, diags)
		}
		if err := s.refuseContained(ctx, e, &r, ex, &p); err != nil {
			return err
		}
		e.validated = r.ConfigHash
		if config.Validated {
			p.Validation = e.warned
		} else {
			e.warned = p.Validation
		}
		shared, err := s.warnOfTwins(ctx, e, &r)
		if err != nil {
			return err
		}
		warnings := append(e.warnings(diags), shared...)
		if p, o.Drift, diags = e.planDrift(ctx, &r, ex, p, config); diags.HasErrors() {
			return decision.Failed(decision.ReasonInvalidConfiguration, diags)
		}
		if err := s.noteDrift(ctx, e, r, o.Drift); err != nil {
			return err
		}
		o.Instance, o.Plan, o.Warnings, o.Unrivalled = e.record.Instance, &p, warnings, e.unrivalled(&r, &p)
		o.Flap = s.flapping(e, &r)
		o.Stalled = e.attempts.stalled(&r, &p)
		settles := e.settling(&r)
		o.Inconsistent = settles.Inconsistent(&p)
		e.lastApply.Planned(&p, e.record.Instance.Unsettled, s.o.Clock.Now())
		e.changed = e.changed.Looked(&p)
		o.Unsettled = settles.Unsettled(&p)
		e.repeating.Store(o.Unsettled != nil && o.Unsettled.Never)
		config.Keeps = o.Unsettled.Early(s.o.Clock.Now())
		p = planKeeping(ctx, ex, p, config)
		if p.Action == terraform.NoOp && o.Reapply != "" {
			if err := s.notReapplied(ctx, e, r, o.Reapply); err != nil {
				return err
			}
			o.Reapply = ""
		}
		if p.Action == terraform.NoOp {
			counts := e.record.Instance.Unsettled
			if !p.Outdated && !e.shownOutdated(s.o.Clock.Now(), s.gracePeriod(&r)) {
				counts = e.settled(&r, s.o.Clock.Now())
			}
			if o.Instance, err = s.noteComplete(ctx, e, r, counts); err != nil {
				return err
			}
			e.matched = s.o.Clock.Now()
			o.Plan = &upToDate // there is nothing to apply, so the values are not kept
		}
	} else {
		e.undrifted() // there is no configuration to differ from
		o.Warnings = e.warnings(nil)
	}
	if o.UpToDate() {
		e.endHold() // what was interrupted is done
	}
	o.Held, o.Cascade = e.held(r), r.cascade(o.Plan)
	s.propose(e, &r, o)
	if err := s.noteWaiting(ctx, e, &r, o); err != nil {
		return err
	}
	e.view = view{state: decision.Planned, observation: o, configHash: r.ConfigHash, configurations: r.Configurations}
	return nil
}

// noteComplete stores that all changes of the last apply were made, which a plan without changes
// shows, and what is counted after it. It returns the instance.
func (s *Scheduler) noteComplete(ctx context.Context, e *entry, r Request, counts *instance.Unsettled) (instance.Instance, error) {
	in := e.record.Instance
	if !in.Incomplete && in.Unsettled.Equal(counts) {
		return in, nil
	}
	in.Incomplete, in.Unsettled = false, counts
	err := s.save(ctx, e, r, in)
	return e.record.Instance, err
}

// warnings returns the warnings of the configuration's validation, of the last read, of a plan, and
// of the last operation, each once.
func (e *entry) warnings(plan diagnostic.Diagnostics) diagnostic.Diagnostics {
	var last diagnostic.Diagnostics
	if e.last != nil {
		last = e.last.Diagnostics.Warnings()
	}
	var out diagnostic.Diagnostics
	known := map[string]bool{}
	for _, d := range slices.Concat(e.warned, e.readWarned, plan.Warnings(), last) {
		if key := (diagnostic.Diagnostics{d}).String(); !known[key] {
			known[key] = true
			out = append(out, d)
		}
	}
	return out
}

// probe checks the import id that the configuration makes, by importing the first object that is
// seen.
func (s *Scheduler) probe(ctx context.Context, r *Request, in instance.Instance, ex terraform.Executor) {
	names := r.naming()
	if r.Deleted || !r.Policies.Manage || !names.ProbeDue(in, s.o.Clock.Now()) {
		return
	}
	found, diags := ex.Import(ctx, r.Type, terraform.ImportTarget{ID: r.NamedImport.ID, Identity: cty.NilVal})
	names.Probed(in, found, diags)
}

// contradiction returns how an object contradicts the handles of the configuration, and tells the
// first contradiction as an event.
func (s *Scheduler) contradiction(r Request, in instance.Instance) string {
	why, first := r.naming().Contradiction(in)
	if first {
		s.tell(r, Event{Kind: Contradicted, Why: why})
	}
	return why
}
