package conformance_test

import (
	"context"
	"encoding/json"
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
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/test/bench/figure"
	"github.com/landbridge-io/landbridge/test/conformance"
)

var figures = flag.String("figures", "",
	"file to write the figures of BenchmarkWays to, as JSON, for whoever compares them with their bounds")

// rounds is how often everything is measured; the median counts. Each round measures everything, so
// that other load of the machine affects all alike.
const rounds = 21

// series is one measured operation.
type series struct {
	name   string
	each   int // repetitions in a round
	server provider.Server
	do     func()
	cpu    []float64       // milliseconds per repetition, by round
	walls  []time.Duration // of each repetition
}

func (s *series) round(b *testing.B) {
	b.Helper()
	before := spent(b, s.server)
	for range s.each {
		begun := time.Now()
		s.do()
		s.walls = append(s.walls, time.Since(begun))
	}
	s.cpu = append(s.cpu, (spent(b, s.server)-before).Seconds()*1000/float64(s.each))
}

func measure(b *testing.B, all ...*series) {
	b.Helper()
	for _, s := range all { // warm-up
		for range max(s.each/20, 1) {
			s.do()
		}
	}
	for i := range rounds {
		for j := range all {
			if i%2 == 1 {
				j = len(all) - 1 - j // alternate the order
			}
			all[j].round(b)
		}
	}
}

// spent returns the processor time used by this process, the programs that it has waited for, and a
// provider.
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

const (
	rawRead   = "the provider's Read alone"
	rawCheck  = "the provider's Read and Plan alone"
	rawCreate = "the provider's calls of a create alone"
	look      = "look at an unchanged resource"
	check     = "look and plan"
	create    = "create"
	plain     = "`tofu plan` of it, as people run it"
)

// BenchmarkWays measures the cost of the same resource in each way of execution, compared with the
// bare provider calls and with OpenTofu run directly. Run it with -benchtime 1x.
func BenchmarkWays(b *testing.B) {
	r := &figure.Report{}
	cloud := examplecloudtest.Start(b)
	for _, way := range []struct {
		way    conformance.Way
		column string
		each   int     // reads in a round
		bound  float64 // of processor time, as a multiple of that of the bare calls
	}{{conformance.Plugin, "Plugin", 250, 1.5}, {conformance.InProcess, "InProcess", 250, 1.2}, {conformance.OpenTofu, "CLI", 2, 0}} {
		b.Run(way.column, func(b *testing.B) {
			m, server := examplecloudtest.OpenLauncher(b, launcher(b, examplecloudtest.Framework6, way.way, release.Latest), cloud)
			res := terraform.ResourceType{Schema: m.Resources["examplecloud_thing"].Schema}
			s := &subject{B: b, server: server, res: res, ex: executor(way.way, server), name: way.column}
			s.config = s.fresh()
			s.in = s.create(s.config)
			s.config.Validated = true // the plan validated it
			for range 2 {
				s.look(false)
			}
			read, plan := s.calls()
			const calls = 250 // of the provider in each way
			all := []*series{
				{name: rawRead, each: calls, do: read},
				{name: look, each: way.each, do: func() { s.look(true) }},
				{name: rawCheck, each: calls, do: func() { read(); plan() }},
				{name: check, each: way.each, do: func() { s.look(true); s.check() }},
				{name: rawCreate, each: 10, do: s.createRaw},
				{name: create, each: min(10, way.each), do: func() { s.create(s.fresh()) }},
			}
			if way.way == conformance.OpenTofu {
				all = append(all, &series{name: plain, each: 1, do: plainPlan(b, cloud)})
			}
			for _, s := range all {
				s.server = server
			}
			measure(b, all...)
			floors := map[string]string{look: rawRead, check: rawCheck, create: rawCreate}
			for i, s := range all {
				cpu := figure.Figure{Name: s.name, Column: way.column, Value: figure.Median(s.cpu), Unit: "ms CPU"}
				wall := figure.Figure{Name: s.name + ", time", Column: way.column, Value: figure.Percentile(s.walls, .5).Seconds() * 1000, Unit: "ms"}
				switch s.name {
				case look, check:
					cpu.Bound = way.bound * figure.Median(all[i-1].cpu)
					if way.way == conformance.OpenTofu && s.name == look {
						// It must be at least twice as fast as the plain run.
						wall.Bound = figure.Percentile(all[len(all)-1].walls, .5).Seconds() * 1000 / 2
					}
				}
				r.Ratio(cpu, floors[s.name])
				r.Ratio(wall, floors[s.name]+", time")
			}
		})
	}
	if *figures != "" {
		text, err := json.Marshal(r.Figures())
		if err == nil {
			err = os.WriteFile(*figures, text, 0o644)
		}
		if err != nil {
			b.Fatal(err)
		}
		return
	}
	for _, e := range r.Exceeded() {
		b.Errorf("out of bounds: %s", e)
	}
}

// subject is a settled resource, and the operations on it.
type subject struct {
	*testing.B
	server provider.Server
	ex     terraform.Executor
	res    terraform.ResourceType
	in     instance.Instance
	config terraform.Config // of the existing object
	name   string
	made   int
}

// fresh returns the configuration of another object.
func (s *subject) fresh() terraform.Config {
	s.made++
	values := s.res.Schema.Block.EmptyValue().AsValueMap()
	values["name"] = cty.StringVal(fmt.Sprint(s.name, s.made))
	return terraform.Config{Value: cty.ObjectVal(values)}
}

func (s *subject) create(c terraform.Config) instance.Instance {
	p, diags := s.ex.Plan(ctx, s.res, instance.Instance{}, c)
	if diags.HasErrors() {
		s.Fatal(diags)
	}
	in, diags := s.ex.Apply(ctx, p)
	if diags.HasErrors() {
		s.Fatal(diags)
	}
	return in
}

func (s *subject) look(unchanged bool) {
	out, diags := s.ex.Refresh(ctx, s.res, s.in)
	if diags.HasErrors() || unchanged && !out.Unchanged {
		s.Fatal(out.Unchanged, diags)
	}
	s.in = out.Instance
}

func (s *subject) check() {
	if p, diags := s.ex.Plan(ctx, s.res, s.in, s.config); diags.HasErrors() || p.Action != terraform.NoOp {
		s.Fatal(p.Action, diags)
	}
}

func (s *subject) dynamic(v cty.Value) *tfprotov6.DynamicValue {
	raw, err := msgpack.Marshal(v, v.Type())
	if err != nil {
		s.Fatal(err)
	}
	return &tfprotov6.DynamicValue{MsgPack: raw}
}

// null is the value of a missing object.
var null = &tfprotov6.DynamicValue{MsgPack: []byte{0xc0}}

// createRaw makes the provider calls of a create.
func (s *subject) createRaw() {
	callCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	config := s.dynamic(s.fresh().Value)
	valid, err := s.server.ValidateResourceConfig(callCtx, &tfprotov6.ValidateResourceConfigRequest{
		TypeName: s.res.Schema.Type, Config: config,
	})
	if err != nil || len(valid.Diagnostics) > 0 {
		s.Fatal(valid, err)
	}
	plan, err := s.server.PlanResourceChange(callCtx, &tfprotov6.PlanResourceChangeRequest{
		TypeName: s.res.Schema.Type, PriorState: null, ProposedNewState: config, Config: config, ProviderMeta: null,
		ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{},
	})
	if err != nil || len(plan.Diagnostics) > 0 {
		s.Fatal(plan, err)
	}
	done, err := s.server.ApplyResourceChange(callCtx, &tfprotov6.ApplyResourceChangeRequest{
		TypeName: s.res.Schema.Type, PriorState: null, PlannedState: plan.PlannedState, Config: config, ProviderMeta: null,
		PlannedPrivate: plan.PlannedPrivate, PlannedIdentity: plan.PlannedIdentity,
	})
	if err != nil || len(done.Diagnostics) > 0 {
		s.Fatal(done, err)
	}
}

// calls makes the bare provider calls for a read and a plan of an unchanged resource.
func (s *subject) calls() (read, plan func()) {
	state := &tfprotov6.DynamicValue{MsgPack: s.in.Wire.State}
	identity := &tfprotov6.ResourceIdentityData{IdentityData: &tfprotov6.DynamicValue{MsgPack: s.in.Wire.Identity}}
	readRequest := &tfprotov6.ReadResourceRequest{
		TypeName: s.res.Schema.Type, CurrentState: state, Private: s.in.Private, ProviderMeta: null, CurrentIdentity: identity,
		ClientCapabilities: &tfprotov6.ReadResourceClientCapabilities{},
	}
	planRequest := &tfprotov6.PlanResourceChangeRequest{
		TypeName: s.res.Schema.Type, PriorState: state, ProposedNewState: state, Config: s.dynamic(s.config.Value), PriorPrivate: s.in.Private,
		ProviderMeta: null, PriorIdentity: identity, ClientCapabilities: &tfprotov6.PlanResourceChangeClientCapabilities{},
	}
	read = func() {
		callCtx, cancel := context.WithCancel(ctx)
		defer cancel()
		if _, err := s.server.ReadResource(callCtx, readRequest); err != nil {
			s.Fatal(err)
		}
	}
	plan = func() {
		callCtx, cancel := context.WithCancel(ctx)
		defer cancel()
		if _, err := s.server.PlanResourceChange(callCtx, planRequest); err != nil {
			s.Fatal(err)
		}
	}
	return read, plan
}

// plainPlan runs tofu plan for an unchanged resource of the same type. Tofu starts the provider
// itself.
func plainPlan(b *testing.B, cloud *examplecloudtest.Cloud) func() {
	b.Helper()
	dir, programs := b.TempDir(), b.TempDir()
	if err := os.Symlink(examplecloudtest.Provider(b, examplecloudtest.Framework6),
		filepath.Join(programs, "terraform-provider-examplecloud")); err != nil {
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
		cmd := exec.Command(runners[conformance.OpenTofu].Program().Path, args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TF_CLI_CONFIG_FILE="+rc, "CHECKPOINT_DISABLE=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("tofu %s: %v\n%s", args[0], err, out)
		}
	}
	tofu("apply", "-auto-approve", "-input=false", "-no-color")
	return func() { tofu("plan", "-input=false", "-no-color", "-detailed-exitcode") }
}
