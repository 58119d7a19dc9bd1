package upgrade_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/model"
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
