//lint:file-ignore SA1019 Providers of the legacy SDK still set UnsafeToUseLegacyTypeSystem.

package engine_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

// BenchmarkOverhead measures the engine alone, with a server that answers every call with the
// values of the request.
func BenchmarkOverhead(b *testing.B) {
	hcloud := schematest.Provider(b, "hcloud").Resources["hcloud_server"]
	for name, x := range map[string]struct {
		schema *schema.Resource
		state  cty.Value
	}{
		"small":         {thing(), object(map[string]cty.Value{"o": str("a"), "c": str("c")})},
		"hcloud_server": {hcloud, filled(hcloud.Block)},
	} {
		b.Run(name, func(b *testing.B) {
			f := newFixture(b, x.schema)
			f.Forget = true
			f.Plan = func(r *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
				return &tfprotov6.PlanResourceChangeResponse{
					PlannedState: r.PriorState, PlannedIdentity: r.PriorIdentity, UnsafeToUseLegacyTypeSystem: true,
				}, nil
			}
			in := f.existing(x.state, nullOf(x.schema), "p")
			state := enc(b, x.state, x.schema.ImpliedType()).MsgPack
			in.Wire = &instance.Wire{State: state}
			b.Run("refresh", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if out, diags := f.engine.Refresh(b.Context(), f.resource, in); diags.HasErrors() || !out.Unchanged {
						b.Fatalf("unchanged: %t, %s", out.Unchanged, diags)
					}
				}
			})
			b.Run("plan", func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if p, diags := f.engine.Plan(b.Context(), f.resource, in, terraform.Config{
						Value: x.state, Validated: true,
					}); diags.HasErrors() || p.Action != terraform.NoOp {
						b.Fatalf("%s: %s", p.Action, diags)
					}
				}
			})
		})
	}
}

func nullOf(r *schema.Resource) cty.Value {
	if r.Identity == nil {
		return cty.NilVal
	}
	return cty.NullVal(r.IdentityType())
}

// filled returns a value with all of a block's own attributes set.
func filled(b *schema.Block) cty.Value {
	values := b.EmptyValue().AsValueMap()
	for name, a := range b.Attributes {
		switch a.Type {
		case cty.String:
			values[name] = str("some text")
		case cty.Number:
			values[name] = cty.NumberIntVal(42)
		case cty.Bool:
			values[name] = cty.True
		}
	}
	return cty.ObjectVal(values)
}
