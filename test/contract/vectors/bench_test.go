package vectors_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// BenchmarkUnchanged is the price of finding that nothing changed: the bare calls, which are
// the floor, and the engine's refresh and plan over the same server.
func BenchmarkUnchanged(b *testing.B) {
	for _, style := range styles {
		b.Run(names[style], func(b *testing.B) {
			objects := thing(style, variant{})
			f := newFixture(b, objects, launcher(style, objects, false))
			config := f.object(map[string]cty.Value{"name": cty.StringVal("a"), "size": cty.NumberIntVal(3)})
			p, diags := f.engine.Plan(b.Context(), f.resource, instance.Instance{}, terraform.Config{Value: config})
			wantNoErrors(b, diags)
			in, diags := f.engine.Apply(b.Context(), p)
			wantNoErrors(b, diags)
			refreshed, diags := f.engine.Refresh(b.Context(), f.resource, in)
			wantNoErrors(b, diags)
			in = refreshed.Instance
			if _, diags := f.engine.Plan(b.Context(), f.resource, in, terraform.Config{Value: config, Validated: true}); diags.HasErrors() {
				b.Fatal(diags)
			}
			read, plan := last(f.reads), last(f.plans)
			server := f.recorder.Server
			f.engine = engine.New(server) // without the recorder

			bareRead := func(b *testing.B) {
				q := *read
				if _, err := server.ReadResource(b.Context(), &q); err != nil {
					b.Fatal(err)
				}
			}
			barePlan := func(b *testing.B) {
				q := *plan
				if _, err := server.PlanResourceChange(b.Context(), &q); err != nil {
					b.Fatal(err)
				}
			}
			refresh := func(b *testing.B) {
				out, diags := f.engine.Refresh(b.Context(), f.resource, in)
				if diags.HasErrors() || !out.Unchanged {
					b.Fatalf("unchanged: %t, %s", out.Unchanged, diags)
				}
			}
			planned := func(b *testing.B) {
				p, diags := f.engine.Plan(b.Context(), f.resource, in, terraform.Config{Value: config, Validated: true})
				if diags.HasErrors() || p.Action != terraform.NoOp {
					b.Fatalf("%s: %s", p.Action, diags)
				}
			}
			// The two by turns, so that what else the machine does slows both: the median of each
			// is compared.
			b.Run("read+plan/ratio", func(b *testing.B) {
				var bare, engine []time.Duration
				took := func(run ...func(*testing.B)) time.Duration {
					begin := time.Now()
					for _, f := range run {
						f(b)
					}
					return time.Since(begin)
				}
				for b.Loop() {
					bare = append(bare, took(bareRead, barePlan))
					engine = append(engine, took(refresh, planned))
				}
				b.ReportMetric(float64(median(engine))/float64(median(bare)), "engine/bare")
			})
			for _, x := range []struct {
				name string
				run  []func(*testing.B)
			}{
				{"read/bare", []func(*testing.B){bareRead}}, {"read/engine", []func(*testing.B){refresh}},
				{"read+plan/bare", []func(*testing.B){bareRead, barePlan}}, {"read+plan/engine", []func(*testing.B){refresh, planned}},
			} {
				b.Run(x.name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						for _, run := range x.run {
							run(b)
						}
					}
				})
			}
		})
	}
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}
