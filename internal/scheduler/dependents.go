package scheduler

import (
	"context"

	"github.com/landbridge-io/landbridge/internal/terraform"
)

// ReplacementStep is a step of the replacement of an object that waits for the resources that refer
// to it.
type ReplacementStep string

const (
	// PlanReplacement is asked for before the plan of a replacement can be approved: the resources
	// that refer to the object tell what they would do.
	PlanReplacement ReplacementStep = "PlanReplacement"
	// Replace begins the replacement: the object is destroyed, or the new one is created first.
	Replace ReplacementStep = "Replace"
	// Recreate creates an object in place of one that is not found: it was destroyed outside
	// Landbridge, or by an operation whose outcome is not known.
	Recreate ReplacementStep = "Recreate"
	// DestroyDeposed destroys an object after another one was created in its place.
	DestroyDeposed ReplacementStep = "DestroyDeposed"
)

// Cascade is what is destroyed together with an object that is replaced.
type Cascade struct {
	// Hash identifies the resources whose objects are destroyed; empty if there are none. The hash
	// of a plan covers it.
	Hash string
	// Approval is set when a plan of the replacement needs an approval because of them.
	Approval bool
}

// cascade returns Request.Cascade if a plan is a replacement.
func (r *Request) cascade(p *terraform.Plan) Cascade {
	if p == nil || !p.Replaces() {
		return Cascade{}
	}
	return r.Cascade
}

// stepOf returns the step of a replacement that a deed is; empty if it is none. The resources that
// refer to an object that is not found are not asked: they wait at once.
func stepOf(next deed, in *applyInput) ReplacementStep {
	replaces := next == deedCreateFirst || next == deedDestroyFirst || next == deedUpdate && in.Destroys
	switch {
	case next == deedCreate && in.DriftGone, in.Missing && (replaces || next == deedRefuseUnapproved):
		return Recreate
	case replaces:
		return Replace
	case next == deedRefuseUnapproved && (in.Action.IsReplace() || in.Destroys):
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
