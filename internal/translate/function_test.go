package translate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/translate"
	"github.com/landbridge-io/landbridge/schema"
)

func TestFunctionArguments(t *testing.T) {
	t.Parallel()
	f := &schema.Function{
		Parameters: []schema.Parameter{{Name: "name", Type: cty.String}, {Name: "tags", Type: cty.Map(cty.Number), AllowNull: true}},
		Variadic:   &schema.Parameter{Name: "more", Type: cty.DynamicPseudoType},
		Result:     cty.String,
	}
	fixed := &schema.Function{Parameters: f.Parameters[:1], Result: cty.String}
	object := &schema.Function{
		Parameters: []schema.Parameter{{
			Name: "of", Type: cty.Object(map[string]cty.Type{"name": cty.String, "any": cty.DynamicPseudoType}),
		}}, Result: cty.String,
	}
	text := cty.StringVal("x")
	for name, x := range map[string]struct {
		function *schema.Function
		in       []any
		want     []cty.Value
		err      string
	}{
		"all": {
			f, []any{"x", map[string]any{"a": int64(1), "b": 2.5}},
			[]cty.Value{
				text, cty.MapVal(map[string]cty.Value{"a": cty.NumberIntVal(1), "b": cty.NumberFloatVal(2.5)}),
			}, "",
		},
		"of any type": {
			f,
			[]any{"x", nil, []any{"a", int64(1)}, true},
			[]cty.Value{text, cty.NullVal(cty.Map(cty.Number)), cty.TupleVal([]cty.Value{cty.StringVal("a"), cty.NumberIntVal(1)}), cty.True}, "",
		},
		"large integer": {
			f, []any{"x", map[string]any{"a": int64(1<<62 + 1)}},
			[]cty.Value{text, cty.MapVal(map[string]cty.Value{"a": cty.NumberIntVal(1<<62 + 1)})}, "",
		},
		"too few":  {f, []any{"x"}, nil, "it takes 2 arguments, not 1"},
		"too many": {fixed, []any{"x", "y"}, nil, "it takes 1 arguments, not 2"},
		"null":     {fixed, []any{nil}, nil, "argument 1 (name): it must not be null"},
		"of another type": {
			f, []any{"x", "y"}, nil,
			"argument 2 (tags): it must be of the type map of number: map of number required, but have string",
		},
		"any type in an object": {
			object, []any{map[string]any{"name": "x", "any": []any{"a", true}}},
			[]cty.Value{cty.ObjectVal(map[string]cty.Value{"name": text, "any": cty.TupleVal([]cty.Value{cty.StringVal("a"), cty.True})})}, "",
		},
		"a missing attribute": {
			object, []any{map[string]any{"name": "x"}}, nil,
			`argument 1 (of): it must be of the type object: attribute "any" is required`,
		},
		"converted number": {fixed, []any{int64(1)}, []cty.Value{cty.StringVal("1")}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := translate.FunctionArguments(x.function, x.in)
			if x.err != "" {
				if err == nil || err.Error() != x.err {
					t.Errorf("got %v, want %s", err, x.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(x.want, got, cmp.Comparer(cty.Value.RawEquals)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestFunctionResult(t *testing.T) {
	t.Parallel()
	got, err := translate.FunctionResult(cty.ObjectVal(map[string]cty.Value{
		"name": cty.StringVal("x"), "port": cty.NumberIntVal(1<<62 + 1), "share": cty.NumberFloatVal(0.5),
		"list": cty.SetVal([]cty.Value{cty.StringVal("a")}), "none": cty.NullVal(cty.String),
	}))
	want := map[string]any{"name": "x", "port": int64(1<<62 + 1), "share": 0.5, "list": []any{"a"}, "none": nil}
	if diff := cmp.Diff(any(want), got); err != nil || diff != "" {
		t.Errorf("%v\n-want +got:\n%s", err, diff)
	}
}
