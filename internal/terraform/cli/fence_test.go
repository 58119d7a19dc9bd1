package cli_test

import (
	"context"
	"errors"
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
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/fencetest"
	"github.com/landbridge-io/landbridge/internal/testing/testbin"
)

// things plans changes of objects of the cloud.
type things struct {
	t        *testing.T
	server   provider.Server
	resource terraform.ResourceType
}

func newThings(t *testing.T) *things {
	t.Helper()
	p, server := examplecloudtest.Open(t, examplecloudtest.Framework6, examplecloudtest.Start(t), nil)
	return &things{t, server, terraform.ResourceType{Schema: p.Resources["examplecloud_thing"].Schema}}
}

// plan plans, without the program. Without a name, the object is destroyed.
func (x *things) plan(in instance.Instance, name string, size int64) terraform.Plan {
	x.t.Helper()
	var p terraform.Plan
	var diags diagnostic.Diagnostics
	if name == "" {
		p, diags = engine.New(x.server).PlanDestroy(x.t.Context(), x.resource, in)
	} else {
		values := x.resource.Schema.Block.EmptyValue().AsValueMap()
		values["name"], values["size"] = cty.StringVal(name), cty.NumberIntVal(size)
		p, diags = engine.New(x.server).Plan(x.t.Context(), x.resource, in, terraform.Config{Value: cty.ObjectVal(values)})
	}
	if diags.HasErrors() {
		x.t.Fatal(diags)
	}
	return p
}

// create creates an object, without the program.
func (x *things) create(name string) instance.Instance {
	x.t.Helper()
	out, diags := engine.New(x.server).Apply(x.t.Context(), x.plan(instance.Instance{}, name, 1))
	if diags.HasErrors() {
		x.t.Error(diags)
	}
	return out
}

func tofu(t *testing.T) string {
	t.Helper()
	path, err := testbin.Build(t.Context(), testbin.OpenTofu)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// counting is a provider that counts requests of changes.
type counting struct {
	provider.Server
	applies atomic.Int64
}

// ApplyResourceChange implements tfprotov6.ProviderServer.
func (c *counting) ApplyResourceChange(
	ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	c.applies.Add(1)
	return c.Server.ApplyResourceChange(ctx, q)
}

// TestFence loses the lease while a run waits for others.
func TestFence(t *testing.T) {
	t.Parallel()
	x := newThings(t)
	existing := x.create("existing")
	runner := newRunner(t, tofu(t), commandline.Options{Parallelism: 1})
	for name, p := range map[string]terraform.Plan{
		"create": x.plan(instance.Instance{}, "new", 1),
		"update": x.plan(existing, "existing", 2),
		"delete": x.plan(existing, "", 0),
	} {
		t.Run(name, func(t *testing.T) {
			for _, lost := range []bool{true, false} {
				turn, err := runner.Turn(t.Context(), commandline.Working)
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
				server := &counting{Server: x.server}
				ended := make(chan diagnostic.Diagnostics)
				go func() {
					_, diags := runner.Executor(server).Apply(ctx, p)
					ended <- diags
				}()
				led.Store(!lost)
				turn.Release()
				diags := <-ended
				want := int64(1)
				if lost {
					want = 0
				}
				if got := server.applies.Load(); got != want || diags.HasSummary("Change not requested") != lost || terraform.OutcomeUnknown(diags) {
					t.Errorf("lost: %t: %d changes were requested, and got %v", lost, got, diags)
				}
			}
		})
	}
}

// TestSuspendedAtEveryCall suspends the process at each call of an operation for longer than its
// lease.
func TestSuspendedAtEveryCall(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"create", "update", "delete"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := newThings(t)
			p := x.plan(instance.Instance{}, "new", 1)
			switch in := x.create("existing"); name {
			case "update":
				p = x.plan(in, "existing", 2)
			case "delete":
				p = x.plan(in, "", 0)
			}
			runner := newRunner(t, tofu(t), commandline.Options{})
			calls := fencetest.Every(t, func(trial *fencetest.Trial) {
				_, diags := runner.Executor(trial.Provider(x.server)).Apply(trial.Context(t.Context()), p)
				if !trial.Over() && diags.HasErrors() {
					t.Error(diags)
				}
			}, func() { x.create("successor") })
			if at := slices.Index(calls, fencetest.Apply); at < 2 || slices.Contains(calls[at+1:], fencetest.Apply) {
				t.Errorf("the calls are %q", calls)
			}
		})
	}
}
