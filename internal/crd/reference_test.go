package crd_test

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

func TestReferencesGolden(t *testing.T) {
	t.Parallel()
	p := configured(t, "everything", schematest.Everything(), schematest.References())
	written(t, "everything_references", definition(t, p.Resources["everything_thing"]))
}

func TestReferencesAdmission(t *testing.T) {
	t.Parallel()
	p := configured(t, "everything", schematest.Everything(), schematest.References())
	server := accept(t, definition(t, p.Resources["everything_thing"]))
	ref := func(name string) map[string]any { return map[string]any{"name": name} }
	instead := func(field, of string, value any) func(map[string]any) {
		return forProvider(func(m map[string]any) {
			delete(m, of)
			m[field] = value
		})
	}
	block := func(m map[string]any) func(map[string]any) { return set("someBlock", []any{m}) }
	tests := map[string]struct {
		change func(map[string]any)
		want   string
	}{
		"a value":     {},
		"a reference": {change: instead("nameRef", "name", ref("a"))},
		"a selector":  {change: instead("nameSelector", "name", map[string]any{})},
		"nothing": {
			change: forProvider(func(m map[string]any) { delete(m, "name") }),
			want:   "spec.forProvider.name is a required parameter",
		},
		"of another field": {change: instead("vpcIdRef", "name", ref("a")), want: "spec.forProvider.name is a required parameter"},
		"all of it": {
			change: set("nameRef", map[string]any{
				"name": "a", "namespace": "b", "policy": map[string]any{"resolve": "Always", "resolution": "Optional"},
			}),
		},
		"a reference without a name": {
			change: instead("nameRef", "name", map[string]any{"namespace": "a"}),
			want:   "spec.forProvider.nameRef.name: Required value",
		},
		"an unknown policy": {
			change: set("nameRef", map[string]any{"name": "a", "policy": map[string]any{"resolve": "Never"}}),
			want:   "nameRef.policy.resolve: Unsupported value",
		},
		"a list":           {change: set("zoneRefs", []any{ref("a"), ref("b")})},
		"a list of one":    {change: set("zoneRefs", ref("a")), want: "spec.forProvider.zoneRefs: Invalid value"},
		"a kind":           {change: set("vpcIdRef", map[string]any{"kind": "VPC", "name": "a"})},
		"a kind of a list": {change: set("clubs", []any{map[string]any{"kind": "Thing", "name": "a"}})},
		"another kind": {
			change: set("vpcIdSelector", map[string]any{"kind": "Network"}),
			want:   `spec.forProvider.vpcIdSelector.kind: Unsupported value: "Network"`,
		},
		"in an element": {change: block(map[string]any{"maxAgeDaysRef": ref("a")})},
		"selected in an element": {
			change: block(map[string]any{
				"maxAgeDaysSelector": map[string]any{"matchLabels": map[string]any{"a": "b"}},
			}),
		},
		"nothing in an element": {
			change: block(map[string]any{"label": "a"}),
			want: "spec.forProvider.someBlock[*].maxAgeDays is a required parameter, unless maxAgeDaysRef or " +
				"maxAgeDaysSelector is given, or spec.references sets it",
		},
		"nothing in one of many": {
			change: set("listBlock", []any{map[string]any{"label": "a"}}),
			want: "spec.forProvider.listBlock[*].maxAgeDays is a required parameter, unless maxAgeDaysRef or " +
				"maxAgeDaysSelector is given, or spec.references sets it",
		},
		"nothing in one of a set": {
			change: set("setBlock", []any{map[string]any{"label": "a"}}),
			want:   "spec.forProvider.setBlock[*].maxAgeDays is a required parameter, unless spec.references sets it",
		},
		"elements from spec.references": {change: func(spec map[string]any) {
			for _, list := range []string{"listBlock", "setBlock"} {
				spec["forProvider"].(map[string]any)[list] = []any{map[string]any{"label": "a"}}
			}
			spec["initProvider"] = map[string]any{"setAttribute": []any{map[string]any{"label": "a"}}}
			spec["references"] = []any{map[string]any{
				"to": "forProvider.listBlock[0].maxAgeDays", "from": map[string]any{"kind": "Thing", "name": "a"},
			}}
		}},
		"identity from spec.references": {change: func(spec map[string]any) {
			spec["import"] = map[string]any{"identity": map[string]any{}}
			spec["references"] = []any{map[string]any{"to": "import.identity.accountId", "from": map[string]any{"kind": "Thing", "name": "a"}}}
		}},
		"no identity": {
			change: func(spec map[string]any) { spec["import"] = map[string]any{"identity": map[string]any{}} },
			want:   "spec.import.identity.accountId is a required parameter, unless spec.references sets it",
		},
		"in an element of a map": {change: set("mapBlock", map[string]any{"x": map[string]any{"label": "a"}})}, // by the provider
		"not in initProvider": {change: func(spec map[string]any) {
			spec["initProvider"] = map[string]any{"setAttribute": []any{map[string]any{"maxAgeDaysRef": ref("a")}}}
		}, want: "spec.initProvider.setAttribute[*].maxAgeDays is a required parameter, unless spec.references sets it"},
		"observed without a reference": {change: func(spec map[string]any) {
			spec["forProvider"], spec["managementPolicies"] = map[string]any{}, []any{"Observe"}
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, errs := server.write(t, thing(test.change), nil)
			if got := messages(errs); test.want == "" && got != "" || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Whatever may be referred to, and however many rules that makes, the API server accepts it.
func TestReferencesEverywhereAreAccepted(t *testing.T) {
	t.Parallel()
	t.Run("random", func(t *testing.T) {
		t.Parallel()
		rapid.Check(t, func(t *rapid.T) {
			s := &schema.Provider{
				Config: &schema.Block{}, Resources: map[string]*schema.Resource{
					"test_thing": {Type: "test_thing", Block: schematest.Block(t)},
				},
			}
			p, err := model.NewProvider("test", s, schematest.ReferencesEverywhere(s))
			if err != nil {
				t.Skip(err) // names that collide
			}
			accept(t, definition(t, p.Resources["test_thing"]))
		})
	})
	for _, name := range schematest.Providers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := schematest.Provider(t, name)
			for _, r := range configured(t, name, s, schematest.ReferencesEverywhere(s)).Resources {
				accept(t, definition(t, r))
			}
		})
	}
	t.Run("many in lists in lists", func(t *testing.T) {
		t.Parallel()
		leaf := &schema.Block{Attributes: map[string]*schema.Attribute{}}
		for i := range 40 {
			leaf.Attributes["needed_"+string(rune('a'+i%26))+string(rune('a'+i/26))] = &schema.Attribute{Type: cty.String, Required: true}
		}
		list := func(most int64, b *schema.Block) *schema.NestedBlock {
			return &schema.NestedBlock{Nesting: schema.NestingList, MaxItems: most, Block: b}
		}
		s := &schema.Provider{
			Config: &schema.Block{},
			Resources: map[string]*schema.Resource{
				"test_thing": {Type: "test_thing", Block: &schema.Block{Blocks: map[string]*schema.NestedBlock{
					"few":  list(8, &schema.Block{Blocks: map[string]*schema.NestedBlock{"inner": list(0, leaf)}}),
					"many": list(0, leaf), "some": list(3, leaf),
					"all": list(0, &schema.Block{Blocks: map[string]*schema.NestedBlock{"inner": list(0, leaf)}}),
				}}},
			},
		}
		server := accept(t, definition(t, configured(t, "test", s, schematest.ReferencesEverywhere(s)).Resources["test_thing"]))
		_, errs := server.write(t, map[string]any{"spec": map[string]any{"forProvider": map[string]any{"some": []any{map[string]any{}}}}}, nil)
		if len(errs) != 40 {
			t.Errorf("%d errors, want one for each field of an element: %s", len(errs), messages(errs))
		}
	})
}
