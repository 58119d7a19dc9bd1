package evolution_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/testing/evolutiontest"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

func TestUnfit(t *testing.T) {
	t.Parallel()
	type attrs = map[string]*schema.Attribute
	optional := func(t cty.Type) *schema.Attribute { return &schema.Attribute{Type: t, Optional: true} }
	rules := func(a attrs) map[string]*schema.NestedBlock {
		return map[string]*schema.NestedBlock{"rule": {Nesting: schema.NestingList, Block: attributes(a)}}
	}
	old := &schema.Block{
		Attributes: attrs{
			"name": optional(cty.String), "gone": optional(cty.String), "any": optional(cty.DynamicPseudoType),
			"flag": optional(cty.Bool), "zones": optional(cty.List(cty.String)), "token": {
				Type: cty.String, Optional: true, Sensitive: true,
			},
		},
		Blocks: rules(attrs{"days": optional(cty.Number), "hours": optional(cty.Number)}),
	}
	new := &schema.Block{
		Attributes: attrs{
			"name": optional(cty.String), "any": optional(cty.String), "flag": optional(cty.String),
			"zones": optional(cty.Set(cty.String)), "token": {Type: cty.String, Optional: true, Sensitive: true},
			"more": optional(cty.Bool),
		},
		Blocks: rules(attrs{"days": optional(cty.Number)}),
	}
	tests := map[string]struct {
		spec string
		want []string
	}{
		"nothing": {
			spec: `{"forProvider":{"name":"a","tokenSecretRef":{"name":"n","key":"k"},"zones":["a","b"],"rule":[{"days":1}],"any":"x"}}`,
		},
		"removed": {spec: `{"forProvider":{"gone":"a"}}`, want: []string{"spec.forProvider.gone"}},
		"null":    {spec: `{"forProvider":{"gone":null}}`, want: []string{"spec.forProvider.gone"}},
		"inside": {
			spec: `{"forProvider":{"rule":[{"days":1},{"hours":1}]},"initProvider":{"rule":[{"hours":2}]}}`,
			want: []string{"spec.forProvider.rule[].hours", "spec.initProvider.rule[].hours"},
		},
		"another type":   {spec: `{"forProvider":{"flag":true,"any":[1]}}`, want: []string{"spec.forProvider.any", "spec.forProvider.flag"}},
		"twice in a set": {spec: `{"forProvider":{"zones":["a","a"]}}`, want: []string{"spec.forProvider.zones"}},
		"unknown field":  {spec: `{"forProvider":{"unknown":true},"lifecycle":{}}`},
	}
	a, b := exact(t, provide(t, of(old, nil, 0), config.Provider{}).Resources["cloud_thing"]),
		exact(t, provide(t, of(new, nil, 0), config.Provider{}).Resources["cloud_thing"])
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := evolution.Unfit(m{"spec": through(t, json.RawMessage(test.spec))}, a, b)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}

// Where everything fits, nothing is dropped or changed by a conversion; and everything fits the
// kind it is of.
func TestWhatFitsIsKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := schematest.Block(t)
		d, c := versions(t, config.Resource{}, b, schematest.Mutate(t, b))
		old, err := evolution.FromDefinition(d, "v1alpha1")
		if err != nil {
			t.Fatal(err)
		}
		new, err := evolution.FromDefinition(d, "v1beta1")
		if err != nil {
			t.Fatal(err)
		}
		object := through(t, m{
			"apiVersion": "cloud.landbridge.io/v1alpha1", "metadata": m{},
			"spec": m{"forProvider": evolutiontest.Value(t, old.Parts[evolution.ForProvider])},
		})
		if got := evolution.Unfit(object, old, old); got != nil {
			t.Fatal(got)
		}
		converted := convert(t, c, object, "v1beta1")
		if evolution.Unfit(object, old, new) == nil {
			if diff := cmp.Diff(object["spec"], converted["spec"]); diff != "" {
				t.Fatalf("it fits, but: -before, +after:\n%s", diff)
			}
		}
	})
}
