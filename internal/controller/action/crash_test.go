package action_test

import (
	"context"
	"errors"
	"testing"
	"time"

	kerrors "k8s.io/apimachinery/pkg/api/errors"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/landbridge-io/landbridge/internal/controller/action"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

var errCrashed = errors.New("the process has ended")

// process is one life of a controller, which ends at one of its writes.
type process struct {
	// left is the number of writes until it ends; below 0 it does not. stored is set if the last
	// one is stored nevertheless.
	left   int
	stored bool
	dead   bool
}

// write carries out a write, unless the process ends before it.
func (p *process) write(do func() error) error {
	if p.dead {
		return kerrors.NewNotFound(kschema.GroupResource{}, "x") // nothing tries it again
	}
	p.left--
	if p.left != 0 {
		return do()
	}
	p.dead = true
	if p.stored {
		_ = do()
	}
	return errCrashed
}

// live replaces the process of a fixture.
func (f *fixture) live(p *process) {
	c := interceptor.NewClient(f.client, interceptor.Funcs{
		SubResourceUpdate: func(ctx context.Context, c client.Client, sub string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			return p.write(func() error { return c.SubResource(sub).Update(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return p.write(func() error { return c.Update(ctx, o, opts...) })
		},
	})
	f.kind.Runs = &action.Runs{Timeout: time.Hour, Grace: time.Minute, PerConfiguration: 4}
	f.r = action.NewReconciler(f.kind, c, f.client)
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
		reconcile := func(p *process, outcome terraform.ActionOutcome) {
			before := f.cloud.count()
			f.cloud.outcome = outcome
			_, _ = f.try()
			f.kind.Runs.Await()
			for range f.cloud.count() - before {
				outcomes = append(outcomes, outcome)
			}
			check(rt, f, outcomes, retries)
			if p.dead {
				*p = process{left: -1}
				f.live(p)
			}
		}
		p := &process{left: -1}
		f.live(p)
		for range rapid.IntRange(5, 25).Draw(rt, "steps") {
			p.left, p.stored = rapid.IntRange(-1, 3).Draw(rt, "writes until it ends"), rapid.Bool().Draw(rt, "the last one is stored")
			f.clock.SetTime(f.clock.Now().Add(time.Duration(rapid.IntRange(0, 200).Draw(rt, "seconds")) * time.Second))
			reconcile(p, rapid.SampledFrom([]terraform.ActionOutcome{
				terraform.ActionSucceeded, terraform.ActionFailed, terraform.ActionFailed, terraform.ActionOutcomeUnknown, terraform.ActionNotInvoked,
			}).Draw(rt, "outcome"))
		}
		p.left = -1
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
