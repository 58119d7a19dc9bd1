package plugin_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// FuzzSchema checks that no bytes of a provider's schema cause a panic, neither when they are read
// nor when kinds are made of them.
func FuzzSchema(f *testing.F) {
	seed := plugin.SchemaSeed()
	if p := plugin.ReadSchema(6, seed); p == nil || p.Resources["x_y"] == nil {
		f.Fatalf("the seed is no schema: %v", p)
	}
	f.Add(seed, true)
	f.Add(seed, false)
	f.Fuzz(func(_ *testing.T, raw []byte, five bool) {
		protocol := 6
		if five {
			protocol = 5
		}
		if p := plugin.ReadSchema(protocol, raw); p != nil {
			_, _ = model.NewProvider("fuzz", p, config.Provider{})
		}
	})
}
