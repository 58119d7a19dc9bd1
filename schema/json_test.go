package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, name := range append(schematest.Providers, "everything") {
		s := schematest.Everything()
		if name != "everything" {
			s = schematest.Provider(t, name)
		}
		want, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		back, err := schema.Decode(want)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := json.Marshal(back)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s: -want, +got:\n%s", name, diff)
		}
		for name, r := range s.Resources {
			if !r.ImpliedType().Equals(back.Resources[name].ImpliedType()) {
				t.Errorf("%s has another type", name)
			}
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{`:                                    "unexpected end of JSON input",
		`null`:                                 "provider configuration: it has no schema",
		`{"config":{"attributes":{"a":null}}}`: "provider configuration: a: no type",
		`{"config":{"attributes":{"a":{"optional":true}}}}`:                                                                             "a: no type",
		`{"config":{"attributes":{"a":{"type":"string"}}}}`:                                                                             "a: must set required, optional or computed",
		`{"config":{"attributes":{"a":{"type":"colour","optional":true}}}}`:                                                             "colour",
		`{"config":{"attributes":{"a":{"optional":true,"nested":{"nesting":"group"}}}}}`:                                                "a: unknown nesting mode",
		`{"config":{"blocks":{"a":{"nesting":"pile","block":{}}}}}`:                                                                     "a: unknown nesting mode",
		`{"config":{"blocks":{"a":{"nesting":"list"}}}}`:                                                                                "a: it has no schema",
		`{"config":{"attributes":{"a":{"type":"string","optional":true}},"blocks":{"a":{"nesting":"list","block":{}}}}}`:                "a: both an attribute and a block",
		`{"config":{"blocks":{"a":{"nesting":"group","computed":true,"block":{}}}}}`:                                                    "a: a block of the group nesting cannot be computed",
		`{"config":{"blocks":{"a":{"nesting":"list","minItems":1,"computed":true,"block":{}}}}}`:                                        "a: a block with min_items cannot be computed",
		`{"config":{"blocks":{"a":{"nesting":"list","computed":true,"block":{"attributes":{"b":{"type":"string","optional":true}}}}}}}`: "a: b: must be computed as its block is",
		`{"config":{"blocks":{"a":{"nesting":"list","computed":true,"block":{"blocks":{"b":{"nesting":"list","block":{}}}}}}}}`:         "a: b: must be computed as its block is",

		`{"config":{},"resources":{"a":null}}`:         "managed resource type a: nothing is said of it",
		`{"config":{},"resources":{"a":{"type":"b"}}}`: `managed resource type a: it is called "b"`,
		`{"config":{},"resources":{"a":{"type":"a"}}}`: "managed resource type a: it has no schema",

		`{"config":{},"resources":{"a":{"type":"a","block":{},"identity":{"attributes":{"x":{"type":["map","string"]}}}}}}`:                                           "only primitive types",
		`{"config":{},"resources":{"a":{"type":"a","block":{},"identity":{"attributes":{"x":{"type":"string"}}}}}}`:                                                   "exactly one of requiredForImport and optionalForImport",
		`{"config":{},"resources":{"a":{"type":"a","block":{},"identity":{"attributes":{"x":{"type":"string","requiredForImport":true,"optionalForImport":true}}}}}}`: "exactly one of requiredForImport and optionalForImport",
	} {
		_, err := schema.Decode([]byte(in))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", in, err, want)
		}
	}
}

// What is accepted can be used: it has types, a model and CRDs.
func FuzzDecode(f *testing.F) {
	for _, name := range []string{"local", "time"} {
		raw, err := json.Marshal(schematest.Provider(f, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	raw, err := json.Marshal(schematest.Everything())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(raw)
	f.Add([]byte(`{"config":{"blocks":{"a":{"nesting":"map","block":{"attributes":{"b":{"type":"dynamic","optional":true}}}}}}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, err := schema.Decode(raw)
		if err != nil {
			return
		}
		p, err := model.NewProvider("test", s, config.Provider{})
		if err != nil {
			t.Fatal(err)
		}
		crd.ProviderConfig(p)
		for _, r := range p.Resources {
			r.Schema.Block.EmptyValue()
			if _, err := crd.Resource(r); err != nil && !strings.Contains(err.Error(), "too large") {
				t.Fatal(err)
			}
		}
	})
}
