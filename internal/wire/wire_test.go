package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/internal/wire"
)

func TestUnmarshal(t *testing.T) {
	strs := cty.List(cty.String)
	tests := map[string]struct {
		in   string
		t    cty.Type
		want cty.Value
	}{
		"null":             {"\xc0", strs, cty.NullVal(strs)},
		"list":             {"\x92\xa1a\xc0", strs, cty.ListVal([]cty.Value{cty.StringVal("a"), cty.NullVal(cty.String)})},
		"unknown":          {"\xd4\x00\x00", strs, cty.UnknownVal(strs)},
		"refined":          {"\xc7\x03\x0c\x81\x01\xc2", cty.String, cty.UnknownVal(cty.String).RefineNotNull()},
		"foreign ext":      {"\xd4\x63\x00", cty.String, cty.UnknownVal(cty.String)}, // code 99
		"long foreign ext": {"\xc8\x00\x02\x63\x00\x00", cty.String, cty.UnknownVal(cty.String)},
		"number string":    {"\xa30.1", cty.Number, cty.MustParseNumberVal("0.1")},
		"big number":       {"\xb412345678901234567890", cty.Number, cty.MustParseNumberVal("12345678901234567890")},
		"float":            {"\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00", cty.Number, cty.NumberFloatVal(1.5)},
		"int":              {"\xd1\x01\x00", cty.Number, cty.NumberIntVal(256)},
		"long string":      {"\xd9\x02ab", cty.String, cty.StringVal("ab")},
		"long array":       {"\xdc\x00\x01\xa1a", strs, cty.ListVal([]cty.Value{cty.StringVal("a")})},
		"map":              {"\xde\x00\x01\xa1k\xa1v", cty.Map(cty.String), cty.MapVal(map[string]cty.Value{"k": cty.StringVal("v")})},
		"dynamic":          {"\x92\xc4\x08\"string\"\xa1a", cty.DynamicPseudoType, cty.StringVal("a")},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := wire.Unmarshal([]byte(test.in), test.t)
			if err != nil {
				t.Fatal(err)
			}
			if !got.RawEquals(test.want) {
				t.Errorf("got %#v, want %#v", got, test.want)
			}
		})
	}
}

func TestUnmarshalErrors(t *testing.T) {
	tests := map[string]struct {
		in string
		t  cty.Type
	}{
		"empty":               {"", cty.String},
		"reserved code":       {"\xc1", cty.String},
		"trailing bytes":      {"\xa1a\xa1b", cty.String},
		"wrong type":          {"\xa1a", cty.List(cty.String)},
		"truncated string":    {"\xa5ab", cty.String},
		"truncated length":    {"\xdc\x00", cty.List(cty.String)},
		"truncated map":       {"\x82\xa1k\xa1v", cty.Map(cty.String)},
		"truncated ext":       {"\xc7\x05\x0c", cty.String},
		"array of 2³² nulls":  {"\xdd\xff\xff\xff\xff\xc0", cty.List(cty.String)},
		"map of 2³² nulls":    {"\xdf\xff\xff\xff\xff\xc0", cty.Map(cty.String)},
		"string of 2³² bytes": {"\xdb\xff\xff\xff\xff\xc0", cty.String},
		"nested too deeply":   {strings.Repeat("\x91", 2000) + "\xc0", cty.DynamicPseudoType},
		"infinity":            {"\xcb\x7f\xf0\x00\x00\x00\x00\x00\x00", cty.Number},
		"enormous number":     {"\xa81e999999", cty.Number},
		"tiny number":         {"\xa91e-999999", cty.Number},
		"number in a list":    {"\x91\xa81e999999", cty.List(cty.Number)},
		"not a number":        {"\xa1x", cty.Number},
		"missing attribute":   {"\x80", cty.Object(map[string]cty.Type{"a": cty.String})},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got, err := wire.Unmarshal([]byte(test.in), test.t); err == nil {
				t.Errorf("no error, but %#v", got)
			}
		})
	}
}

// Errors name the attribute as paths of values do.
func TestUnmarshalErrorPath(t *testing.T) {
	ty := cty.Object(map[string]cty.Type{"a": cty.List(cty.Object(map[string]cty.Type{"b": cty.Bool}))})
	for in, want := range map[string]cty.Path{
		"\x81\xa1a\x91\x81\xa1b\xa1x": cty.GetAttrPath("a").IndexInt(0).GetAttr("b"),
		"\x81\xa1z\xc0":               cty.GetAttrPath("z"),
		"\x80":                        nil,
	} {
		_, err := wire.Unmarshal([]byte(in), ty)
		if err == nil {
			t.Fatalf("%q: no error", in)
		}
		var at cty.PathError
		if !errors.As(err, &at) || !at.Path.Equals(want) || at.Error() == "" {
			t.Errorf("%q: %v at %#v", in, err, at.Path)
		}
	}
}

func TestMarshal(t *testing.T) {
	for name, v := range map[string]cty.Value{"absent": cty.NilVal, "null": cty.NullVal(cty.String)} {
		if got, err := wire.Marshal(v, cty.String); err != nil || !wire.IsNull(got) {
			t.Errorf("%s: %x, %v", name, got, err)
		}
	}
	if got, err := wire.Marshal(cty.StringVal("x"), cty.Bool); err == nil {
		t.Errorf("no error, but %x", got)
	}
	if got, err := wire.Marshal(cty.StringVal("x").Mark(1), cty.String); err == nil {
		t.Errorf("a marked value was encoded as %x", got)
	}
}

func TestJSON(t *testing.T) {
	object := cty.Object(map[string]cty.Type{"a": cty.String, "n": cty.Number})
	v, err := wire.UnmarshalJSON([]byte(`{"n":12345678901234567890}`), object)
	if err != nil {
		t.Fatal(err)
	}
	b, err := wire.MarshalJSON(v, object)
	if err != nil || string(b) != `{"a":null,"n":12345678901234567890}` {
		t.Errorf("%s, %v", b, err)
	}
	if b, err := wire.MarshalJSON(cty.NilVal, object); err != nil || string(b) != "null" {
		t.Errorf("%s, %v", b, err)
	}
	if b, err := wire.MarshalJSON(cty.UnknownVal(object), object); err == nil {
		t.Errorf("an unknown value was encoded as %s", b)
	}
	for _, in := range []string{``, `{`, `{"x":1}`, `{"n":1e999999}`, `[]`} {
		if v, err := wire.UnmarshalJSON([]byte(in), object); err == nil {
			t.Errorf("%q: no error, but %#v", in, v)
		}
	}
}

func TestRoundTripProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		block := schematest.Block(t)
		v := schematest.Value(t, block)
		b, err := wire.Marshal(v, block.ImpliedType())
		if err != nil {
			t.Fatal(err)
		}
		got, err := wire.Unmarshal(b, block.ImpliedType())
		if err != nil {
			t.Fatal(err)
		}
		if !got.RawEquals(v) {
			t.Fatalf("got %#v, want %#v", got, v)
		}
		again, err := wire.Marshal(got, block.ImpliedType())
		if err != nil || !bytes.Equal(b, again) {
			t.Fatalf("first %x, then %x, %v", b, again, err)
		}
	})
}

// What is decoded in one step is what go-cty decodes.
func TestUnmarshalJSONProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		block := schematest.Block(t)
		b, err := wire.MarshalJSON(schematest.Value(t, block), block.ImpliedType())
		if err != nil {
			return // not wholly known
		}
		sameAsCty(t, b, block.ImpliedType())
	})
}

// sameAsCty fails unless JSON that go-cty can decode is decoded equally.
func sameAsCty(t interface{ Fatalf(string, ...any) }, b []byte, ty cty.Type) {
	want, err := ctyjson.Unmarshal(b, ty)
	if err != nil {
		return
	}
	got, err := wire.UnmarshalJSON(b, ty)
	if err == nil && !got.RawEquals(want) {
		t.Fatalf("%s: want %#v, got %#v", b, want, got)
	}
	if err != nil && !strings.Contains(err.Error(), "out of range") {
		t.Fatalf("%s: %v", b, err)
	}
}

// BenchmarkUnmarshalJSON decodes an object as it is stored.
func BenchmarkUnmarshalJSON(b *testing.B) {
	types, values := map[string]cty.Type{}, map[string]cty.Value{}
	for i := range 16 {
		name := fmt.Sprint("attribute_", i)
		types[name], values[name] = cty.String, cty.StringVal(name)
		if i%3 == 0 {
			types[name], values[name] = cty.Number, cty.NumberIntVal(int64(i))
		}
	}
	ty := cty.Object(types)
	stored, err := wire.MarshalJSON(cty.ObjectVal(values), ty)
	if err != nil {
		b.Fatal(err)
	}
	for name, decode := range map[string]func([]byte, cty.Type) (cty.Value, error){"cty": ctyjson.Unmarshal, "wire": wire.UnmarshalJSON} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := decode(stored, ty); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// fuzzType has something of everything that bytes may be decoded as.
var fuzzType = cty.Object(map[string]cty.Type{
	"s": cty.String, "n": cty.Number, "b": cty.Bool, "any": cty.DynamicPseudoType,
	"list": cty.List(cty.Number), "set": cty.Set(cty.String), "map": cty.Map(cty.String),
	"objects": cty.Set(cty.Object(map[string]cty.Type{"n": cty.Number, "s": cty.String})),
	"tuple":   cty.Tuple([]cty.Type{cty.String, cty.Bool}),
})

// Whatever a provider sends, decoding it neither panics nor takes more memory than it has
// bytes for, and what was understood can be sent back.
func FuzzUnmarshal(f *testing.F) {
	whole, err := wire.Marshal(cty.ObjectVal(map[string]cty.Value{
		"s": cty.StringVal("a"), "n": cty.MustParseNumberVal("0.1"), "b": cty.UnknownVal(cty.Bool), "any": cty.TupleVal([]cty.Value{cty.True}),
		"list": cty.ListVal([]cty.Value{cty.UnknownVal(cty.Number).RefineNotNull()}), "set": cty.SetVal([]cty.Value{cty.StringVal("a")}),
		"map":     cty.MapVal(map[string]cty.Value{"k": cty.NullVal(cty.String)}),
		"objects": cty.SetVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"n": cty.UnknownVal(cty.Number), "s": cty.StringVal("x")})}),
		"tuple":   cty.TupleVal([]cty.Value{cty.StringVal("a"), cty.False}),
	}), fuzzType)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add([]byte("\xc0"))
	f.Add([]byte("\xdd\xff\xff\xff\xff"))
	f.Add([]byte("\xc7\x03\x0c\x81\x01\xc2"))
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := wire.Unmarshal(b, fuzzType)
		if err != nil {
			return
		}
		if _, err := wire.Marshal(v, fuzzType); err != nil {
			t.Fatalf("decoded, but cannot be encoded: %s", err)
		}
		if v.IsWhollyKnown() {
			if _, err := wire.MarshalJSON(v, fuzzType); err != nil {
				t.Fatalf("decoded, but cannot be stored: %s", err)
			}
		}
	})
}

func FuzzUnmarshalJSON(f *testing.F) {
	f.Add([]byte(`{"s":"a","n":0.1,"b":true,"any":{"value":[1],"type":["tuple",["number"]]},"list":[1],"set":["a"],"map":{"k":null},"objects":[{"n":1,"s":"x"}],"tuple":["a",false]}`))
	f.Add([]byte(`null`))
	static := maps.Clone(fuzzType.AttributeTypes())
	delete(static, "any")
	f.Add([]byte(`{"s":1,"n":"0.1","b":"true","list":[1,null],"set":["a","a"],"map":{"k":true},"objects":[{}],"tuple":["a",false]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		sameAsCty(t, b, cty.Object(static))
		v, err := wire.UnmarshalJSON(b, fuzzType)
		if err != nil {
			return
		}
		first, err := wire.MarshalJSON(v, fuzzType)
		if err != nil {
			t.Fatalf("decoded, but cannot be encoded: %s", err)
		}
		if again, err := wire.UnmarshalJSON(first, fuzzType); err != nil || !again.RawEquals(v) {
			t.Fatalf("%s became %#v, not %#v: %v", first, again, v, err)
		}
	})
}
