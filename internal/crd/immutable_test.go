package crd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

// An immutable field can be set, and not be changed. Others can be changed, though that may replace
// the object.
func TestImmutableAdmission(t *testing.T) {
	t.Parallel()
	yes := true
	p := configured(t, "everything", schematest.Everything(), config.Provider{Resources: map[string]config.Resource{
		"everything_thing": {Fields: map[string]config.Field{"name": {Immutable: &yes}, "size": {Immutable: &yes}}},
	}})
	many := config.Resource{Fields: map[string]config.Field{}}
	block := &schema.Block{Attributes: map[string]*schema.Attribute{}}
	for i := range model.MaxImmutable {
		name := fmt.Sprintf("a%02d", i)
		block.Attributes[name], many.Fields[name] = &schema.Attribute{Type: cty.String, Optional: true}, config.Field{Immutable: &yes}
	}
	accept(
		t, definition(t, configured(t, "many", &schema.Provider{
			Config:    &schema.Block{},
			Resources: map[string]*schema.Resource{"many_thing": {Type: "many_thing", Block: block}},
		},
			config.Provider{Resources: map[string]config.Resource{"many_thing": many}}).Resources["many_thing"]),
	)
	server := accept(t, definition(t, p.Resources["everything_thing"]))
	tests := map[string]struct {
		old, change func(map[string]any)
		want        string
	}{
		"unchanged": {},
		"changed":   {change: set("name", "other"), want: "spec.forProvider.name: Invalid value"},
		"a number": {
			old: set("size", 1), change: set("size", 2),
			want: "size cannot be changed: a change would replace the remote object",
		},
		"set later":            {change: set("size", 2)},
		"removed":              {old: set("size", 1)},
		"another field":        {change: set("vpcId", "other")},
		"only in initProvider": {change: func(spec map[string]any) { spec["initProvider"] = map[string]any{"name": "other"} }},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, errs := server.write(t, thing(test.change), thing(test.old))
			if got := messages(errs); test.want == "" && len(errs) > 0 || test.want != "" && !strings.Contains(got, test.want) {
				t.Errorf("errors: %v, want %q", got, test.want)
			}
		})
	}
}
