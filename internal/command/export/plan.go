package export

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	"github.com/landbridge-io/landbridge/internal/command/cluster"
	"github.com/landbridge-io/landbridge/internal/command/state"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// parallelism is the maximum of resources that are imported and planned concurrently, as in
// Terraform.
const parallelism = 10

// outcome is what a plan of Terraform does with a resource that is not in the state.
type outcome struct {
	// target is what the object is imported by; nil if it is not imported.
	target *terraform.ImportTarget
	// reason tells what a plan does besides, and why; empty if nothing.
	reason string
	// anew is set if the plan makes another object, whose values are not known yet.
	anew bool
}

// execution runs providers for plans.
type execution struct {
	pool *pool.Pool
	mu   sync.Mutex
	// leased are the executors of provider configurations.
	leased   map[*configuration]func() (terraform.Executor, error)
	releases []func()
}

// plan plans what Terraform does with the resources without their state, in the order of the
// references between them.
func (e *exporter) plan(ctx context.Context, all []*resource) {
	run := &execution{
		pool:   pool.New(pool.Options{IdleTimeout: time.Hour, KeepTrying: true}),
		leased: map[*configuration]func() (terraform.Executor, error){},
	}
	defer func() {
		for _, release := range run.releases {
			release()
		}
		_ = run.pool.Close(context.WithoutCancel(ctx)) // all answers have arrived
	}()
	for _, level := range levels(all) {
		var group errgroup.Group
		group.SetLimit(parallelism)
		outcomes := make([]outcome, len(level))
		for i, r := range level {
			group.Go(func() error {
				outcomes[i] = e.planOne(ctx, run, r)
				return nil
			})
		}
		_ = group.Wait()
		for i, r := range level {
			r.planned = &outcomes[i]
		}
	}
	replacer := e.Secrets.Replacer()
	for _, r := range all {
		r.planned.reason = replacer.ReplaceInLine(r.planned.reason)
		if r.planned.reason != "" {
			e.out.Changes = append(e.out.Changes, state.Left{Title: state.Title(r.key), Reason: r.planned.reason})
		} else {
			e.out.Imported++
		}
	}
}

// levels returns the resources so that each refers only to those of levels before its own. What is
// part of a cycle is on the last level of those that are reached first.
func levels(all []*resource) (out [][]*resource) {
	depth := map[*resource]int{}
	var of func(r *resource) int
	of = func(r *resource) int {
		if n, ok := depth[r]; ok {
			return n
		}
		depth[r] = 0 // ends cycles
		n := 0
		for _, t := range r.links {
			n = max(n, of(t)+1)
		}
		depth[r] = n
		return n
	}
	for _, r := range all {
		n := of(r)
		for len(out) <= n {
			out = append(out, nil)
		}
		out[n] = append(out[n], r)
	}
	return out
}

// planOne plans what Terraform does with a resource without its state.
func (e *exporter) planOne(ctx context.Context, run *execution, r *resource) outcome {
	targets, missing := e.importTargets(r)
	unknown := outcome{reason: "what a plan does is not known"}
	if len(targets) > 0 {
		unknown.target = &targets[0]
	}
	ex, err := e.executor(ctx, run, r)
	if err != nil {
		unknown.reason += ": " + strings.TrimSuffix(err.Error(), ".")
		return unknown
	}
	kind := terraform.ResourceType{Schema: r.model.Schema}
	var found instance.Instance
	var out outcome
	for i := range targets {
		in, diags := ex.Import(ctx, kind, targets[i])
		if diags.HasErrors() {
			missing = firstError(diags, r)
			continue
		}
		found, out.target = in, &targets[i]
		break
	}
	if out.target == nil {
		return outcome{anew: true, reason: "it cannot be imported, so a plan creates another object: " + missing}
	}
	config := *r.config
	config.Value = r.asPlanned()
	found.SensitivePaths = config.SensitivePaths
	lost := r.lost(found.State)
	plan, diags := ex.Plan(ctx, kind, found, config)
	if diags.HasErrors() {
		out.reason = "a plan fails: " + firstError(diags, r)
		return out
	}
	switch {
	case plan.Action.IsReplace():
		out.anew, out.reason = true, "a plan replaces its object"
		if len(plan.RequiresReplace) > 0 {
			out.reason += ", because of " + fields(r, plan.RequiresReplace)
		}
	case plan.Action == terraform.Update:
		var paths []string
		for _, c := range translate.Changes(r.model, plan.Prior.State, plan.State,
			translate.Concealed(r.model, slices.Concat(plan.Prior.SensitivePaths, plan.SensitivePaths))...) {
			paths = append(paths, c.Path)
		}
		out.reason = "a plan updates its object"
		if len(paths) > 0 {
			out.reason += ": " + strings.Join(paths, ", ")
		}
	case plan.Action != terraform.NoOp:
		out.anew, out.reason = true, "a plan creates another object"
	}
	if len(lost) > 0 {
		if out.reason != "" {
			out.reason += "; "
		}
		out.reason += "an import cannot read " + strings.Join(lost, ", ")
	}
	return out
}

func firstError(diags diagnostic.Diagnostics, r *resource) string {
	return strings.TrimSuffix(diags.Errors()[0].Format(r.model.UserPath), ".")
}

func fields(r *resource, paths []cty.Path) string {
	var out []string
	for _, p := range paths {
		if name := r.model.FieldPath(p); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}

// lost returns the fields of the object whose values an import does not read again: those that it
// leaves out, and sensitive ones that it reads otherwise.
func (r *resource) lost(imported cty.Value) (out []string) {
	if r.found.State == cty.NilVal || r.found.State.IsNull() {
		return nil
	}
	was, is := r.found.State.AsValueMap(), imported.AsValueMap()
	for _, name := range slices.Sorted(maps.Keys(was)) {
		before, _ := was[name].UnmarkDeep()
		after, _ := is[name].UnmarkDeep()
		f := r.model.Root().Object.ByTerraform(name)
		if f == nil || before.IsNull() || before.RawEquals(after) {
			continue
		}
		if after.IsNull() && !before.Type().IsCollectionType() || f.Secret() {
			out = append(out, r.model.FieldPath(cty.GetAttrPath(name)))
		}
	}
	return out
}

// asPlanned returns the configuration, in which values of objects that a plan makes anew are not
// known.
func (r *resource) asPlanned() cty.Value {
	anew := false
	for _, t := range r.links {
		anew = anew || t.planned != nil && t.planned.anew
	}
	if !anew {
		return r.config.Value
	}
	out, err := cty.Transform(r.config.Value, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if v.Type() != cty.String || v.IsNull() || !v.IsKnown() || v.IsMarked() {
			return v, nil
		}
		if t := r.links[v.AsString()]; t != nil && t.planned != nil && t.planned.anew {
			return cty.UnknownVal(cty.String), nil
		}
		return v, nil
	})
	if err != nil {
		return r.config.Value
	}
	return out
}

// executor returns the executor of a resource, with its provider configuration.
func (e *exporter) executor(ctx context.Context, run *execution, r *resource) (terraform.Executor, error) {
	run.mu.Lock()
	lease := run.leased[r.configuration]
	if lease == nil {
		lease = sync.OnceValues(func() (terraform.Executor, error) {
			p := r.provider
			config, err := (&cluster.Reader{Client: e.Client}).Configuration(ctx, p.Model, r.configuration.reference, e.Secrets)
			if err != nil {
				return nil, err
			}
			leased, diags := run.pool.Acquire(ctx, pool.Prepare(pool.Configuration{Launcher: p.Launcher, Config: config}))
			if diags.HasErrors() {
				return nil, errors.New(diags.Errors()[0].Format(p.Model.UserPath))
			}
			run.mu.Lock()
			defer run.mu.Unlock()
			run.releases = append(run.releases, leased.Release)
			return engine.New(leased.Server()), nil
		})
		run.leased[r.configuration] = lease
	}
	run.mu.Unlock()
	out, err := lease()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.configuration.reference.Kind, r.configuration.reference.Name, err)
	}
	return out, nil
}
