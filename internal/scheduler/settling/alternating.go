package settling

import (
	"time"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Reads of an object may alternate between what is declared and something else. A look that finds
// nothing to change would make each update the first one. So before an object is changed that was
// changed before, with a look in between that has found nothing to change, it is looked at once
// more. If that shows another object, reads alternate: nothing else changes an object so fast.

// LooksAgain reports whether an object is looked at once more before a plan is carried out. changed
// is set if it was changed a short time ago, for the same configuration.
func (x *Settling) LooksAgain(p *terraform.Plan, changed bool, now time.Time) bool {
	if x.Module {
		return x.looksAgainAtObjects(p, now)
	}
	if x.Last != nil || p == nil || p.Outdated || !changesObject(p) || x.Unsettled(p).Waits(now) {
		return false
	}
	of := x.CountFor(x.Counts)
	return changed || of != nil && of.Alternations > 0
}

// AfterAlternation returns what the record counts after two looks that have shown different
// objects.
func (x *Settling) AfterAlternation(now time.Time) *instance.Unsettled {
	out := instance.Unsettled{Config: x.Config()}
	if was := x.Counted(); was != nil {
		out = *was
	}
	out.Alternations++
	return out.Ended(now)
}

// Alternates reports whether reads have alternated so recently that a look which finds nothing to
// change does not show that the object has settled.
func (x *Settling) Alternates(now time.Time) bool {
	of := x.CountFor(x.Counts)
	return of != nil && (x.alternates(of.Repeats, now) || len(x.alternatingObjects(of, now)) > 0)
}

// alternates is Alternates for one object.
func (m Making) alternates(of instance.Repeats, now time.Time) bool {
	return of.Alternations > 0 && now.Before(of.At.Add(2*maxSettleBackoff*m.Poll))
}

// Settled returns what the record counts after a plan without changes; nil if nothing is counted
// any more.
func (x *Settling) Settled(now time.Time) *instance.Unsettled {
	of := x.CountFor(x.Counts)
	if of == nil || !x.Module && x.alternates(of.Repeats, now) {
		return of
	}
	if objects := x.alternatingObjects(of, now); len(objects) > 0 {
		return &instance.Unsettled{Config: of.Config, Objects: objects}
	}
	return nil
}

// alternating returns what is said of an object whose reads alternate; nil if they do not. It is
// updated more and more seldom. That it never settles is said whatever a look shows.
func (x *Settling) alternating(p *terraform.Plan) *Unsettled {
	of := x.CountFor(x.Counts)
	never := of != nil && of.Alternations >= settlesWithin
	if of == nil || of.Alternations == 0 || !(never && p.Action == terraform.NoOp || changesObject(p)) {
		return nil
	}
	repeats := of.Repeats
	repeats.Updates = of.Alternations
	out := &Unsettled{
		Plan: p, Updates: of.Alternations, Alternates: true, Since: of.Since, NextAt: x.nextUpdate(repeats),
		Never: never, waiting: true,
	}
	if p.Action == terraform.NoOp && x.Alternated != nil {
		out.Plan = x.Alternated
	}
	return out
}
