package pool_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/testing/providertest"
)

// BenchmarkStart is how long it takes until a released provider can be called: its process, the
// handshake, its schema, and its configuration. The first start also reads the schema.
func BenchmarkStart(b *testing.B) {
	for name, config := range map[string]cty.Value{
		"random": cty.EmptyObjectVal,
		"hcloud": cty.NilVal,
	} {
		b.Run(name, func(b *testing.B) {
			l := &plugin.Launcher{Path: providertest.Binary(b, name)}
			began := time.Now()
			s, err := l.Launch(context.Background())
			if err != nil {
				b.Fatal(err)
			}
			first := time.Since(began)
			schema, _ := s.Schema(context.Background())
			if err := s.Close(context.Background()); err != nil {
				b.Fatal(err)
			}
			if config == cty.NilVal {
				values := map[string]cty.Value{}
				for attribute, t := range schema.Config.ImpliedType().AttributeTypes() {
					values[attribute] = cty.NullVal(t)
				}
				values["token"] = cty.StringVal(strings.Repeat("x", 64))
				config = cty.ObjectVal(values)
			}
			p := newPool(b, pool.Options{})
			i := 0
			for b.Loop() {
				// Another version of Terraform is another configuration.
				i++
				acquire(b, p, pool.Prepare(pool.Configuration{Launcher: l, Config: config, TerraformVersion: fmt.Sprintf("1.12.%d", i)})).Release()
			}
			b.StopTimer()
			b.ReportMetric(float64(first.Milliseconds()), "first-ms")
			closePool(b, p)
		})
	}
}
