package action_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/controller/action"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/testing/crashtest"
)

// live replaces the process of a fixture.
func (f *fixture) live(p *crashtest.Process) {
	f.kind.Runs = &action.Runs{Timeout: time.Hour, Grace: time.Minute, PerConfiguration: 4}
	f.r = action.NewReconciler(f.kind, p.Client(f.client), f.client)
	f.r.Use(noQueue{})
}

// TestNeverTwiceNeverLost has controllers end at any of their writes, before or after it is stored.
// No invocation is repeated but one of which the provider has said that it failed, and in calm each
// comes to an end.
func TestNeverTwiceNeverLost(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		retries := rapid.Bool().Draw(rt, "retries")
		spec := map[string]any{"maxAttempts": int64(3)}
		if retries {
			spec["retryPolicy"] = "OnFailure"
		}
		f := newFixture(t, spec)
		var outcomes []terraform.ActionOutcome
		reconcile := func(p *crashtest.Process, outcome terraform.ActionOutcome) {
			before := f.cloud.count()
			f.cloud.outcome = outcome
			_, _ = f.try()
			f.kind.Runs.Await()
			for range f.cloud.count() - before {
				outcomes = append(outcomes, outcome)
			}
			check(rt, f, outcomes, retries)
			if p.Dead {
				*p = crashtest.Process{Left: -1}
				f.live(p)
			}
		}
		p := &crashtest.Process{Left: -1}
		f.live(p)
		for range rapid.IntRange(5, 25).Draw(rt, "steps") {
			p.Left, p.Stored = rapid.IntRange(-1, 3).Draw(rt, "writes until it ends"), rapid.Bool().Draw(rt, "the last one is stored")
			f.clock.SetTime(f.clock.Now().Add(time.Duration(rapid.IntRange(0, 200).Draw(rt, "seconds")) * time.Second))
			reconcile(p, rapid.SampledFrom([]terraform.ActionOutcome{
				terraform.ActionSucceeded, terraform.ActionFailed, terraform.ActionFailed, terraform.ActionOutcomeUnknown, terraform.ActionNotInvoked,
			}).Draw(rt, "outcome"))
		}
		p.Left = -1
		for range 4 {
			f.clock.SetTime(f.clock.Now().Add(10 * time.Minute))
			reconcile(p, terraform.ActionSucceeded)
		}
		if phase := f.text("status", "phase"); phase != "Succeeded" && phase != "Unknown" && (retries || phase != "Failed") && len(outcomes) < 3 {
			rt.Fatalf("it does not come to an end: %s", phase)
		}
		f.remove()
		if reconcile(p, terraform.ActionSucceeded); f.exists() {
			rt.Fatal("it is not removed")
		}
	})
}

// check demands that the provider was asked no more often than permitted, and that what is stored
// does not deny it.
func check(t *rapid.T, f *fixture, outcomes []terraform.ActionOutcome, retries bool) {
	if len(outcomes) > 1 && !retries || len(outcomes) > 3 {
		t.Fatalf("it was invoked too often: %v", outcomes)
	}
	for _, o := range outcomes[:max(len(outcomes)-1, 0)] {
		if o != terraform.ActionFailed {
			t.Fatalf("it was invoked again after an outcome that is no failure: %v", outcomes)
		}
	}
	if !f.exists() || len(outcomes) == 0 {
		return
	}
	s := f.state()
	if int(s.Attempts) < len(outcomes) {
		t.Fatalf("%d attempts are stored, and it was invoked with the outcomes %v", s.Attempts, outcomes)
	}
	if s.Phase == "Succeeded" && outcomes[len(outcomes)-1] != terraform.ActionSucceeded {
		t.Fatalf("%s is stored of %v", s.Phase, outcomes)
	}
}
