package tfjson_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/terraform/cli/tfjson"
	"github.com/landbridge-io/landbridge/schema"
)

func TestBody(t *testing.T) {
	text := func(s string) cty.Value { return cty.StringVal(s) }
	attributes := map[string]*schema.Attribute{
		"needed":   {Type: cty.String, Required: true},
		"text":     {Type: cty.String, Optional: true},
		"number":   {Type: cty.Number, Optional: true},
		"anything": {Type: cty.DynamicPseudoType, Optional: true},
		"texts":    {Type: cty.Map(cty.String), Optional: true},
	}
	block := &schema.Block{Attributes: attributes, Blocks: map[string]*schema.NestedBlock{
		"one":   {Nesting: schema.NestingSingle, Block: &schema.Block{Attributes: attributes}},
		"keyed": {Nesting: schema.NestingMap, Block: &schema.Block{Attributes: map[string]*schema.Attribute{"text": attributes["text"]}}},
	}}
	tests := map[string]struct {
		set    map[string]cty.Value
		marked tfjson.Marked
		want   string
		locals string
	}{
		"nothing": {want: `{"needed":null}`},
		"templates": {
			set:  map[string]cty.Value{"text": text("${a} %{b}"), "texts": cty.MapVal(map[string]cty.Value{"${k}": text("$")})},
			want: `{"needed":null,"text":"$${a} %%{b}","texts":{"$${k}":"$"}}`,
		},
		"numbers keep their digits": {
			set:  map[string]cty.Value{"number": cty.MustParseNumberVal("12345678901234567890.5")},
			want: `{"needed":null,"number":1.23456789012345678905e+19}`,
		},
		"labels are no templates": {
			set:  map[string]cty.Value{"keyed": cty.MapVal(map[string]cty.Value{"${k}": cty.ObjectVal(map[string]cty.Value{"text": text("v")})})},
			want: `{"keyed":{"${k}":{"text":"v"}},"needed":null}`,
		},
		"a list where any type may be": {
			set:  map[string]cty.Value{"anything": cty.ListVal([]cty.Value{text("a")})},
			want: `{"anything":"${tolist(local.v_0)}","needed":null}`, locals: `{"v_0":["a"]}`,
		},
		"an object where any type may be": {
			set:  map[string]cty.Value{"anything": cty.ObjectVal(map[string]cty.Value{"a": text("b")})},
			want: `{"anything":{"a":"b"},"needed":null}`,
		},
		"sensitive": {
			set:    map[string]cty.Value{"text": text("${s}"), "texts": cty.MapVal(map[string]cty.Value{"k": text("t"), "l": text("u")})},
			marked: func(_ *schema.Attribute, p cty.Path) bool { return p.Equals(cty.GetAttrPath("texts").IndexString("k")) },
			want:   `{"needed":null,"text":"$${s}","texts":{"k":"${sensitive(local.v_0)}","l":"u"}}`, locals: `{"v_0":"t"}`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			values := block.EmptyValue().AsValueMap()
			for name, v := range test.set {
				values[name] = v
			}
			body, locals := tfjson.Body(block, cty.ObjectVal(values), test.marked, "v")
			if test.locals == "" {
				test.locals = "{}"
			}
			for got, want := range map[string]string{marshal(t, body): test.want, marshal(t, locals): test.locals} {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestASCII(t *testing.T) {
	const in = `{"a":"ü𝄞 \"q\""}`
	out := tfjson.ASCII([]byte(in))
	if got, want := string(out), `{"a":"\u00fc\ud834\udd1e \"q\""}`; got != want {
		t.Errorf("got %s", got)
	}
	var before, after any
	if err := json.Unmarshal([]byte(in), &before); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(out, &after); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
}
