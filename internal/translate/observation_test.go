package translate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

// observed returns a state of an everything_thing with something everywhere.
func observed(r *model.Resource) cty.Value {
	leaf := func(v cty.Value) cty.Value {
		m := v.AsValueMap()
		m["label"], m["token"], m["seen_at"] = cty.StringVal("l"), cty.StringVal("hunter2"), cty.StringVal("now")
		m["max_age_days"] = cty.NumberIntVal(1)
		return cty.ObjectVal(m)
	}
	values := map[string]cty.Value{
		"id": cty.StringVal("i-1"), "name": cty.StringVal("x"),
		"size": cty.MustParseNumberVal("18446744073709551615"), "result": cty.StringVal("r"),
		"password": cty.StringVal("hunter2"), "pin": cty.NumberIntVal(42), "generated": cty.StringVal("hunter2"),
		"settings": cty.MapVal(map[string]cty.Value{"a": cty.StringVal("hunter2")}),
		"tags":     cty.MapVal(map[string]cty.Value{"a_b": cty.StringVal("1"), "none": cty.NullVal(cty.String)}),
		"zones":    cty.ListValEmpty(cty.String),
		"anything": cty.ListVal([]cty.Value{cty.StringVal("a")}),
	}
	b := r.Schema.Block
	for name, n := range b.Blocks {
		if name == "dynamic_block" {
			continue
		}
		v := leaf(n.Block.EmptyValue())
		switch t := n.ImpliedType(); {
		case t.IsListType():
			values[name] = cty.ListVal([]cty.Value{v})
		case t.IsSetType():
			values[name] = cty.SetVal([]cty.Value{v})
		case t.IsMapType():
			values[name] = cty.MapVal(map[string]cty.Value{"a/b": v})
		default:
			values[name] = v
		}
	}
	v := map[string]cty.Value{
		"max_age_days": cty.NumberIntVal(1), "label": cty.NullVal(cty.String), "token": cty.StringVal("hunter2"),
		"seen_at": cty.StringVal("now"),
	}
	values["single_attribute"], values["secret_attribute"] = cty.ObjectVal(v), cty.ObjectVal(v)
	values["list_attribute"] = cty.ListVal([]cty.Value{cty.ObjectVal(v), cty.NullVal(cty.ObjectVal(v).Type())})
	return with(b, values)
}

func TestObservation(t *testing.T) {
	t.Parallel()
	r := thing(t)
	got := translate.Observation(r, observed(r))
	leaf := map[string]any{"maxAgeDays": int64(1), "label": "l", "seenAt": "now"}
	nested := map[string]any{"maxAgeDays": int64(1), "seenAt": "now"}
	want := map[string]any{
		"id": "i-1", "name": "x", "size": 1.8446744073709552e+19, "result": "r",
		"tags": map[string]any{"a_b": "1", "none": nil}, "zones": []any{},
		"anything":        []any{"a"},
		"singleAttribute": nested, "listAttribute": []any{nested, nil},
		"singleBlock": leaf, "groupBlock": leaf, "listBlock": []any{leaf}, "setBlock": []any{leaf}, "mapBlock": map[string]any{"a/b": leaf},
		"singletonList": leaf, "singletonSet": leaf, "someBlock": []any{leaf},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	for name, v := range map[string]cty.Value{"nil": cty.NilVal, "null": cty.NullVal(r.Root().Cty), "unknown": cty.UnknownVal(r.Root().Cty)} {
		if got := translate.Observation(r, v); got != nil {
			t.Errorf("%s: got %v", name, got)
		}
	}
}

func TestObservationOmits(t *testing.T) {
	t.Parallel()
	p, err := model.NewProvider("everything", schematest.Everything(), config.Provider{Resources: map[string]config.Resource{
		"everything_thing": {Omit: []string{"tags", "list_block.label"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	r := p.Resources["everything_thing"]
	got := translate.Observation(r, observed(r))
	if _, ok := got["tags"]; ok {
		t.Error("tags are there")
	}
	if diff := cmp.Diff([]any{map[string]any{"maxAgeDays": int64(1), "seenAt": "now"}}, got["listBlock"]); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if _, diags := translate.Config(r, map[string]any{"tags": map[string]any{}}, nil, nil); !diags.HasErrors() {
		t.Error("tags can be given")
	}
}

func TestConnectionDetails(t *testing.T) {
	t.Parallel()
	r := thing(t)
	got := map[string]string{}
	for k, v := range translate.ConnectionDetails(r, observed(r)) {
		got[k] = string(v)
	}
	want := map[string]string{
		"attribute.password": "hunter2", "attribute.pin": "42", "attribute.generated": "hunter2",
		"attribute.settings":               `{"a":"hunter2"}`,
		"attribute.secret_attribute":       `{"maxAgeDays":1,"seenAt":"now","token":"hunter2"}`,
		"attribute.single_attribute.token": "hunter2", "attribute.list_attribute.0.token": "hunter2",
		"attribute.single_block.token": "hunter2", "attribute.group_block.token": "hunter2", "attribute.list_block.0.token": "hunter2",
		"attribute.set_block.0.token": "hunter2", "attribute.map_block.a_b.token": "hunter2", "attribute.some_block.0.token": "hunter2",
		"attribute.singleton_list.token": "hunter2", "attribute.singleton_set.token": "hunter2",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}

// What is only read of values whose types are not known beforehand is plain JSON, as in the output
// of Terraform.
func TestDynamicValuesArePlain(t *testing.T) {
	t.Parallel()
	dynamic := func(sensitive bool) *schema.Attribute {
		return &schema.Attribute{Type: cty.DynamicPseudoType, Computed: true, Sensitive: sensitive}
	}
	p, err := model.NewProvider("test", &schema.Provider{Config: &schema.Block{}, Resources: map[string]*schema.Resource{"test_thing": {
		Type: "test_thing", Block: &schema.Block{Attributes: map[string]*schema.Attribute{"shown": dynamic(false), "secret": dynamic(true)}},
	}}}, config.Provider{})
	if err != nil {
		t.Fatal(err)
	}
	text := func(words ...string) []cty.Value {
		var out []cty.Value
		for _, w := range words {
			out = append(out, cty.StringVal(w))
		}
		return out
	}
	for name, x := range map[string]struct {
		value  cty.Value
		status any
		secret string
	}{
		"a list":         {cty.ListVal(text("a", "b")), []any{"a", "b"}, `["a","b"]`},
		"a set":          {cty.SetVal(text("a")), []any{"a"}, `["a"]`},
		"a map":          {cty.MapVal(map[string]cty.Value{"DB_HOST": cty.StringVal("h")}), map[string]any{"DB_HOST": "h"}, `{"DB_HOST":"h"}`},
		"an empty map":   {cty.MapValEmpty(cty.String), map[string]any{}, `{}`},
		"a decimal":      {cty.MustParseNumberVal("0.1"), 0.1, `0.1`},
		"a large number": {cty.MustParseNumberVal("12345678901234567890"), 12345678901234567890.0, `12345678901234567890`},
		"nulls inside": {
			cty.ObjectVal(map[string]cty.Value{"a": cty.NullVal(cty.Map(cty.String)), "b": cty.True}),
			map[string]any{"a": nil, "b": true}, `{"a":null,"b":true}`,
		},
		"maps in an object": {
			cty.ObjectVal(map[string]cty.Value{"x": cty.ListVal([]cty.Value{cty.MapVal(map[string]cty.Value{"snake_case": cty.NumberIntVal(1)})})}),
			map[string]any{"x": []any{map[string]any{"snake_case": int64(1)}}}, `{"x":[{"snake_case":1}]}`,
		},
		"what looks like a type": {
			cty.ObjectVal(map[string]cty.Value{"$type": cty.StringVal("a"), "$value": cty.StringVal("b")}),
			map[string]any{"$type": "a", "$value": "b"}, `{"$type":"a","$value":"b"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := cty.ObjectVal(map[string]cty.Value{"shown": x.value, "secret": x.value})
			if diff := cmp.Diff(map[string]any{"shown": x.status}, translate.Observation(p.Resources["test_thing"], state)); diff != "" {
				t.Errorf("status: -want, +got:\n%s", diff)
			}
			if got := string(translate.ConnectionDetails(p.Resources["test_thing"], state)["attribute.secret"]); got != x.secret {
				t.Errorf("Secret: %s, want %s", got, x.secret)
			}
		})
	}
}

// plant puts text into every secret string of a value, and reports whether there was one.
func plant(t *model.Type, v cty.Value, secret bool, text string) cty.Value {
	if v.IsNull() {
		return v
	}
	each := func(typeOf func(k string, i int) *model.Type) ([]cty.Value, map[string]cty.Value) {
		var list []cty.Value
		m := map[string]cty.Value{}
		for it := v.ElementIterator(); it.Next(); {
			k, x := it.Element()
			key := ""
			if t := v.Type(); t.IsMapType() || t.IsObjectType() {
				key = k.AsString()
			}
			x = plant(typeOf(key, len(list)), x, secret, text)
			list, m[key] = append(list, x), x
		}
		return list, m
	}
	element := func(string, int) *model.Type { return t.Element }
	switch t.Kind {
	case model.String:
		if secret {
			return cty.StringVal(text)
		}
	case model.Dynamic:
		if secret {
			return cty.StringVal(text)
		}
	case model.List, model.Set:
		list, _ := each(element)
		if len(list) == 0 {
			return v
		}
		switch {
		case v.Type().IsTupleType():
			return cty.TupleVal(list)
		case t.Kind == model.Set:
			return cty.SetVal(list)
		}
		return cty.ListVal(list)
	case model.Tuple:
		list, _ := each(func(_ string, i int) *model.Type { return t.Tuple[i] })
		return cty.TupleVal(list)
	case model.Map:
		_, m := each(element)
		if v.Type().IsObjectType() {
			return cty.ObjectVal(m)
		}
		if len(m) == 0 {
			return v
		}
		return cty.MapVal(m)
	case model.Object:
		m := map[string]cty.Value{}
		for _, f := range t.Object.All {
			m[f.Name] = plant(f.Type, v.GetAttr(f.Name), secret || f.Secret(), text)
		}
		return cty.ObjectVal(m)
	}
	return v
}

// No secret value is in what is shown, whatever the schema.
func TestSecretsAreNeverShown(t *testing.T) {
	t.Parallel()
	planted := 0
	shown := func(t *rapid.T) {
		b := schematest.Block(t)
		r := resource(t, b, config.Resource{})
		before := plant(r.Root(), schematest.Value(t, b), false, "planted-before")
		after := plant(r.Root(), schematest.Value(t, b), false, "planted-after")
		for _, details := range translate.ConnectionDetails(r, before) {
			if strings.Contains(string(details), "planted") {
				planted++
				break
			}
		}
		out, err := json.Marshal([]any{
			translate.Observation(r, before),
			translate.Changes(r, before, after),
			translate.Changes(r, cty.NullVal(r.Root().Cty), after),
			translate.Changes(r, before, cty.NullVal(r.Root().Cty)),
			translate.ExternalName(r, before, cty.NilVal),
		})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(out), "planted") {
			t.Fatalf("%s", out)
		}
	}
	// Few of the schemas have secrets that are shown as connection details.
	for try := 0; try == 0 || planted == 0 && try < 50; try++ {
		rapid.Check(t, shown)
	}
	if planted == 0 {
		t.Error("no value ever held a secret")
	}
}
