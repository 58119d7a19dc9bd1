package trigger

import "github.com/landbridge-io/landbridge/internal/invocation"

// Progress is what the scheduler's record tells of the operations of a round.
type Progress struct {
	// Began is set when one was begun, and Ended when one has succeeded and completed the change.
	Began, Ended bool
}

// Continues reports whether an operation that is due belongs to a round, which may be nil. A failed
// operation that is tried again does, and so does the create of a replacement.
func (r *Round) Continues(change Change, p Progress) bool {
	switch {
	case r == nil || r.Stage != Before || p.Ended:
		return false
	case r.Change == change:
		return true
	}
	return r.Change == Replace && change == Create && p.Began
}

// Situation is how the object of a resource is found, when no operation runs.
type Situation struct {
	Progress
	// Settled is set when nothing is to be done to the object.
	Settled bool
}

// StageIn returns the stage of a round in a situation. An interrupted operation whose outcome was
// found without another one has succeeded. A change that is not needed any more has no operations,
// and nothing follows.
func (r *Round) StageIn(s Situation) Stage {
	switch {
	case r.Stage != Before:
		return r.Stage
	case s.Ended, s.Began && s.Settled:
		return After
	case s.Settled:
		return Complete
	}
	return Before
}

// Next returns the index of the invocation that comes next in a stage; -1 if there is none. One
// that has failed comes next as long as its trigger halts: its object may be deleted to repeat it.
func (r *Round) Next(stage Stage, all []Trigger) int {
	for i, x := range r.Invocations {
		if x.Event.Before() != (stage == Before) {
			continue
		}
		switch {
		case x.Phase == invocation.Succeeded, x.Phase == Skipped:
		case x.Phase.Final() && x.policy(all) == Continue:
		default:
			return i
		}
	}
	return -1
}

// policy returns what a failure of an invocation means.
func (i *Invocation) policy(all []Trigger) OnFailure {
	if t := Find(all, i.Trigger); t != nil {
		return t.OnFailure
	}
	return Continue
}

// Outcome is what an invocation means for its resource.
type Outcome string

// The outcomes.
const (
	// Waits: the invocation has not ended, or another one follows.
	Waits Outcome = "Waits"
	// Halts: it has failed, or its outcome is unknown.
	Halts Outcome = "Halts"
	// Taints: the object is to be replaced because of that.
	Taints Outcome = "Taints"
)

// Outcome returns what the invocation with an index means. limit is how many rounds in a row may
// taint the object.
func (r *Round) Outcome(i int, all []Trigger, limit int64) Outcome {
	x := &r.Invocations[i]
	switch {
	case !x.Phase.Final(), x.Phase == invocation.Succeeded, x.policy(all) == Continue:
		return Waits
	case x.policy(all) == Taint && !x.Event.Before() && !x.Event.OfDestroy() && r.Taints < limit-1:
		return Taints
	}
	return Halts
}

// Leftover returns the invocations of a round whose objects are deleted when another round begins:
// they have ended, or never begun. The objects of destructions have no owner, and stay for a time.
func (r *Round) Leftover() (out []Invocation) {
	if r == nil {
		return nil
	}
	for _, x := range r.Invocations {
		if x.Phase != "" && x.Phase != invocation.Running && x.Phase != Skipped && !x.Event.OfDestroy() {
			out = append(out, x)
		}
	}
	return out
}
