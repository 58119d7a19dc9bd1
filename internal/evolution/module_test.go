package evolution_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/schema"
)

// TestModuleDefinition: a variable is required in the definition of a module's kind, whether it may
// be null or not.
func TestModuleDefinition(t *testing.T) {
	t.Parallel()
	r := provide(t, of(attributes(map[string]*schema.Attribute{
		"name": {Type: cty.String, Required: true}, "size": {Type: cty.Number, Required: true}, "tags": {
			Type: cty.Map(cty.String), Optional: true,
		},
	}), nil, 0), config.Provider{}).Resources["cloud_thing"]
	d, err := crd.Module(r, crd.ModuleArguments{Nullable: map[string]bool{"name": true, "tags": true}})
	if err != nil {
		t.Fatal(err)
	}
	k, err := evolution.FromDefinition(d, r.Version)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"name": true, "size": true, "tags": false} {
		if f := k.Parts[evolution.ForProvider].Fields[name]; f == nil || f.Required != want {
			t.Errorf("%s: %+v, want required: %t", name, f, want)
		}
	}
}
