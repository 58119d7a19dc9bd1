package schematest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/schema"
)

// largeTypes is the number of resource types of Large.
const largeTypes = 1200

// Large returns the schema of a provider of the size of the largest real ones. Its resource types
// repeat those of the real providers and of Everything under other names: large_s000_hcloud_server,
// …, large_s001_hcloud_server, ….
func Large(tb testing.TB) *schema.Provider {
	tb.Helper()
	out := &schema.Provider{Protocol: 6, Config: &schema.Block{}, Resources: make(map[string]*schema.Resource, largeTypes)}
	sources := []*schema.Provider{Everything()}
	for _, name := range Providers {
		sources = append(sources, Provider(tb, name))
	}
	for service := 0; ; service++ {
		for _, s := range sources {
			for _, t := range slices.Sorted(maps.Keys(s.Resources)) {
				if len(out.Resources) == largeTypes {
					return out
				}
				r := *s.Resources[t]
				r.Type = fmt.Sprintf("large_s%03d_%s", service, strings.ToLower(t))
				out.Resources[r.Type] = &r
			}
		}
	}
}
