package invocation_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/invocation"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// world is a store, a process that may crash at any point, and a provider that counts.
type world struct {
	t      *rapid.T
	in     invocation.Input
	stored invocation.Record
	// outcomes are those of all requests that reached the provider.
	outcomes []terraform.ActionOutcome
	removed  bool
	calm     bool
}

// outcome is what comes of one request.
func (w *world) outcome() terraform.ActionOutcome {
	if w.calm {
		return terraform.ActionSucceeded
	}
	return rapid.SampledFrom([]terraform.ActionOutcome{
		terraform.ActionSucceeded, terraform.ActionFailed, terraform.ActionFailed, terraform.ActionOutcomeUnknown, terraform.ActionNotInvoked,
	}).Draw(w.t, "outcome")
}

// crashes reports whether the process ends here.
func (w *world) crashes(where string) bool {
	return !w.calm && rapid.IntRange(0, 4).Draw(w.t, "crash "+where) == 0
}

// reconcile decides once and does what was decided.
func (w *world) reconcile() invocation.Step {
	w.in.Record = w.stored
	d := invocation.Decide(w.in)
	if w.crashes("before it is stored") {
		return d.Step
	}
	w.stored = d.Record
	if w.crashes("before it is done") {
		return d.Step
	}
	switch d.Step {
	case invocation.MakePlan:
		w.in.Plan = rapid.SampledFrom([]invocation.Plan{invocation.Held, invocation.Unapproved, invocation.Permitted}).Draw(w.t, "plan")
		if w.calm {
			w.in.Plan = invocation.Permitted
		}
	case invocation.Invoke:
		if w.in.Suspended || w.in.Deleting || w.in.Plan != invocation.Permitted {
			w.t.Fatalf("it was invoked, though it was held back: %+v", w.in)
		}
		if w.stored.Phase != invocation.Running {
			w.t.Fatalf("it was invoked before that was stored: %+v", w.stored)
		}
		outcome := w.outcome()
		if outcome != terraform.ActionNotInvoked {
			w.outcomes = append(w.outcomes, outcome)
		}
		if w.crashes("before the outcome is stored") {
			if outcome != terraform.ActionNotInvoked {
				w.outcomes[len(w.outcomes)-1] = terraform.ActionOutcomeUnknown
			}
			return d.Step
		}
		w.stored = w.stored.End(outcome, w.in.Now)
		w.in.Plan = invocation.NotPlanned // as after every attempt
	case invocation.Remove:
		w.removed = true
	}
	return d.Step
}

// check demands that the provider was asked no more often than permitted.
func (w *world) check() {
	most := 1
	if w.in.Retry == invocation.OnFailure {
		most = max(w.in.MaxAttempts, 1)
	}
	if len(w.outcomes) > most || len(w.outcomes) > w.stored.Attempts {
		w.t.Fatalf("it was invoked %d times, %d were permitted and %d stored", len(w.outcomes), most, w.stored.Attempts)
	}
	if i := slices.IndexFunc(w.outcomes, func(o terraform.ActionOutcome) bool {
		return o != terraform.ActionFailed
	}); i >= 0 && i < len(w.outcomes)-1 {
		w.t.Fatalf("it was invoked again after %s", w.outcomes[i])
	}
	if n := len(w.outcomes); n > 0 && w.outcomes[n-1] == terraform.ActionSucceeded && w.stored.Phase != invocation.Succeeded {
		w.t.Fatalf("it has succeeded, and %s is stored", w.stored.Phase)
	}
}

// TestNeverTwiceNeverLost lets a process crash between any two steps: no invocation whose outcome
// is not a failure is repeated, and in calm every invocation comes to an end.
func TestNeverTwiceNeverLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{t: t, in: invocation.Input{
			Now: now, MaxAttempts: rapid.IntRange(-1, 4).Draw(t, "max attempts"),
			Retry: rapid.SampledFrom([]invocation.RetryPolicy{"", invocation.Never, invocation.OnFailure}).Draw(t, "retry"),
		}}
		for range rapid.IntRange(20, 150).Draw(t, "steps") {
			switch rapid.SampledFrom([]string{"reconcile", "reconcile", "reconcile", "time", "approve", "suspend"}).Draw(t, "event") {
			case "suspend":
				w.in.Suspended = !w.in.Suspended
			case "approve":
				if w.in.Plan == invocation.Unapproved {
					w.in.Plan = invocation.Permitted
				}
			case "time":
				w.in.Now = w.in.Now.Add(time.Duration(rapid.IntRange(0, 400).Draw(t, "seconds")) * time.Second)
			default:
				w.reconcile()
			}
			w.check()
		}
		w.calm, w.in.Suspended = true, false
		if w.in.Plan != invocation.NotPlanned {
			w.in.Plan = invocation.Permitted
		}
		for range 4 {
			w.in.Now = w.in.Now.Add(10 * time.Minute)
			w.reconcile()
			w.check()
		}
		if !w.stored.Phase.Final() {
			t.Fatalf("it does not come to an end: %+v", w.stored)
		}
		w.in.Deleting = true
		if step := w.reconcile(); step != invocation.Remove || !w.removed {
			t.Fatalf("a deleted one is not removed, but: %s of %+v", step, w.stored)
		}
	})
}
