package translate_test

import (
	"encoding/json"
	"testing"

	"github.com/zclconf/go-cty/cty"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/landbridge-io/landbridge/internal/translate"
)

// Whatever is in spec: either there is a message, or a configuration that a provider can be sent,
// and that says again what spec said.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"name":"x","size":1.5,"tags":{"a":null},"groups":["b","a"]}`,
		`{"passwordSecretRef":{"name":"s","key":"text"},"settingsSecretRef":{"name":"s","key":"json"}}`,
		`{"anything":{"$type":["map","number"],"$value":{"a":"1"}},"pair":["a",1]}`,
		`{"anything":[{"$type":["object",{"a":["set","dynamic"]}],"$value":{"a":[1,"x"]}}]}`,
		`{"listBlock":[{"maxAgeDays":"7","deep":{"label":"x"}}],"singletonSet":{},"dynamicBlock":[{"value":[]}]}`,
		`{"size":"1e99999"}`, `{"endpoints":[{"port":18446744073709551616}]}`,
	} {
		f.Add([]byte(seed), []byte(`{"size":1}`), []byte("text"))
	}
	r := thing(f)
	f.Fuzz(func(t *testing.T, forProvider, initProvider, secret []byte) {
		var over, under map[string]any
		if utiljson.Unmarshal(forProvider, &over) != nil || utiljson.Unmarshal(initProvider, &under) != nil {
			return
		}
		read := func(translate.SecretKeySelector) ([]byte, error) { return secret, nil }
		c, diags := translate.Config(r, over, under, read)
		if diags.HasErrors() {
			if c.Value != cty.NilVal || translate.Message(r, diags) == "" {
				t.Fatalf("%#v, %q", c.Value, translate.Message(r, diags))
			}
			return
		}
		if !c.Value.IsWhollyKnown() || len(c.Value.Type().TestConformance(r.Root().Cty)) > 0 {
			t.Fatalf("%#v", c.Value)
		}
		if _, err := json.Marshal(translate.Observation(r, c.Value)); err != nil {
			t.Fatal(err)
		}
		translate.ConnectionDetails(r, c.Value)
		translate.Changes(r, cty.NilVal, c.Value)
		out, err := translate.Encode(r.Root(), c.Value)
		if err != nil {
			t.Fatal(err)
		}
		back, diags := translate.Decode(r.Root(), throughKubernetes(t, out))
		if diags.HasErrors() || !back.RawEquals(c.Value) {
			t.Fatalf("%s\ngot %#v\nwant %#v", diags, back, c.Value)
		}
	})
}

func FuzzParseFieldPath(f *testing.F) {
	for _, seed := range []string{"name", `tags["a.b"]`, "listBlock[0].deep.maxAgeDays", "anything.a[0]", `tags["a`, "[0]", "a..b"} {
		f.Add(seed)
	}
	r := thing(f)
	f.Fuzz(func(t *testing.T, s string) {
		p, err := r.ParseFieldPath(s)
		if err != nil {
			return
		}
		again, err := r.ParseFieldPath(r.FieldPath(p))
		if err != nil || r.FieldPath(again) != r.FieldPath(p) {
			t.Fatalf("%q: %q, %v", s, r.FieldPath(p), err)
		}
	})
}
