package invocation

import "time"

// RetryPolicy is when a failed invocation is repeated.
type RetryPolicy string

// The retry policies. The empty one is Never.
const (
	Never     RetryPolicy = "Never"
	OnFailure RetryPolicy = "OnFailure"
)

// Plan is what is known of the plan of the action.
type Plan string

// The states of a plan.
const (
	NotPlanned Plan = ""
	// Held is a plan that failed, was deferred or is denied, or that waits for a reference.
	Held Plan = "Held"
	// Unapproved is a plan that must be approved first.
	Unapproved Plan = "Unapproved"
	Permitted  Plan = "Permitted"
)

// Input is everything that the decision depends on.
type Input struct {
	Record Record
	// Ours is set when this process carries out the attempt that the record says is running.
	Ours bool
	Plan Plan
	// Suspended holds back what has not begun.
	Suspended bool
	// Deleting is set when the object is to be removed.
	Deleting bool
	Retry    RetryPolicy
	// MaxAttempts bounds the attempts of OnFailure; below 1 it is 1.
	MaxAttempts int
	// TTL is how long a final object is kept; nil is for ever.
	TTL *time.Duration
	Now time.Time
}

// Step is what is done after the record of a decision was stored.
type Step string

// The steps.
const (
	// Wait waits for a change, or until Decision.Until.
	Wait Step = "Wait"
	// MakePlan plans the action, and decides again.
	MakePlan Step = "MakePlan"
	// Invoke requests the action of the provider, and stores Record.End.
	Invoke Step = "Invoke"
	// Interrupt ends the attempt that this process carries out.
	Interrupt Step = "Interrupt"
	// Remove removes the finalizer of an object that is being deleted.
	Remove Step = "Remove"
	// Expire deletes the object.
	Expire Step = "Expire"
)

// Decision is what is stored, and what is done then.
type Decision struct {
	// Record replaces the stored one if it differs. If it cannot be stored, Step is not done.
	Record Record
	Step   Step
	// Until is when to decide again at the latest; zero if only a change matters.
	Until time.Time
}

const (
	// firstRetry is the time between the first failure and the second attempt; it doubles.
	firstRetry = 10 * time.Second
	lastRetry  = 6 * time.Minute
)

// Decide returns what happens next with an invocation.
func Decide(in Input) Decision {
	r := in.Record
	switch {
	case r.Phase == Running && in.Ours && in.Deleting:
		return Decision{Record: r, Step: Interrupt}
	case r.Phase == Running && in.Ours:
		return Decision{Record: r, Step: Wait}
	case r.Phase == Running:
		r.Phase, r.Ended = Unknown, in.Now // by another process, which has ended
		in.Record = r
		return Decide(in)
	case in.Deleting:
		return Decision{Record: r, Step: Remove}
	case r.Phase == Failed && in.Retries():
		return in.retry()
	case r.Phase.Final():
		return in.final()
	default:
		return in.start()
	}
}

// Retries reports whether the action is invoked again if the last attempt has failed.
func (in Input) Retries() bool {
	return in.Retry == OnFailure && in.Record.Attempts < max(in.MaxAttempts, 1)
}

// retry begins another attempt when its time has come.
func (in Input) retry() Decision {
	if at := in.Record.Ended.Add(backoff(in.Record.Attempts)); in.Now.Before(at) {
		return Decision{Record: in.Record, Step: Wait, Until: at}
	}
	return in.start()
}

// backoff is the time between a failure and the next attempt.
func backoff(attempts int) time.Duration {
	wait := firstRetry
	for i := 1; i < attempts && wait < lastRetry; i++ {
		wait *= 2
	}
	return min(wait, lastRetry)
}

// final keeps the object until its time has passed.
func (in Input) final() Decision {
	if in.TTL == nil {
		return Decision{Record: in.Record, Step: Wait}
	}
	if at := in.Record.Ended.Add(*in.TTL); in.Now.Before(at) {
		return Decision{Record: in.Record, Step: Wait, Until: at}
	}
	return Decision{Record: in.Record, Step: Expire}
}

// start invokes the action if nothing holds it back.
func (in Input) start() Decision {
	r := in.Record
	if r.Phase == "" || r.Phase == AwaitingApproval {
		r.Phase = Pending
	}
	switch {
	case in.Suspended, in.Plan == Held:
		return Decision{Record: r, Step: Wait}
	case in.Plan == Unapproved:
		r.Phase = AwaitingApproval
		return Decision{Record: r, Step: Wait}
	case in.Plan == NotPlanned:
		return Decision{Record: r, Step: MakePlan}
	default:
		return Decision{Record: r.begin(in.Now), Step: Invoke}
	}
}
