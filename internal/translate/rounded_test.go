package translate_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// What status cannot hold is told, with the path and without the value.
func TestRounded(t *testing.T) {
	t.Parallel()
	computed := func(ty cty.Type) *schema.Attribute { return &schema.Attribute{Type: ty, Computed: true} }
	b := &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"big_number": computed(cty.Number), "small": computed(cty.Number), "many": computed(cty.List(cty.Number)),
			"as_text": computed(cty.Number), "any": computed(cty.DynamicPseudoType), "pair": computed(cty.Tuple([]cty.Type{cty.String, cty.Number})),
			"secret": {Type: cty.Number, Computed: true, Sensitive: true},
		},
		Blocks: map[string]*schema.NestedBlock{
			"rule": {Nesting: schema.NestingSet, Block: &schema.Block{Attributes: map[string]*schema.Attribute{"max_age": computed(cty.Number)}}},
		},
	}
	p, err := model.NewProvider("test", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{"test_thing": {
		Type: "test_thing", Block: b, Identity: &schema.Identity{Attributes: map[string]*schema.IdentityAttribute{
			"account_id": {Type: cty.Number, RequiredForImport: true}, "all": {Type: cty.List(cty.Number)},
		}},
	}}}, config.Provider{
		Resources: map[string]config.Resource{
			"test_thing": {Fields: map[string]config.Field{"as_text": {Type: config.FieldString}}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r := p.Resources["test_thing"]
	big, fraction := cty.MustParseNumberVal("18446744073709551615"), cty.MustParseNumberVal("0.12345678901234567890")
	rule := func(v cty.Value) cty.Value {
		return cty.SetVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"max_age": v})})
	}
	null := cty.NullVal(cty.DynamicPseudoType)
	for name, test := range map[string]struct {
		state    map[string]cty.Value
		identity cty.Value
		want     []string // the paths
	}{
		"nothing": {identity: cty.NilVal},
		"exact": {
			state: map[string]cty.Value{
				"big_number": cty.MustParseNumberVal("9223372036854775807"), "small": cty.MustParseNumberVal("0.1"),
				"any": cty.NumberFloatVal(0.5),
			},
			identity: cty.ObjectVal(map[string]cty.Value{"account_id": cty.NumberIntVal(1), "all": cty.NullVal(cty.List(cty.Number))}),
		},
		"a whole number": {state: map[string]cty.Value{"big_number": big}, want: []string{"status.atProvider.bigNumber"}},
		"a decimal":      {state: map[string]cty.Value{"small": fraction}, want: []string{"status.atProvider.small"}},
		"each once": {
			state: map[string]cty.Value{"many": cty.ListVal([]cty.Value{big, fraction})}, want: []string{
				"status.atProvider.many",
			},
		},
		"inside": {state: map[string]cty.Value{"rule": rule(big)}, want: []string{"status.atProvider.rule.maxAge"}},
		"of any type": {
			state: map[string]cty.Value{
				"any":  cty.ObjectVal(map[string]cty.Value{"a": big, "b": null}),
				"pair": cty.TupleVal([]cty.Value{cty.StringVal("a"), big}),
			},
			want: []string{"status.atProvider.any", "status.atProvider.pair"},
		},
		"as text":  {state: map[string]cty.Value{"as_text": big}},
		"a secret": {state: map[string]cty.Value{"secret": big}},
		"an identity": {
			identity: cty.ObjectVal(map[string]cty.Value{"account_id": big, "all": cty.ListVal([]cty.Value{fraction})}),
			want:     []string{"status.identity.accountId", "status.identity.all"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := translate.Rounded(r, with(b, test.state), test.identity)
			var paths []string
			for _, text := range all {
				path, _, _ := strings.Cut(text, ": Number has lost digits: ")
				paths = append(paths, path)
				if strings.Contains(text, "1844") || strings.Contains(text, "1234") {
					t.Errorf("the value is shown: %s", text)
				}
			}
			if diff := cmp.Diff(test.want, paths); diff != "" {
				t.Errorf("-want, +got:\n%s", diff)
			}
		})
	}
}
