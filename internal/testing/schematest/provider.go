package schematest

import (
	"embed"
	"testing"

	"github.com/landbridge-io/landbridge/schema"
)

//go:embed testdata/*.json
var schemas embed.FS

// Providers lists the names of the real providers.
var Providers = []string{"hcloud", "local", "random", "time"}

// Provider returns the schema of a real provider.
func Provider(tb testing.TB, name string) *schema.Provider {
	tb.Helper()
	raw, err := schemas.ReadFile("testdata/" + name + ".json")
	if err != nil {
		tb.Fatal(err)
	}
	out, err := schema.Decode(raw)
	if err != nil {
		tb.Fatal(err)
	}
	return out
}
