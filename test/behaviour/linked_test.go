package behaviour_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/test/behaviour"
)

// TestLinked checks the status of a TerraformProvider for a provider that is linked into the
// controller.
func TestLinked(t *testing.T) {
	t.Parallel()
	c := &column{Column: behaviour.Column{Form: provider.Framework6, Way: behaviour.InProcess}, environment: shared(t)}
	c.name = providerName(c.Column, linkedUse)
	p := c.terraformProvider()
	spec := m{"source": sourceNamespace + "/" + c.name, "activate": []any{"examplecloud_thing"}, "env": []any{m{"name": "A", "value": "b"}}}
	p.Object["spec"] = spec
	c.MustCreate(t, p)
	refused := func(reason string, parts ...string) {
		t.Helper()
		c.WaitFor(t, p, "not installed: "+reason, func() bool {
			status, r, message := condition(p, "Installed")
			return status == "False" && r == reason && contains(message, parts...) && current(p)
		})
	}
	refused("ProviderNotRunning", "spec.env")
	c.MustPatch(t, p, `{"spec":{"env":null,"version":"> 9.0"}}`)
	refused("BinaryNotFound", "> 9.0", "4.0.0, 3.0.0, 2.0.0, 1.0.0, 0.0.0")
	c.MustPatch(t, p, `{"spec":{"version":"< 4.0"}}`)
	c.installed(t, release.Latest)
	if sum := text(p, "status", "installed", "sha256"); sum != "" {
		t.Errorf("it has the checksum %s", sum)
	}
}
