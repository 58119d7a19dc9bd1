package evolution_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/schema"
)

func TestConvertedAndDeprecated(t *testing.T) {
	t.Parallel()
	type attrs = map[string]*schema.Attribute
	optional := func(t cty.Type) *schema.Attribute { return &schema.Attribute{Type: t, Optional: true} }
	obsolete := func(t cty.Type) *schema.Attribute {
		return &schema.Attribute{Type: t, Optional: true, Deprecated: true}
	}
	rules := func(a attrs) map[string]*schema.NestedBlock {
		return map[string]*schema.NestedBlock{"rule": {Nesting: schema.NestingList, Block: attributes(a)}}
	}
	old := &schema.Block{
		Attributes: attrs{
			"gone": optional(cty.String), "flag": optional(cty.Bool), "late": optional(cty.String),
			"early": obsolete(cty.String),
		}, Blocks: rules(attrs{"days": optional(cty.Number)}),
	}
	new := &schema.Block{
		Attributes: attrs{"flag": optional(cty.String), "late": obsolete(cty.String), "early": obsolete(cty.String)},
		Blocks:     rules(attrs{"days": obsolete(cty.Number)}),
	}
	tests := map[string]struct {
		spec, converted string
		deprecated      []string
	}{
		"nothing":           {spec: `{"forProvider":{}}`, converted: `{"forProvider":{}}`},
		"removed":           {spec: `{"forProvider":{"gone":"a"},"lifecycle":{}}`, converted: `{"forProvider":{},"lifecycle":{}}`},
		"another type":      {spec: `{"forProvider":{"flag":true}}`, converted: `{"forProvider":{"flag":"true"}}`},
		"deprecated before": {spec: `{"forProvider":{"early":"a"}}`, converted: `{"forProvider":{"early":"a"}}`},
		"deprecated now": {
			spec: `{"forProvider":{"late":"a"}}`, converted: `{"forProvider":{"late":"a"}}`,
			deprecated: []string{"spec.forProvider.late"},
		},
		"deprecated in a block": {
			spec:      `{"forProvider":{"rule":[{},{"days":1}]},"initProvider":{"late":"a"}}`,
			converted: `{"forProvider":{"rule":[{},{"days":1}]},"initProvider":{"late":"a"}}`, deprecated: []string{
				"spec.forProvider.rule[].days", "spec.initProvider.late",
			},
		},
	}
	a, b := exact(t, provide(t, of(old, nil, 0), config.Provider{}).Resources["cloud_thing"]),
		exact(t, provide(t, of(new, nil, 0), config.Provider{}).Resources["cloud_thing"])
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := m{"apiVersion": "cloud.landbridge.io/v1alpha1", "metadata": m{"name": "x"}, "spec": through(t, json.RawMessage(test.spec))}
			got := evolution.Converted(in, a, b)
			if diff := cmp.Diff(m{
				"apiVersion": "cloud.landbridge.io/v1alpha1", "metadata": m{"name": "x"},
				"spec": through(t, json.RawMessage(test.converted)),
			}, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
			if diff := cmp.Diff(test.deprecated, evolution.Deprecated(got, a, b)); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
