package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/schema"
)

func TestImmutable(t *testing.T) {
	yes, no := true, false
	described := func(text string) schema.Text { return schema.Text{Text: text} }
	inner := func() *schema.Block {
		return &schema.Block{
			Attributes: map[string]*schema.Attribute{
				"zone": {Type: cty.String, Optional: true, Description: described("Forces new resource.")},
			},
		}
	}
	block := &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"name":     {Type: cty.String, Required: true, Description: described("The name. Changing this forces a new resource to be created.")},
			"size":     {Type: cty.Number, Optional: true, Description: described("The size.")},
			"arn":      {Type: cty.String, Computed: true, Description: described("Forces new resource.")},
			"password": {Type: cty.String, Optional: true, Sensitive: true, Description: described("Forces a new resource.")},
			"tags":     {Type: cty.Map(cty.String), Optional: true, Description: described("Forces a new resource.")},
		},
		Blocks: map[string]*schema.NestedBlock{
			"one":  {Nesting: schema.NestingList, MaxItems: 1, Block: inner()},
			"many": {Nesting: schema.NestingList, Block: inner()},
		},
	}
	field := func(path string, immutable *bool) config.Resource {
		return config.Resource{Fields: map[string]config.Field{path: {Immutable: immutable}}}
	}
	inferred := func(c config.Resource) config.Resource {
		c.InferImmutable = true
		return c
	}
	tests := map[string]struct {
		config config.Resource
		want   []string
		err    string
	}{
		"by default none":    {},
		"configured":         {config: field("size", &yes), want: []string{"size"}},
		"configured, inside": {config: field("one.zone", &yes), want: []string{"one.zone"}},
		"inferred":           {config: inferred(config.Resource{}), want: []string{"name", "one.zone"}},
		"inferred, except":   {config: inferred(field("name", &no)), want: []string{"one.zone"}},
		"both":               {config: inferred(field("size", &yes)), want: []string{"name", "one.zone", "size"}},
		"computed":           {config: field("arn", &yes), err: "not in spec"},
		"a secret":           {config: field("password", &yes), err: "what a Secret holds cannot be compared"},
		"a map":              {config: field("tags", &yes), err: "only strings, numbers and booleans"},
		"in a list":          {config: field("many.zone", &yes), err: "elements of lists"},
		"an unknown field":   {config: field("nothing", &yes), err: "nothing"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, err := model.NewProvider("test", &schema.Provider{
				Config:    &schema.Block{},
				Resources: map[string]*schema.Resource{"test_thing": {Type: "test_thing", Block: block}},
			},
				config.Provider{Resources: map[string]config.Resource{"test_thing": test.config}})
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error %v, want %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			root := p.Resources["test_thing"].Root()
			for _, f := range root.Object.All {
				if f.Immutable {
					got = append(got, f.Name)
				}
				if f.Name == "one" || f.Name == "many" {
					if f.Type.Element.Object.ByTerraform("zone").Immutable {
						got = append(got, f.Name+".zone")
					}
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The API server limits what the rules of a kind may cost.
func TestImmutableLimit(t *testing.T) {
	b := &schema.Block{Attributes: map[string]*schema.Attribute{}}
	fields := map[string]config.Field{}
	yes := true
	for i := range model.MaxImmutable + 1 {
		name := fmt.Sprintf("a%02d", i)
		b.Attributes[name] = &schema.Attribute{Type: cty.String, Optional: true, Description: schema.Text{Text: "Forces new resource."}}
		fields[name] = config.Field{Immutable: &yes}
	}
	provider := func(c config.Resource) (*model.Provider, error) {
		return model.NewProvider("test", &schema.Provider{
			Config:    &schema.Block{},
			Resources: map[string]*schema.Resource{"test_thing": {Type: "test_thing", Block: b}},
		},
			config.Provider{Resources: map[string]config.Resource{"test_thing": c}})
	}
	if _, err := provider(config.Resource{Fields: fields}); err == nil || !strings.Contains(err.Error(), "at most 40") {
		t.Errorf("configured: %v", err)
	}
	if _, err := provider(config.Resource{InferImmutable: true}); err != nil {
		t.Errorf("inferred: %s", err)
	}
}

func TestForcesNew(t *testing.T) {
	for text, want := range map[string]bool{
		"(Required) The name. Changing this forces a new resource to be created.": true,
		"(Optional, Forces new resource) The name.":                               true,
		"(Optional, ForceNew) The name.":                                          false,
		"A new resource group.":                                                   false,
		"":                                                                        false,
	} {
		if got := model.ForcesNew(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}
