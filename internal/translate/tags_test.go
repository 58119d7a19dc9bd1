package translate_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// Where tags are objects, ours are behind the user's, whose keys are left to them.
func TestTagObjects(t *testing.T) {
	t.Parallel()
	tag := &schema.Block{Attributes: map[string]*schema.Attribute{
		"key": {Type: cty.String, Required: true}, "value": {Type: cty.String, Optional: true}, "everywhere": {
			Type: cty.Bool, Optional: true, Computed: true,
		},
	}}
	block := &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"name":   {Type: cty.String, Required: true},
			"labels": {Type: cty.List(cty.Object(map[string]cty.Type{"key": cty.String, "value": cty.String})), Optional: true},
			"marks":  {Nested: &schema.NestedAttributes{Nesting: schema.NestingSet, Attributes: tag.Attributes}, Optional: true, Computed: true},
		},
		Blocks: map[string]*schema.NestedBlock{"tag": {Nesting: schema.NestingSet, Block: tag}},
	}
	pair := func(key, value string) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal(key), "value": cty.StringVal(value)})
	}
	full := func(key, value string, everywhere cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal(key), "value": cty.StringVal(value), "everywhere": everywhere})
	}
	users := map[string]any{"key": "stage", "value": "mine"}
	for name, test := range map[string]struct {
		attribute string
		given     []any
		want      cty.Value
	}{
		"a list": {
			"labels", []any{users, nil},
			cty.ListVal([]cty.Value{
				pair("stage", "mine"), cty.NullVal(pair("", "").Type()), pair("a", "logs"), pair("crossplane", "x"),
			}),
		},
		"a list that is not there": {"labels", nil, cty.ListVal([]cty.Value{pair("a", "logs"), pair("crossplane", "x"), pair("stage", "test")})},
		"a set": {
			"marks", []any{users},
			cty.SetVal([]cty.Value{
				full("stage", "mine", cty.NullVal(cty.Bool)), full("a", "logs", cty.NullVal(cty.Bool)),
				full("crossplane", "x", cty.NullVal(cty.Bool)),
			}),
		},
		"a block": {
			"tag", []any{map[string]any{"key": "a", "everywhere": true, "value": "b"}},
			cty.SetVal([]cty.Value{
				full("a", "b", cty.True), full("stage", "test", cty.NullVal(cty.Bool)),
				full("crossplane", "x", cty.NullVal(cty.Bool)),
			}),
		},
		"a block that is not there": {
			"tag", nil,
			cty.SetVal([]cty.Value{
				full("a", "logs", cty.NullVal(cty.Bool)), full("stage", "test", cty.NullVal(cty.Bool)),
				full("crossplane", "x", cty.NullVal(cty.Bool)),
			}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := resource(t, block, config.Resource{DefaultTags: &config.DefaultTags{
				Attribute: test.attribute, OnlyTags: true,
				Tags: map[string]config.Template{"stage": "test", "a": "{{ .metadata.name }}", "crossplane": "x"},
			}})
			s := translate.Subject{Name: "logs", ForProvider: map[string]any{"name": "n"}}
			if test.given != nil {
				s.ForProvider[r.Root().Object.ByTerraform(test.attribute).JSONName] = test.given
			}
			got, diags := translate.Desired(r, s, nil)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if value := got.Value.GetAttr(test.attribute); !value.RawEquals(test.want) {
				t.Errorf("got %#v\nwant %#v", value, test.want)
			}
		})
	}
}
