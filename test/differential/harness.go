package differential

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/instance"
	"github.com/landbridge-io/landbridge/instance/tfstate"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/terraform"
	"github.com/landbridge-io/landbridge/terraform/engine"
	"github.com/landbridge-io/landbridge/test/differential/internal/cases"
	"github.com/landbridge-io/landbridge/test/differential/internal/cloud"
	"github.com/landbridge-io/landbridge/test/differential/internal/tofu"
)

// Harness runs cases on both sides.
type Harness struct {
	program *tofu.Program
	// served is what the providers that tofu talks to know at the moment.
	served map[cases.Style]*atomic.Pointer[cloud.Run]
	// Uses counts how often each deliberate difference was met.
	Uses map[string]int
	// Steps counts the steps compared, Runs the runs of tofu.
	Steps, Runs int
	// Seen counts what the steps were like.
	Seen map[string]int
	// Wrap, if set, puts something around the engine.
	Wrap func(terraform.Executor) terraform.Executor
	// Debug has Log told what tofu printed, too.
	Debug bool
	// Log is told what is done; it may be nil.
	Log func(format string, args ...any)
}

// makers make a provider of a style.
var makers = map[cases.Style]func(run func() cloud.Run) maker{
	cases.Hand:       func(run func() cloud.Run) maker { return maker{six: hand(run, true)} },
	cases.HandNoPlan: func(run func() cloud.Run) maker { return maker{six: hand(run, false)} },
	cases.SDK: func(run func() cloud.Run) maker {
		return maker{five: func() tfprotov5.ProviderServer { return cloud.NewRecording5(run, cloud.SDK) }}
	},
	cases.Framework5: func(run func() cloud.Run) maker {
		return maker{five: func() tfprotov5.ProviderServer { return cloud.NewRecording5(run, cloud.Framework5) }}
	},
	cases.Framework6: func(run func() cloud.Run) maker {
		return maker{six: func() tfprotov6.ProviderServer { return cloud.NewRecording6(run, cloud.Framework6) }}
	},
}

func hand(run func() cloud.Run, planDestroy bool) func() tfprotov6.ProviderServer {
	return func() tfprotov6.ProviderServer { return &cloud.Hand{Run: run, PlanDestroy: planDestroy} }
}

// New makes a harness whose providers are served until the context ends. tofu runs in dir.
func New(ctx context.Context, path, dir string) (*Harness, error) {
	// Logs at their most verbose are the SDKs' default.
	for _, name := range []string{"TF_LOG_SDK", "TF_LOG_PROVIDER", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_MUX", "TF_LOG_SDK_HELPER_SCHEMA"} {
		if err := os.Setenv(name, "OFF"); err != nil {
			return nil, err
		}
	}
	// The legacy SDK writes its own to the standard logger.
	log.SetOutput(io.Discard)
	h := &Harness{served: map[cases.Style]*atomic.Pointer[cloud.Run]{}, Uses: map[string]int{}, Seen: map[string]int{}}
	attached := map[string]*plugin.ReattachConfig{}
	for style, make := range makers {
		current := &atomic.Pointer[cloud.Run]{}
		current.Store(&cloud.Run{})
		h.served[style] = current
		c, err := make(func() cloud.Run { return *current.Load() }).serve(ctx, string(style))
		if err != nil {
			return nil, fmt.Errorf("serving provider %s: %w", style, err)
		}
		attached[string(style)] = c
	}
	var err error
	h.program, err = tofu.New(path, dir, attached)
	return h, err
}

func (h *Harness) log(format string, args ...any) {
	if h.Log != nil {
		h.Log(format, args...)
	}
}

// track is a case on its way.
type track struct {
	number int
	name   string
	c      *cases.Case
	// wrote is the schema of the last step that stored anything.
	wrote    *schema.Resource
	instance instance.Instance
	state    json.RawMessage
	worlds   [2]cloud.World // the engine's and tofu's
	ended    bool
	found    []Difference
}

// Run runs cases to their ends and returns the differences, by the index of the case. An error
// means that no comparison was possible.
func (h *Harness) Run(ctx context.Context, all []*cases.Case) (map[int][]Difference, error) {
	var tracks []*track
	longest := 0
	for i, c := range all {
		name := fmt.Sprintf("%s_c%d", c.Style, i)
		named, err := c.Named(name)
		if err != nil {
			return nil, err
		}
		tracks = append(tracks, &track{
			number: i, name: name, c: named, wrote: named.Schemas[0],
			worlds: [2]cloud.World{cloud.NewWorld(), cloud.NewWorld()},
		})
		longest = max(longest, len(c.Steps))
	}
	for step := range longest {
		if err := h.step(ctx, tracks, step); err != nil {
			return nil, fmt.Errorf("step %d: %w", step, err)
		}
	}
	out := map[int][]Difference{}
	for _, t := range tracks {
		if len(t.found) > 0 {
			out[t.number] = t.found
		}
	}
	return out, nil
}

// step is one step of all cases: first by the engine, which says what to expect of tofu, and so
// which cases can share a run of it.
func (h *Harness) step(ctx context.Context, tracks []*track, index int) error {
	groups := map[phase][]*compared{}
	actives := map[cases.Style]cloud.Run{}
	var going []*track
	for _, t := range tracks {
		if t.ended || index >= len(t.c.Steps) {
			continue
		}
		if actives[t.c.Style] == nil {
			actives[t.c.Style] = cloud.Run{}
		}
		actives[t.c.Style][t.name] = cloud.NewActive(t.c, index, t.worlds[0].Clone())
		going = append(going, t)
	}
	executors := map[cases.Style]terraform.Executor{}
	schemas := map[cases.Style]*schema.Provider{}
	for style, run := range actives {
		server, err := makers[style](func() cloud.Run { return run }).launch(ctx, string(style))
		if err != nil {
			return err
		}
		s, diags := server.Schema(ctx)
		if diags.HasErrors() {
			return diags.Err()
		}
		executors[style], schemas[style] = engine.New(server), s
		if h.Wrap != nil {
			executors[style] = h.Wrap(executors[style])
		}
	}
	for _, t := range going {
		a := actives[t.c.Style][t.name]
		r := terraform.Resource{Schema: schemas[t.c.Style].Resources[t.name]}
		id := a.Prepare()
		s := engineStep{ctx: ctx, executor: executors[t.c.Style], resource: r, active: a, importID: id, wrote: t.wrote}
		call, cancel := context.WithCancel(ctx)
		s.ctx = call
		out, err := s.run(t.instance)
		cancel()
		if err != nil {
			return fmt.Errorf("case %d: %w", t.number, err)
		}
		x := &compared{track: t, step: index, schema: r.Schema, engine: out, before: t.instance, importID: id, a: a}
		groups[out.reached] = append(groups[out.reached], x)
	}
	for _, reached := range []phase{applies, plans, validates} {
		if err := h.group(ctx, groups[reached], reached); err != nil {
			return err
		}
	}
	return nil
}

// group lets tofu do the step of cases of which the same is expected, and compares.
func (h *Harness) group(ctx context.Context, group []*compared, reached phase) error {
	if len(group) == 0 {
		return nil
	}
	resources := map[string]tofu.Resource{}
	runs := map[cases.Style]cloud.Run{}
	for style := range h.served {
		runs[style] = cloud.Run{}
	}
	for _, x := range group {
		t := x.track
		x.tofu = cloud.NewActive(t.c, x.step, t.worlds[1].Clone())
		x.tofu.Prepare()
		runs[t.c.Style][t.name] = x.tofu
		r, err := x.resource()
		if err != nil {
			return err
		}
		resources[t.name] = r
	}
	for style, run := range runs {
		h.served[style].Store(&run)
	}
	result, err := h.program.Apply(ctx, resources)
	h.Runs++
	if err != nil {
		return err
	}
	if h.Debug {
		h.log("%s: %s", reached, result.Output)
	}
	if result.Crashed {
		if len(group) == 1 {
			what, _, _ := strings.Cut(result.Output, "goroutine")
			h.add(group[0], Difference{What: "crash", Tofu: strings.TrimSpace(what)})
			group[0].track.ended = true
			return nil
		}
		return h.halves(ctx, group, reached)
	}
	if reached == applies && !result.Applied {
		return h.unexpected(ctx, group, result)
	}
	if reached != applies && result.Applied {
		// Nothing failed for tofu, so each case is a difference.
		for _, x := range group {
			h.addErrors(x)
			x.track.ended = true
		}
		return nil
	}
	for _, x := range group {
		if err := h.compare(x, result); err != nil {
			return err
		}
	}
	return nil
}

// unexpected finds the cases that failed for tofu but not for the engine, and does the
// step of the others again.
func (h *Harness) unexpected(ctx context.Context, group []*compared, result tofu.Result) error {
	var others, culprits []*compared
	for _, x := range group {
		if errs := result.Errors[x.track.name]; len(errs) > 0 {
			h.log("case %d step %d: only tofu fails: %q", x.track.number, x.step, errs)
			x.tofuErrors = errs
			culprits = append(culprits, x)
			continue
		}
		others = append(others, x)
	}
	switch {
	case len(culprits) > 0:
		for _, x := range culprits {
			h.addErrors(x)
			x.track.ended = true
		}
		return h.group(ctx, others, applies)
	case len(group) == 1:
		h.add(group[0], Difference{What: "errors", Engine: fmt.Sprintf("%q", group[0].engine.errors), Tofu: result.Output})
		group[0].track.ended = true
		return nil
	}
	return h.halves(ctx, group, applies)
}

// halves does the step again with half of the cases each, to find those that fail the others.
func (h *Harness) halves(ctx context.Context, group []*compared, reached phase) error {
	half := len(group) / 2
	if err := h.group(ctx, group[:half], reached); err != nil {
		return err
	}
	return h.group(ctx, group[half:], reached)
}

// resource is what tofu is given of a case.
func (x *compared) resource() (tofu.Resource, error) {
	t, step := x.track, x.track.c.Steps[x.step]
	var out tofu.Resource
	config, err := t.c.ConfigValue(step)
	if err != nil {
		return out, err
	}
	if !config.IsNull() {
		body := tofu.Body(x.schema.Block, config)
		lifecycle := map[string]any{}
		if step.CreateBeforeDestroy {
			lifecycle["create_before_destroy"] = true
		}
		if slices.Equal(step.IgnoreChanges, []string{"*"}) {
			lifecycle["ignore_changes"] = "all"
		} else if len(step.IgnoreChanges) > 0 {
			lifecycle["ignore_changes"] = step.IgnoreChanges
		}
		if len(lifecycle) > 0 {
			body["lifecycle"] = lifecycle
		}
		if out.Body, err = json.Marshal(body); err != nil {
			return out, err
		}
	}
	if x.importID != "" {
		out.Import = map[string]any{"id": x.importID}
		if step.Import == cases.ImportByIdentity {
			identity := map[string]any{}
			for name, v := range x.a.Identity(x.importID).AsValueMap() {
				if !v.IsNull() {
					identity[name] = tofu.Literal(v)
				}
			}
			out.Import = map[string]any{"identity": identity}
		}
	}
	out.State, err = tainted(t.state, step.Taint)
	return out, err
}

// tainted is a resource of the state file after `tofu taint`.
func tainted(resource json.RawMessage, taint bool) (json.RawMessage, error) {
	if !taint || resource == nil {
		return resource, nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(resource, &fields); err != nil {
		return nil, err
	}
	var instances []map[string]json.RawMessage
	if err := json.Unmarshal(fields["instances"], &instances); err != nil {
		return nil, err
	}
	for _, i := range instances {
		if _, deposed := i["deposed"]; !deposed {
			i["status"] = json.RawMessage(`"tainted"`)
		}
	}
	raw, err := json.Marshal(instances)
	if err != nil {
		return nil, err
	}
	fields["instances"] = raw
	return json.Marshal(fields)
}

// read is the instance in a resource of the state file.
func read(resource json.RawMessage, s *schema.Resource) (instance.Instance, error) {
	if resource == nil {
		return instance.Instance{}, nil
	}
	file, err := json.Marshal(map[string]any{"version": 4, "terraform_version": "1.12.6", "resources": []json.RawMessage{resource}})
	if err != nil {
		return instance.Instance{}, err
	}
	state, err := tfstate.Read(file, func(string) *schema.Resource { return s })
	if err != nil {
		return instance.Instance{}, err
	}
	for _, r := range state.Resources {
		for _, i := range r.Instances {
			return i.Instance, nil
		}
	}
	return instance.Instance{}, nil
}

// Counts are the counts of a map, in order.
func Counts(m map[string]int) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fmt.Sprintf("%6d  %s", m[name], name))
	}
	return out
}
