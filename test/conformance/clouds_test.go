package conformance_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/test/conformance"
)

var (
	clouds     = flag.Int("clouds", 6, "number of clouds of the catalogue of behaviours that each form of a provider is tried with")
	cloudsSeed = flag.Uint64("clouds-seed", 1, "seed of what is drawn from the catalogue")
)

// TestClouds draws clouds from the catalogue of behaviours, and what is done with an object in
// each. All ways have the results that OpenTofu has: what Landbridge does otherwise, because a
// cloud may be late, is up to its scheduler, not to the ways.
func TestClouds(t *testing.T) {
	t.Parallel()
	for _, form := range examplecloudtest.Forms {
		for i := range *clouds {
			drawn := drawCloud(rand.New(rand.NewPCG(*cloudsSeed, uint64(i))))
			t.Run(fmt.Sprintf("%s/%d", form, i), func(t *testing.T) {
				t.Parallel()
				want := drawn.run(t, form, conformance.OpenTofu)
				for _, way := range conformance.Ways {
					if way == conformance.OpenTofu {
						continue
					}
					if diff := cmp.Diff(want, drawn.run(t, form, way)); diff != "" {
						t.Errorf("%v, by %s: different from OpenTofu (-want +got):\n%s", drawn, way, diff)
					}
				}
			})
		}
	}
}

// drawnCloud is a cloud, and what is done with an object in it.
type drawnCloud struct {
	behaviours []examplecloudtest.Behaviour
	steps      []drawnStep
}

// drawnStep is a step: "apply" with arguments of a record, "read", "destroy", or "recover", after
// which the cloud behaves well.
type drawnStep struct {
	what      string
	arguments map[string]any
}

func drawCloud(r *rand.Rand) drawnCloud {
	var out drawnCloud
	for _, i := range r.Perm(len(examplecloudtest.Catalogue))[:1+r.IntN(2)] {
		b := examplecloudtest.Catalogue[i]
		b.Faults = slices.Clone(b.Faults)
		for j, f := range b.Faults {
			b.Faults[j] = timeless(r, f)
		}
		out.behaviours = append(out.behaviours, b)
	}
	pick := func(values ...any) any { return values[r.IntN(len(values))] }
	apply := func() drawnStep {
		return drawnStep{"apply", map[string]any{
			"name": "x", "address": pick("Here", "there"), "value": pick("One ", "two"), "document": pick(`{"b": 1, "a": [ 2 ]}`, `{"a":1}`),
			"lines": pick([]string{"b", "a"}, []string{"a"}), "rules": pick([]map[string]any{{"port": 1, "protocol": nil}}, []map[string]any{}),
		}}
	}
	out.steps = append(out.steps, apply(), drawnStep{what: "read"})
	for range 2 + r.IntN(3) {
		switch r.IntN(4) {
		case 0:
			out.steps = append(out.steps, drawnStep{what: "read"})
		case 1:
			out.steps = append(out.steps, drawnStep{what: "recover"})
		default:
			out.steps = append(out.steps, apply())
		}
	}
	out.steps = append(out.steps, drawnStep{what: "destroy"}, drawnStep{what: "read"}, drawnStep{what: "recover"}, drawnStep{what: "destroy"})
	return out
}

// timeless returns a fault that lasts for a number of requests, or until it is removed: ways take
// different times.
func timeless(r *rand.Rand, f examplecloudtest.Fault) examplecloudtest.Fault {
	out := maps.Clone(f)
	for _, window := range []string{"visible_after", "gone_after", "stale_for", "reserved_for"} {
		if out[window] != nil {
			out[window] = "1h"
		}
	}
	if out["lasts"] != nil {
		delete(out, "lasts")
		out["count"] = 1 + r.IntN(8)
	}
	return out
}

func (d drawnCloud) String() string {
	var names []string
	for _, b := range d.behaviours {
		names = append(names, b.Name)
	}
	return strings.Join(names, " and ")
}

// run carries out the steps in a way, and returns the log.
func (d drawnCloud) run(t *testing.T, form string, way conformance.Way) []string {
	w := newWorld(t, form, way)
	for _, b := range d.behaviours {
		for _, f := range b.For("name", "x") {
			w.cloud.Fault(w, f)
		}
	}
	r := w.resource("record")
	var in instance.Instance
	for _, s := range d.steps {
		w.note("step: %s", s.what)
		switch s.what {
		case "apply":
			raw, err := json.Marshal(s.arguments)
			if err != nil {
				t.Fatal(err)
			}
			in = w.changes(r, in, w.config(r, string(raw)))
		case "read":
			in = w.refresh(r, in)
		case "destroy":
			in = w.destroys(r, in)
		case "recover":
			w.cloud.RemoveFaults(w, "x")
		}
	}
	w.counts()
	return strings.Split(w.text(), "\n")
}

// changes plans, and carries out what is planned: a replacement as a destroy and a create.
func (w *world) changes(r terraform.ResourceType, in instance.Instance, c terraform.Config) instance.Instance {
	w.Helper()
	p, diags := w.ex.Plan(ctx, r, in, c)
	w.planned("plan", p, diags)
	switch {
	case diags.HasErrors() || p.Action == terraform.NoOp:
		return in
	case p.Action.IsReplace():
		if in = w.destroys(r, in); in.Exists() {
			return in
		}
		return w.changes(r, in, c)
	}
	return w.apply(p)
}

func (w *world) destroys(r terraform.ResourceType, in instance.Instance) instance.Instance {
	w.Helper()
	if !in.Exists() {
		return in
	}
	p, diags := w.ex.PlanDestroy(ctx, r, in)
	w.planned("plan to destroy", p, diags)
	if diags.HasErrors() {
		return in
	}
	return w.apply(p)
}
