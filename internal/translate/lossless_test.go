package translate_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

func resource(t rapid.TB, b *schema.Block, c config.Resource) *model.Resource {
	t.Helper()
	p, err := model.NewProvider("test", &schema.Provider{
		Config:    &schema.Block{},
		Resources: map[string]*schema.Resource{"test_thing": {Type: "test_thing", Block: b}},
	}, config.Provider{Resources: map[string]config.Resource{"test_thing": c}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Resources["test_thing"]
}

// throughKubernetes returns what the API server's codec makes of a value.
func throughKubernetes(t rapid.TB, in any) any {
	t.Helper()
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	var out any
	if err := utiljson.Unmarshal(raw, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEncodeDecodeLoseNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := schematest.Block(t)
		r := resource(t, b, schematest.Config(t, b))
		v := schematest.Value(t, b)
		out, err := translate.Encode(r.Root(), v)
		if err != nil {
			t.Fatal(err)
		}
		back, diags := translate.Decode(r.Root(), throughKubernetes(t, out))
		if len(diags) > 0 {
			t.Fatalf("%s\n%#v\n%v", diags, v, out)
		}
		if !back.RawEquals(v) {
			t.Fatalf("got %#v\nwant %#v\nthrough %v", back, v, out)
		}
	})
}

// A value is presented as what the CRD says it is, and what spec would read back is what it was; or
// it is left out.
func TestPresentedValuesComeBack(t *testing.T) {
	t.Parallel()
	types := map[cty.Type][]config.FieldType{
		cty.Number: {config.FieldString, config.FieldInteger},
		cty.Bool:   {config.FieldString},
		cty.String: {config.FieldNumber, config.FieldInteger, config.FieldBoolean, config.FieldJSON},
	}
	rapid.Check(t, func(t *rapid.T) {
		ty := rapid.SampledFrom([]cty.Type{cty.Number, cty.Bool, cty.String}).Draw(t, "terraform")
		as := rapid.SampledFrom(types[ty]).Draw(t, "kubernetes")
		b := &schema.Block{Attributes: map[string]*schema.Attribute{"x": {Type: ty, Optional: true, Computed: true}}}
		r := resource(t, b, config.Resource{Fields: map[string]config.Field{"x": {Type: as}}})
		v := schematest.Value(t, b)
		if texts := []string{
			"8080", "-1", "007", "1e3", "0.5", "true", "false", "True", `{"a":[1,2.5,null]}`, `{"b": 1}`, "null", "",
		}; ty == cty.String && rapid.Bool().Draw(t, "likely") {
			v = cty.ObjectVal(map[string]cty.Value{"x": cty.StringVal(rapid.SampledFrom(texts).Draw(t, "text"))})
		}
		seen := throughKubernetes(t, translate.Observation(r, v)["x"])
		if seen == nil {
			return
		}
		ok := false
		switch seen.(type) {
		case string:
			ok = as == config.FieldString || as == config.FieldJSON
		case bool:
			ok = as == config.FieldBoolean || as == config.FieldJSON
		case int64:
			ok = as != config.FieldString && as != config.FieldBoolean
		case float64:
			ok = as == config.FieldNumber || as == config.FieldJSON
		default:
			ok = as == config.FieldJSON
		}
		if !ok {
			t.Fatalf("%#v as %s is %#v", v, as, seen)
		}
		back, diags := translate.Config(r, map[string]any{"x": seen}, nil, nil)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		got, want := back.Value.GetAttr("x"), v.GetAttr("x")
		if as == config.FieldJSON { // the text may differ, not what it says
			var a, b any
			if err := json.Unmarshal([]byte(got.AsString()), &a); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(want.AsString()), &b); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(b, a); diff != "" {
				t.Fatal(diff)
			}
		} else if !got.RawEquals(want) {
			t.Fatalf("got %#v, want %#v, through %#v", got, want, seen)
		}
	})
}
