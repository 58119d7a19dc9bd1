package scheduler

import "context"

// ReplacementStep is a step of the replacement of an object that waits for the resources that refer to it.
type ReplacementStep string

const (
	// Replace begins the replacement: the object is destroyed, or the new one is created first.
	Replace ReplacementStep = "Replace"
	// Recreate creates an object in place of one that was destroyed outside Landbridge.
	Recreate ReplacementStep = "Recreate"
	// DestroyDeposed destroys an object after another one was created in its place.
	DestroyDeposed ReplacementStep = "DestroyDeposed"
)

// stepOf returns the step of a replacement that a deed is; empty if it is none.
func stepOf(next deed, in *applyInput) ReplacementStep {
	switch {
	case next == deedCreateFirst, next == deedDestroyFirst:
		return Replace
	case next == deedCreate && in.DriftGone:
		return Recreate
	}
	return ""
}

// awaitDependents returns an error unless the resources that refer to the object are ready for a step.
func (r *Request) awaitDependents(ctx context.Context, step ReplacementStep, o *Observation) error {
	if r.Dependents == nil {
		return nil
	}
	return r.Dependents(ctx, step, o)
}
