package crd_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

// All CRDs of a provider, model included: the 29 resource types of hcloud, and as many as azurerm
// has. The latter are copies of hcloud's and of a type with everything that a schema can have.
func BenchmarkProvider(b *testing.B) {
	hcloud, everything := schematest.Provider(b, "hcloud"), schematest.Everything()
	for name, s := range map[string]*schema.Provider{"29 types": hcloud, "1104 types": copies(1104, hcloud, everything)} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				p, err := model.NewProvider("hcloud", s, config.Provider{})
				if err != nil {
					b.Fatal(err)
				}
				crd.ProviderConfig(p)
				for _, r := range p.Resources {
					if _, err := crd.Resource(r); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

// copies returns a provider with n resource types, which have the schemas of others.
func copies(n int, of ...*schema.Provider) *schema.Provider {
	out := &schema.Provider{Config: of[0].Config, Resources: map[string]*schema.Resource{}}
	for i := 0; len(out.Resources) < n; i++ {
		for _, p := range of {
			for _, t := range slices.Sorted(maps.Keys(p.Resources)) {
				if len(out.Resources) == n {
					return out
				}
				r := *p.Resources[t]
				r.Type = fmt.Sprintf("%s_v%d", t, i)
				out.Resources[r.Type] = &r
			}
		}
	}
	return out
}
