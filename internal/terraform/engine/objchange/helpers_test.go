package objchange_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/schema"
)

// The schemas of the contract's vectors (§ 7): S has one attribute of each kind, B is a
// block, N is a nested attribute.
func schemaS(names ...string) *schema.Block {
	all := map[string]*schema.Attribute{
		"o":  {Type: cty.String, Optional: true},
		"oc": {Type: cty.String, Optional: true, Computed: true},
		"c":  {Type: cty.String, Computed: true},
		"r":  {Type: cty.String, Required: true},
		"wo": {Type: cty.String, Optional: true, WriteOnly: true},
		"s":  {Type: cty.String, Optional: true, Sensitive: true},
	}
	b := &schema.Block{Attributes: map[string]*schema.Attribute{}}
	for _, name := range names {
		b.Attributes[name] = all[name]
	}
	return b
}

func blockB() *schema.Block {
	return &schema.Block{Attributes: map[string]*schema.Attribute{
		"k": {Type: cty.String, Required: true},
		"c": {Type: cty.String, Optional: true, Computed: true},
	}}
}

func withBlock(nesting schema.Nesting) *schema.Block {
	return &schema.Block{Blocks: map[string]*schema.NestedBlock{"b": {Nesting: nesting, Block: blockB()}}}
}

func withNested(nesting schema.Nesting) *schema.Block {
	return &schema.Block{Attributes: map[string]*schema.Attribute{"n": {
		Optional: true, Computed: true,
		Nested: &schema.NestedAttributes{Nesting: nesting, Attributes: map[string]*schema.Attribute{
			"o": {Type: cty.String, Optional: true},
			"c": {Type: cty.String, Computed: true},
		}},
	}}}
}

func withAttribute(name string, a *schema.Attribute) *schema.Block {
	return &schema.Block{Attributes: map[string]*schema.Attribute{name: a}}
}

// v returns a string value: - is null, ? is unknown.
func v(s string) cty.Value {
	switch s {
	case "-":
		return cty.NullVal(cty.String)
	case "?":
		return cty.UnknownVal(cty.String)
	default:
		return cty.StringVal(s)
	}
}

// obj returns an object of strings: "o=a oc=- c=?".
func obj(s string) cty.Value {
	values := map[string]cty.Value{}
	for _, f := range strings.Fields(s) {
		name, value, _ := strings.Cut(f, "=")
		values[name] = v(value)
	}
	return cty.ObjectVal(values)
}

// one wraps a value as the only attribute of an object.
func one(name string, value cty.Value) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{name: value})
}

func list(elements ...string) cty.Value { return cty.ListVal(objs(elements)) }
func set(elements ...string) cty.Value  { return cty.SetVal(objs(elements)) }

func objs(in []string) []cty.Value {
	out := make([]cty.Value, len(in))
	for i, s := range in {
		out[i] = obj(s)
	}
	return out
}

// mapOf returns a map of objects: key, object, key, object.
func mapOf(pairs ...string) cty.Value {
	values := map[string]cty.Value{}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = obj(pairs[i+1])
	}
	return cty.MapVal(values)
}

func stringMap(pairs ...string) cty.Value {
	values := map[string]cty.Value{}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = v(pairs[i+1])
	}
	if len(values) == 0 {
		return cty.MapValEmpty(cty.String)
	}
	return cty.MapVal(values)
}

func wantValue(t *testing.T, got, want cty.Value) {
	t.Helper()
	if !got.RawEquals(want) {
		t.Errorf("got  %#v\nwant %#v", got, want)
	}
}

// wantErrors checks for exactly the errors that start with the texts, each "path: text".
func wantErrors(t *testing.T, errs []error, texts ...string) {
	t.Helper()
	got := make([]string, len(errs))
	for i, err := range errs {
		var at cty.PathError
		if !errors.As(err, &at) {
			t.Fatalf("%T is not a cty.PathError", err)
		}
		got[i] = diagnostic.FormatPath(at.Path) + ": " + err.Error()
	}
	if len(got) != len(texts) {
		t.Fatalf("got %d errors %q, want %d %q", len(got), got, len(texts), texts)
	}
	for i := range texts {
		if !strings.HasPrefix(got[i], texts[i]) {
			t.Errorf("error %d: got %q, want %q", i, got[i], texts[i])
		}
	}
}
