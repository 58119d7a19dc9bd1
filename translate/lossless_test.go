package translate_test

import (
	"encoding/json"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/schematest"
	"github.com/landbridge-io/landbridge/model"
	"github.com/landbridge-io/landbridge/schema"
	"github.com/landbridge-io/landbridge/translate"
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

// throughKubernetes is what the API server's codec makes of a value.
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
		r := resource(t, b, config.Resource{})
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
