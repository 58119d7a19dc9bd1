package upgrade_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/upgrade"
	"github.com/landbridge-io/landbridge/schema"
)

func TestDeprecations(t *testing.T) {
	t.Parallel()
	block := func(deprecated bool) *schema.Block {
		return &schema.Block{Deprecated: deprecated, DeprecationMessage: "Use a disk.", Attributes: map[string]*schema.Attribute{
			"name": {Type: cty.String, Required: true},
			"tier": {Type: cty.String, Optional: true, Deprecated: true},
		}}
	}
	tests := map[string]struct {
		deprecated bool
		spec       map[string]any
		want       []upgrade.Cause
	}{
		"nothing": {spec: map[string]any{"forProvider": map[string]any{"name": "a"}}},
		"a field": {spec: map[string]any{"forProvider": map[string]any{"name": "a", "tier": "free"}},
			want: []upgrade.Cause{{Path: "spec.forProvider.tier", Summary: "the field is deprecated"}}},
		"a field of initProvider": {spec: map[string]any{"initProvider": map[string]any{"tier": "free"}},
			want: []upgrade.Cause{{Path: "spec.initProvider.tier", Summary: "the field is deprecated"}}},
		"the type": {deprecated: true, spec: map[string]any{"forProvider": map[string]any{"name": "a"}},
			want: []upgrade.Cause{{Summary: "the resource type is deprecated", Detail: "Use a disk."}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := model.NewProvider("cloud", &schema.Provider{
				Protocol: 6, Config: &schema.Block{},
				Resources: map[string]*schema.Resource{"cloud_volume": {Type: "cloud_volume", Block: block(test.deprecated)}},
			}, config.Provider{})
			if err != nil {
				t.Fatal(err)
			}
			m := p.Resources["cloud_volume"]
			k, err := evolution.FromResource(m)
			if err != nil {
				t.Fatal(err)
			}
			var got []upgrade.Cause
			for _, f := range upgrade.Deprecations(m, k, map[string]any{"spec": test.spec}) {
				if f.Outcome != upgrade.Deprecated {
					t.Errorf("the outcome is %s", f.Outcome)
				}
				got = append(got, f.Cause)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

func TestPlanText(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		plan upgrade.ProviderPlan
		want string
	}{
		"nothing newer": {upgrade.ProviderPlan{Provider: "cloud", Source: "acme/cloud", Installed: "1.0.0", Behind: &install.Behind{}}, `
PROVIDER  INSTALLED  NEWEST  BEHIND  SOURCE
cloud     1.0.0      1.0.0   0       acme/cloud
`},
		"newer": {upgrade.ProviderPlan{
			Provider: "cloud", Source: "acme/cloud", Installed: "1.0.0", Behind: &install.Behind{Versions: 3, Major: 1, Minor: 2},
			Newer: []string{"2.0.0", "1.2.0", "1.1.0"}, Permitted: "1.2.0", Changelog: "https://example.com/2.0.0",
			Deprecated: []upgrade.Row{{
				Outcome: upgrade.Deprecated, Kind: volumes, Cause: upgrade.Cause{Path: "spec.forProvider.tier", Summary: "the field is deprecated"},
				Count: 2, Namespaces: map[string]int{"a": 2}, Examples: []string{"a/one"},
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
		"a list that is cut": {upgrade.ProviderPlan{
			Provider: "cloud", Source: "acme/cloud", Installed: "1.0.0", Behind: &install.Behind{Versions: 30}, Newer: []string{"2.0.0"}, Notes: []string{"No answer."},
		}, `
PROVIDER  INSTALLED  NEWEST  BEHIND  SOURCE
cloud     1.0.0      2.0.0   30      acme/cloud

TerraformProvider cloud
  newer versions: 2.0.0
  permitted by spec.version: none of them
  Note: No answer.
  What would change: landbridge upgrade preview cloud --to 2.0.0
`},
		"by path": {upgrade.ProviderPlan{Provider: "cloud", Source: "/bin/cloud", Notes: []string{"It is given by its path."}}, `
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
			if err := (&upgrade.Plan{Providers: []upgrade.ProviderPlan{test.plan}}).Text(&out); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(strings.TrimPrefix(test.want, "\n"), out.String()); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
