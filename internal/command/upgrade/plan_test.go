package upgrade_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	commandupgrade "github.com/landbridge-io/landbridge/internal/command/upgrade"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

func TestPlanText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		plan commandupgrade.ProviderPlan
		want string
	}{
		"nothing newer": {commandupgrade.ProviderPlan{Provider: "cloud", Source: "acme/cloud", Installed: "1.0.0", Behind: &install.Behind{}}, `
PROVIDER  INSTALLED  NEWEST  BEHIND  SOURCE
cloud     1.0.0      1.0.0   0       acme/cloud
`},
		"newer": {commandupgrade.ProviderPlan{
			Provider: "cloud", Source: "acme/cloud", Installed: "1.0.0", Behind: &install.Behind{Versions: 3, Major: 1, Minor: 2},
			Newer: []string{"2.0.0", "1.2.0", "1.1.0"}, Permitted: "1.2.0", Changelog: "https://example.com/2.0.0",
			Deprecated: []upgrade.Row{{
				Outcome: upgrade.Deprecated,
				Kind:    upgrade.Kind{ResourceType: "cloud_volume", Group: "cloud.example.org", Kind: "Volume"},
				Cause:   upgrade.Cause{Path: "spec.forProvider.tier", Summary: "the field is deprecated"},
				Count:   2, Namespaces: map[string]int{"a": 2}, Examples: []string{"a/one"},
			}},
		}, `
PROVIDER  INSTALLED  NEWEST  BEHIND                SOURCE
cloud     1.0.0      2.0.0   3 (1 major, 2 minor)  acme/cloud

TerraformProvider cloud
  newer versions: 2.0.0, 1.2.0, 1.1.0
  permitted by spec.version: 1.2.0
  changelog of 2.0.0: https://example.com/2.0.0
  deprecated in 1.0.0, and used:
    cloud_volume (Volume): 2 (a 2): a/one, …
        spec.forProvider.tier: the field is deprecated
  What would change: landbridge upgrade preview cloud --to 2.0.0
`},
		"a list that is cut": {commandupgrade.ProviderPlan{
			Provider: "cloud", Source: "acme/cloud", Installed: "1.0.0", Behind: &install.Behind{Versions: 30},
			Newer: []string{"2.0.0"}, Notes: []string{"No answer."},
		}, `
PROVIDER  INSTALLED  NEWEST  BEHIND  SOURCE
cloud     1.0.0      2.0.0   30      acme/cloud

TerraformProvider cloud
  newer versions: 2.0.0
  permitted by spec.version: none of them
  Note: No answer.
  What would change: landbridge upgrade preview cloud --to 2.0.0
`},
		"by path": {commandupgrade.ProviderPlan{Provider: "cloud", Source: "/bin/cloud", Notes: []string{"It is given by its path."}}, `
PROVIDER  INSTALLED  NEWEST   BEHIND   SOURCE
cloud     unknown    unknown  unknown  /bin/cloud

TerraformProvider cloud
  Note: It is given by its path.
`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			if err := (&commandupgrade.Plan{Providers: []commandupgrade.ProviderPlan{test.plan}}).Text(&out); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), out.String()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
