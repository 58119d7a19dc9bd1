package ephemeral

import (
	"cmp"
	"hash/fnv"
	"slices"
	"time"
)

// Lease is one opening of an ephemeral resource.
type Lease struct {
	// Since is when it was opened or last renewed.
	Since time.Time
	// RenewAt is when the provider wants it renewed at the latest; zero if never.
	RenewAt time.Time
	// Refused is set when the provider has refused to renew it.
	Refused bool
}

// Input is everything that the decision depends on.
type Input struct {
	// Name tells the object from others, such as its UID.
	Name string
	// Current is what is in use; nil if nothing is open.
	Current *Lease
	// Replaced are openings that Current has replaced and that are not closed yet.
	Replaced []Lease
	// Anew is set when Current no longer fits its object: the arguments have changed, or a new
	// opening was requested.
	Anew bool
	// Deleting is set when the object is to be removed.
	Deleting bool
	// Failures counts the steps in a row that have failed, and Tried is when the last one ended.
	Failures int
	Tried    time.Time
	Now      time.Time
}

// Step is what is done next.
type Step string

// The steps.
const (
	// Wait waits for a change, or until Decision.Until.
	Wait Step = "Wait"
	// Open opens an ephemeral resource. It becomes Current, and the present one is Replaced.
	Open  Step = "Open"
	Renew Step = "Renew"
	// Close closes Decision.Lease of Replaced, or Current if that is -1.
	Close Step = "Close"
	// Remove removes the finalizer of an object of which nothing is open.
	Remove Step = "Remove"
)

// Decision is the next step.
type Decision struct {
	Step Step
	// Lease is the index in Replaced of what Close closes; -1 for Current.
	Lease int
	// Until is when to decide again at the latest; zero if only a change matters.
	Until time.Time
}

const (
	// A renewal is early by a share of the lifetime between these two.
	leastLead, mostLead = 1.0 / 8, 3.0 / 8
	// leadOf is the longest lifetime of which the share is taken: longer ones are renewed 5 to 15
	// minutes early.
	leadOf = 40 * time.Minute
	// soonest bounds how often one is renewed, whatever the provider demands.
	soonest = 5 * time.Second
	// firstRetry is the time after a first failure; it doubles.
	firstRetry, lastRetry = time.Second, 2 * time.Minute
	// inUse is how long one without a time of renewal is still in use after it was replaced.
	inUse = 10 * time.Minute
)

// Decide returns what happens next with an ephemeral resource.
func Decide(in Input) Decision {
	d := in.wanted()
	if d.Step == Wait || d.Step == Remove {
		return d
	}
	if at := RetryAt(in.Failures, in.Tried); in.Failures > 0 && in.Now.Before(at) {
		return Decision{Step: Wait, Until: at}
	}
	return d
}

// wanted is the next step, whatever has failed before.
func (in Input) wanted() Decision {
	switch {
	case in.Deleting && len(in.Replaced) > 0:
		return Decision{Step: Close}
	case in.Deleting && in.Current != nil:
		return Decision{Step: Close, Lease: -1}
	case in.Deleting:
		return Decision{Step: Remove}
	case in.Current == nil, in.Anew, in.Current.Refused:
		return Decision{Step: Open}
	}
	due := Due(in.Name, *in.Current)
	switch {
	case !due.IsZero() && !in.Now.Before(due) && in.Failures > 0 && in.Now.After(in.Current.RenewAt):
		return Decision{Step: Open} // it may have ended
	case !due.IsZero() && !in.Now.Before(due):
		return Decision{Step: Renew}
	}
	next, i := in.firstEnd()
	if i >= 0 && !in.Now.Before(next) {
		return Decision{Step: Close, Lease: i}
	}
	return Decision{Step: Wait, Until: earlier(due, next)}
}

// Due returns when an ephemeral resource is to be renewed; zero if never.
func Due(name string, l Lease) time.Time {
	if l.RenewAt.IsZero() {
		return time.Time{}
	}
	life := min(l.RenewAt.Sub(l.Since), leadOf)
	lead := time.Duration(float64(life) * (leastLead + (mostLead-leastLead)*share(name, l.Since)))
	due := l.RenewAt.Add(-lead)
	if first := l.Since.Add(soonest); due.Before(first) {
		return first
	}
	return due
}

// share is a number from 0 to 1 that differs between objects, and between renewals of one.
func share(name string, since time.Time) float64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name + since.UTC().Format(time.RFC3339Nano))) // never fails
	x := h.Sum64()
	x ^= x >> 32 // the lower bits differ more than the upper ones
	return float64(x&0xffff) / 0xffff
}

// firstEnd returns the time until which the first of Replaced may be in use, and its index; -1 if
// there is none.
func (in Input) firstEnd() (time.Time, int) {
	if len(in.Replaced) == 0 {
		return time.Time{}, -1
	}
	end := func(l Lease) time.Time {
		if l.RenewAt.IsZero() || l.RenewAt.Before(in.Current.Since) {
			return in.Current.Since.Add(inUse)
		}
		return l.RenewAt
	}
	first := slices.MinFunc(in.Replaced, func(a, b Lease) int { return end(a).Compare(end(b)) })
	return end(first), slices.Index(in.Replaced, first)
}

// earlier returns the earlier of two times; zero ones do not count.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || b.IsZero() {
		return cmp.Or(a, b)
	}
	if a.Before(b) {
		return a
	}
	return b
}

// RetryAt returns when a step is tried again that has failed several times in a row, the last time
// at tried.
func RetryAt(failures int, tried time.Time) time.Time { return tried.Add(backoff(failures)) }

func backoff(failures int) time.Duration {
	wait := firstRetry
	for i := 1; i < failures && wait < lastRetry; i++ {
		wait *= 2
	}
	return min(wait, lastRetry)
}

// enough is how many attempts to close are made of what has ended by itself meanwhile.
const enough = 5

// Over reports whether what could not be closed needs no close any more: it has ended by itself.
func Over(l Lease, failures int, now time.Time) bool {
	return failures >= enough && !l.RenewAt.IsZero() && now.After(l.RenewAt)
}
