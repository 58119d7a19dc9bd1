package generate_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/generate"
)

// A linked provider is tested by test/behaviour, where there is one.
func TestProgramRefusesOtherProviders(t *testing.T) {
	t.Parallel()
	type Provider struct{ ResourcesMap map[string]any }
	for name, linked := range map[string]any{"nothing": nil, "another type": "text", "a type of the same name": &Provider{}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := generate.Program{
				Name: "cloud", Module: "example.org/provider-cloud",
				Config: config.Provider{Group: "cloud.example.org"}, SDKv2: []any{linked},
			}
			err := generate.Run(p, repository(t), false, new(bytes.Buffer), new(bytes.Buffer))
			if err == nil || !strings.Contains(err.Error(),
				"where a *schema.Provider of github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema is needed") {
				t.Errorf("got error %v", err)
			}
		})
	}
}
