package differential

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/test/contract/internal/cases"
	"github.com/landbridge-io/landbridge/test/contract/internal/cloud"
	"github.com/landbridge-io/landbridge/test/contract/internal/tofu"
)

// Harness runs cases on both sides.
type Harness struct {
	sides sides
	// Counters count what was done.
	Counters
	// Mangle and MangleStep, if set, make something wrong on our side: with the provider, where it
	// is linked in, or with what is wanted.
	Mangle     func(provider.Server) provider.Server
	MangleStep func(*cases.Step)
	// Debug has Log told what tofu printed, too.
	Debug bool
	// Log receives progress; may be nil.
	Log func(format string, args ...any)
}

// Quiet turns off the logs of the providers in this program. The SDKs log everything by default.
func Quiet() error {
	log.SetOutput(io.Discard) // the legacy SDK writes its own to the standard logger
	for _, name := range []string{
		"TF_LOG_SDK", "TF_LOG_PROVIDER", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK", "TF_LOG_SDK_MUX",
		"TF_LOG_SDK_HELPER_SCHEMA",
	} {
		if err := os.Setenv(name, "OFF"); err != nil {
			return err
		}
	}
	return nil
}

// sides are the ways to do a step.
type sides interface {
	// ours does the steps on our side and returns their results.
	ours(ctx context.Context, going []*compared) error
	// tofu lets tofu do the steps of cases of which the same is expected.
	tofu(ctx context.Context, group []*compared) (tofu.Result, error)
}

func (h *Harness) log(format string, args ...any) {
	if h.Log != nil {
		h.Log(format, args...)
	}
}

// wanted is our side's input in a step.
func (h *Harness) wanted(x *compared) cases.Step {
	step := x.step()
	if h.MangleStep != nil {
		h.MangleStep(&step)
	}
	return step
}

// track is a case on its way.
type track struct {
	number   int
	name     string
	c        *cases.Case
	provider string
	// states are the resource in the state file, ours and tofu's; worlds are the remote objects.
	states [2]json.RawMessage
	worlds [2]cloud.World
	ended  bool
	found  []Difference
}

// outcome is what our side made of a step.
type outcome struct {
	// raw is the resource in the state file.
	raw json.RawMessage
	// reached is the phase that failed, or the last one.
	reached        phase
	said           []said
	planned, drift []tofu.Change
	// shown is the plan for the current object as JSON, where it was shown.
	shown string
}

// errors are the summaries of the errors.
func (o *outcome) errors() []string {
	var out []string
	for _, s := range o.said {
		if s.isError() {
			out = append(out, s.Summary)
		}
	}
	return out
}

// phase is how far a step gets. Nothing is applied at all when anything fails before.
type phase string

const (
	validates phase = "validate"
	plans     phase = "plan"
	applies   phase = "apply"
)

// compared is one step of one case, on both sides.
type compared struct {
	track  *track
	index  int
	schema *schema.Resource
	// stored is the resource in our state file before the step, before the instance in it.
	stored   json.RawMessage
	before   instance.Instance
	importID string
	// movedFrom is the type of the object in the state, where that is another one.
	movedFrom string
	engine    outcome
	// asks has the diagnostics of only one side. alone is set when the run of tofu had only this
	// step.
	asks  asks
	alone bool
	// after is the instance in tofu's state file after the step.
	after        instance.Instance
	ours, theirs *cloud.Active
	// excused are the deliberate differences met in this step.
	excused []string
}

func (x *compared) step() cases.Step { return x.track.c.Steps[x.index] }

// movedSuffix makes a resource type another one, which objects are moved from.
const movedSuffix = "_from"

// Run runs cases to their ends and returns the differences, by the index of the case. An error
// means that no comparison was possible.
func (h *Harness) Run(ctx context.Context, all []*cases.Case) (map[int][]Difference, error) {
	var tracks []*track
	longest := 0
	for i, c := range all {
		provider := providerOf(c)
		name := fmt.Sprintf("%s_c%d", provider, i)
		named, err := c.Named(name)
		if err != nil {
			return nil, err
		}
		tracks = append(tracks, &track{
			number: i, name: name, c: named, provider: provider, worlds: [2]cloud.World{cloud.NewWorld(), cloud.NewWorld()},
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

// step is one step of all cases: first on our side, which says what to expect of tofu, and so
// which cases can share a run of it.
func (h *Harness) step(ctx context.Context, tracks []*track, index int) error {
	groups := map[phase][]*compared{}
	var going []*compared
	for _, t := range tracks {
		if !t.ended && index < len(t.c.Steps) {
			x, err := newCompared(t, index)
			if err != nil {
				return fmt.Errorf("case %d: %w", t.number, err)
			}
			going = append(going, x)
		}
	}
	begin := time.Now()
	if err := h.sides.ours(ctx, going); err != nil {
		return err
	}
	h.Ours += time.Since(begin)
	for _, x := range going {
		groups[x.engine.reached] = append(groups[x.engine.reached], x)
	}
	for _, reached := range []phase{applies, plans, validates} {
		if err := h.group(ctx, groups[reached], reached); err != nil {
			return err
		}
	}
	return nil
}

// newCompared is a step that is about to begin.
func newCompared(t *track, index int) (*compared, error) {
	x := &compared{track: t, index: index, ours: cloud.NewActive(t.c, index, t.worlds[0].Clone())}
	x.importID = x.ours.Prepare()
	if x.step().Move && t.states[0] != nil && x.step().Config != nil {
		x.movedFrom = t.name + movedSuffix
	}
	// What the provider is to say of its schema is what the case has of it.
	x.schema = x.ours.Schema()
	var err error
	if x.stored, err = x.start(t.states[0]); err == nil {
		x.before, err = readResource(x.stored, x.schema)
	}
	return x, err
}

// start is the resource in the state file as it is at the beginning of a step: after `tofu taint`,
// or still of another type.
func (x *compared) start(resource json.RawMessage) (json.RawMessage, error) {
	if resource == nil || !x.step().Taint && x.movedFrom == "" {
		return resource, nil
	}
	var fields map[string]any
	if err := decodeJSON(resource, &fields); err != nil {
		return nil, err
	}
	if x.movedFrom != "" {
		fields["type"] = x.movedFrom
	}
	instances, _ := fields["instances"].([]any)
	for _, i := range instances {
		i, _ := i.(map[string]any)
		if _, deposed := i["deposed"]; !deposed && x.step().Taint {
			i["status"] = "tainted"
		}
	}
	return json.Marshal(fields)
}
