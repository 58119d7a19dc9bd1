package scheduler

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// cascade returns Request.Cascade if a plan is a replacement.
func (r *Request) cascade(p *terraform.Plan) Cascade {
	if p == nil || !p.Replaces() {
		return Cascade{}
	}
	return r.Cascade
}

// stepOf returns the step of a replacement that Apply takes; empty if it is none. The resources
// that refer to an object that is not found are not asked: they wait at once.
func stepOf(next decision.Deed, in *decision.ApplyInput) ReplacementStep {
	replaces := next == decision.CreateFirst || next == decision.DestroyFirst || next == decision.Update && len(in.Plan.Destroys()) > 0
	switch {
	case next == decision.DestroyDeposed:
		return DestroyDeposed
	case next == decision.Create && in.DriftGone, in.Missing && (replaces || next == decision.RefuseUnapproved):
		return Recreate
	case replaces:
		return Replace
	case next == decision.RefuseUnapproved && in.Plan.Replaces():
		return PlanReplacement
	}
	return ""
}

// awaitDependents returns an error unless the resources that refer to the object are ready for a
// step, if there is one.
func (r *Request) awaitDependents(ctx context.Context, step ReplacementStep, o *Observation) error {
	if r.Dependents == nil || step == "" {
		return nil
	}
	return r.Dependents(ctx, step, o)
}
