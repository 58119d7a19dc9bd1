package conformance_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/msgpack"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/instance"
	"github.com/landbridge-io/landbridge/internal/examplecloudtest"
	"github.com/landbridge-io/landbridge/provider"
	"github.com/landbridge-io/landbridge/terraform"
	"github.com/landbridge-io/landbridge/test/bench/figure"
	"github.com/landbridge-io/landbridge/test/conformance"
)

var figures = flag.String("figures", "", "Markdown file to put the figures of BenchmarkWays into")

// spent is the processor time that this process, the programs it has waited for, and a provider
// have used.
func spent(b *testing.B, server provider.Server) time.Duration {
	b.Helper()
	var out time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		out += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	if r, ok := server.(provider.UsageReporter); ok {
		out += r.Usage().CPU
	}
	return out
}

// cost is what something takes each time, in milliseconds: of processors, and of time (the median).
type cost struct{ cpu, wall float64 }

func measure(b *testing.B, server provider.Server, n int, f func()) cost {
	b.Helper()
	for range max(n/20, 2) {
		f()
	}
	var walls []time.Duration
	before := spent(b, server)
	for range n {
		begun := time.Now()
		f()
		walls = append(walls, time.Since(begun))
	}
	used := spent(b, server) - before
	return cost{
		cpu:  used.Seconds() * 1000 / float64(n),
		wall: figure.Percentile(walls, .5).Seconds() * 1000,
	}
}

// BenchmarkWays measures what the same resource costs in each way of execution, beside the calls of
// the provider that it takes, and beside OpenTofu as people run it. With -benchtime 1x.
func BenchmarkWays(b *testing.B) {
	r := &figure.Report{}
	cloud := examplecloudtest.Start(b)
	const plain = "tofu plan, as people run it, time"
	wall := plainPlan(b, cloud).wall
	r.Add(figure.Figure{Name: plain, Value: wall, Unit: "ms"})
	names := map[conformance.Way]string{conformance.Plugin: "Plugin", conformance.InProcess: "InProcess", conformance.CLI: "CLI"}
	bounds := map[conformance.Way]float64{conformance.Plugin: 1.5, conformance.InProcess: 1.2}
	for _, way := range []conformance.Way{conformance.Plugin, conformance.InProcess, conformance.CLI} {
		b.Run(names[way], func(b *testing.B) {
			m, server := examplecloudtest.OpenLauncher(b, launcher(b, examplecloudtest.Framework6, way, release.Latest), cloud)
			ex, res := executor(way, server), terraform.Resource{Schema: m.Resources["examplecloud_thing"].Schema}
			values := res.Schema.Block.EmptyValue().AsValueMap()
			in, c := made(b, ex, res, values, names[way])
			n := 2000
			if way == conformance.CLI {
				n = 40
			}
			look := measure(b, server, n, func() {
				out, diags := ex.Refresh(ctx, res, in)
				if diags.HasErrors() || !out.Unchanged {
					b.Fatal(out.Unchanged, diags)
				}
				in = out.Instance
			})
			check := measure(b, server, n, func() {
				out, diags := ex.Refresh(ctx, res, in)
				if diags.HasErrors() {
					b.Fatal(diags)
				}
				in = out.Instance
				if p, diags := ex.Plan(ctx, res, in, c); diags.HasErrors() || p.Action != terraform.NoOp {
					b.Fatal(p.Action, diags)
				}
			})
			if way == conformance.CLI {
				r.Add(figure.Figure{Name: "CLI: look at an unchanged resource", Value: look.cpu, Unit: "ms CPU"})
				// It is to be twice as fast, at least.
				r.Ratio(figure.Figure{Name: "CLI: look at an unchanged resource, time", Value: look.wall, Unit: "ms", Bound: wall / 2}, plain)
				r.Ratio(figure.Figure{Name: "CLI: look and plan, time", Value: check.wall, Unit: "ms"}, plain)
				return
			}
			read, plan := calls(b, server, res, in, c)
			bare := measure(b, server, n, read)
			both := measure(b, server, n, func() { read(); plan() })
			floor := names[way] + ": the provider's Read alone"
			r.Add(figure.Figure{Name: floor, Value: bare.cpu, Unit: "ms CPU"})
			r.Ratio(figure.Figure{Name: names[way] + ": look at an unchanged resource", Value: look.cpu, Unit: "ms CPU", Bound: bounds[way] * bare.cpu}, floor)
			floor = names[way] + ": the provider's Read and Plan alone"
			r.Add(figure.Figure{Name: floor, Value: both.cpu, Unit: "ms CPU"})
			r.Ratio(figure.Figure{Name: names[way] + ": look and plan", Value: check.cpu, Unit: "ms CPU", Bound: bounds[way] * both.cpu}, floor)
			r.Add(figure.Figure{Name: names[way] + ": look at an unchanged resource, time", Value: look.wall, Unit: "ms"})
			r.Add(figure.Figure{Name: names[way] + ": look and plan, time", Value: check.wall, Unit: "ms"})
		})
	}
	for _, e := range r.Exceeded() {
		b.Errorf("out of bounds: %s", e)
	}
	if *figures != "" {
		if err := r.Write(*figures, "ways"); err != nil {
			b.Fatal(err)
		}
	}
}

// made is a resource as it is when nothing has changed for a while.
func made(b *testing.B, ex terraform.Executor, res terraform.Resource, values map[string]cty.Value, name string) (instance.Instance, terraform.Config) {
	b.Helper()
	values["name"] = cty.StringVal(name)
	c := terraform.Config{Value: cty.ObjectVal(values)}
	p, diags := ex.Plan(ctx, res, instance.Instance{}, c)
	if diags.HasErrors() {
		b.Fatal(diags)
	}
	in, diags := ex.Apply(ctx, p)
	if diags.HasErrors() {
		b.Fatal(diags)
	}
	for range 2 {
		out, diags := ex.Refresh(ctx, res, in)
		if diags.HasErrors() {
			b.Fatal(diags)
		}
		in = out.Instance
	}
	c.Validated = true // it was planned with
	return in, c
}

// calls are the bare calls of the provider that a look and a plan of an unchanged resource take.
func calls(b *testing.B, server provider.Server, res terraform.Resource, in instance.Instance, c terraform.Config) (read, plan func()) {
	b.Helper()
	dynamic := func(v cty.Value) *tfprotov6.DynamicValue {
		raw, err := msgpack.Marshal(v, v.Type())
		if err != nil {
			b.Fatal(err)
		}
		return &tfprotov6.DynamicValue{MsgPack: raw}
	}
	state, null := &tfprotov6.DynamicValue{MsgPack: in.Wire.State}, &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}}
	identity := &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: in.Wire.Identity}}
	readRequest := &tfprotov6.ReadResourceRequest{
		TypeName: res.Schema.Type, CurrentState: state, Private: in.Private, ProviderMeta: null, CurrentIdentity: identity,
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{},
	}
	planRequest := &tfprotov6.PlanResourceChangeRequest{
		TypeName: res.Schema.Type, PriorState: state, ProposedNewState: state, Config: dynamic(c.Value), PriorPrivate: in.Private,
		ProviderMeta: null, PriorIdentity: identity, ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{},
	}
	read = func() {
		callCtx, cancel := context.WithCancel(ctx)
		defer cancel()
		if _, err := server.ReadResource(callCtx, readRequest); err != nil {
			b.Fatal(err)
		}
	}
	plan = func() {
		callCtx, cancel := context.WithCancel(ctx)
		defer cancel()
		if _, err := server.PlanResourceChange(callCtx, planRequest); err != nil {
			b.Fatal(err)
		}
	}
	return read, plan
}

// plainPlan is what tofu plan takes for an unchanged resource of the same type, with the provider
// that it starts itself.
func plainPlan(b *testing.B, cloud *examplecloudtest.Cloud) cost {
	b.Helper()
	dir, programs := b.TempDir(), b.TempDir()
	if err := os.Symlink(examplecloudtest.Provider(b, examplecloudtest.Framework6), filepath.Join(programs, "terraform-provider-examplecloud")); err != nil {
		b.Fatal(err)
	}
	rc := filepath.Join(programs, "tofurc")
	for path, content := range map[string]string{
		rc: fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"landbridge-io/examplecloud\" = %q\n  }\n}\n", programs),
		filepath.Join(dir, "main.tf"): fmt.Sprintf(`terraform {
  required_providers {
    examplecloud = { source = "landbridge-io/examplecloud" }
  }
}
provider "examplecloud" {
  endpoint = %q
}
resource "examplecloud_thing" "one" {
  name = "plain"
}
`, cloud.URL),
	} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	tofu := func(args ...string) {
		cmd := exec.Command(runner.Program().Path, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TF_CLI_CONFIG_FILE="+rc, "CHECKPOINT_DISABLE=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("tofu %s: %v\n%s", args[0], err, out)
		}
	}
	tofu("apply", "-auto-approve", "-input=false", "-no-color")
	return measure(b, nil, 20, func() { tofu("plan", "-input=false", "-no-color", "-detailed-exitcode") })
}
