package module_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/testing/fencetest"
)

// apply carries out a plan of this process.
func (e *estate) apply(p terraform.Plan) instance.Instance {
	e.Helper()
	out, diags := e.executor(e.server).Apply(e.Context(), p)
	if diags.HasErrors() {
		e.Fatal(diags)
	}
	return out
}

// operations are a create of two objects, and an update and a delete of one. Each is planned for
// new objects.
func (e *estate) operations() map[string]func() terraform.Plan {
	x, serial := e.executor(e.server), 0
	name := func() string { serial++; return fmt.Sprint("rack-", serial) }
	return map[string]func() terraform.Plan{
		"create": func() terraform.Plan { return e.plan(x, instance.Instance{}, e.config(1, name(), name())) },
		"update": func() terraform.Plan {
			n := name()
			return e.plan(x, e.apply(e.plan(x, instance.Instance{}, e.config(1, n))), e.config(2, n))
		},
		"delete": func() terraform.Plan {
			p, _ := x.PlanDestroy(e.Context(), e.resource(), e.apply(e.plan(x, instance.Instance{}, e.config(1, name()))))
			return p
		},
	}
}

// changes is how many objects an operation changes.
var changes = map[string]int{"create": 2, "update": 1, "delete": 1}

// requested returns a provider that calls f with each change that is requested of it.
func (e *estate) requested(f func()) provider.Server {
	return &watched{
		Server: e.server,
		apply: func(
			ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
		) (*tfprotov6.ApplyResourceChangeResponse, error) {
			f()
			return e.server.ApplyResourceChange(ctx, q)
		},
	}
}

// TestFence loses the lease while a run waits for others.
func TestFence(t *testing.T) {
	t.Parallel()
	e := newEstate(t, commandline.Options{Changes: 1})
	for name, plan := range e.operations() {
		t.Run(name, func(t *testing.T) {
			p := plan()
			for _, lost := range []bool{true, false} {
				turn, err := e.runner.Turn(t.Context(), commandline.Changing)
				if err != nil {
					t.Fatal(err)
				}
				var led atomic.Bool
				led.Store(true)
				ctx := provider.WithFence(t.Context(), func() error {
					if !led.Load() {
						return errors.New("another process may have taken over")
					}
					return nil
				})
				applies := 0
				x := e.executor(e.requested(func() { applies++ }))
				journal := &recording{}
				ended := make(chan diagnostic.Diagnostics)
				go func() {
					_, diags := x.ApplyJournaled(ctx, p, journal.record)
					ended <- diags
				}()
				led.Store(!lost)
				turn.Release()
				diags := <-ended
				want := changes[name]
				if lost {
					want = 0
				}
				if applies != want || diags.HasErrors() != lost || terraform.OutcomeUnknown(diags) {
					t.Errorf("lost: %t: %d changes were requested, and got %v", lost, applies, diags)
				}
			}
		})
	}
}

// TestSuspendedAtEveryCall suspends the process at each call of an operation, of the provider and
// to store the journal, for longer than its lease.
func TestSuspendedAtEveryCall(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"create", "update", "delete"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEstate(t, commandline.Options{})
			plan := e.operations()[name]
			var p terraform.Plan
			used := true
			calls := fencetest.Every(t, func(trial *fencetest.Trial) {
				if used {
					p, used = plan(), false
				}
				x := e.executor(trial.Provider(e.requested(func() { used = true })))
				_, diags := x.ApplyJournaled(trial.Context(t.Context()), p, func([]byte) error {
					trial.Call("record")
					return nil
				})
				if !trial.Over() && diags.HasErrors() {
					t.Error(diags)
				}
			}, func() { e.succeed() })
			requests := 0
			for i, c := range calls {
				if c != fencetest.Apply {
					continue
				}
				requests++
				if calls[i-1] != "record" || calls[i+1] != "record" {
					t.Errorf("a change is not between two records: %q", calls)
				}
			}
			if requests != changes[name] || !slices.Contains(calls[:slices.Index(calls, fencetest.Apply)], "PlanResourceChange") {
				t.Errorf("the calls are %q", calls)
			}
		})
	}
}

// succeed changes the cloud as another process does.
func (e *estate) succeed() {
	p, diags := e.server.Schema(e.Context())
	if diags.HasErrors() {
		e.Error(diags)
		return
	}
	r := terraform.ResourceType{Schema: p.Resources["examplecloud_thing"]}
	values := r.Schema.Block.EmptyValue().AsValueMap()
	values["name"] = cty.StringVal("successor")
	x := engine.New(e.server)
	plan, diags := x.Plan(e.Context(), r, instance.Instance{}, terraform.Config{Value: cty.ObjectVal(values)})
	if !diags.HasErrors() {
		_, diags = x.Apply(e.Context(), plan)
	}
	if diags.HasErrors() {
		e.Error(diags)
	}
}
