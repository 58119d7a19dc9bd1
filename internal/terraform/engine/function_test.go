package engine_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/utils/ptr"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/schema"
)

func TestCallFunction(t *testing.T) {
	parts := cty.Object(map[string]cty.Type{"kind": cty.String, "number": cty.Number})
	signatures := map[string]*schema.Function{
		"parse": {Parameters: []schema.Parameter{{Name: "id", Type: cty.String}}, Result: parts},
		"label": {Variadic: &schema.Parameter{Name: "part", Type: cty.String}, Result: cty.String},
		"any":   {Parameters: []schema.Parameter{{Name: "value", Type: cty.DynamicPseudoType, AllowNull: true}}, Result: cty.DynamicPseudoType},
	}
	value := func(v cty.Value, of cty.Type) *tfprotov6.CallFunctionResponse {
		return &tfprotov6.CallFunctionResponse{Result: enc(t, v, of)}
	}
	parsed := cty.ObjectVal(map[string]cty.Value{"kind": str("server"), "number": cty.NumberIntVal(1)})
	for name, test := range map[string]struct {
		function  string
		arguments []cty.Value
		answer    *tfprotov6.CallFunctionResponse
		err       error
		want      cty.Value
		failure   string
	}{
		"object": {function: "parse", arguments: []cty.Value{str("server/1")}, answer: value(parsed, parts), want: parsed},
		"further arguments": {
			function: "label", arguments: []cty.Value{str("a"), str("b")}, answer: value(str("a-b"), cty.String),
			want: str("a-b"),
		},
		"any type": {function: "any", arguments: []cty.Value{cty.True}, answer: value(cty.True, cty.DynamicPseudoType), want: cty.True},
		"null": {
			function: "any", arguments: []cty.Value{cty.NullVal(cty.String)},
			answer: value(cty.NullVal(cty.String), cty.DynamicPseudoType), want: cty.NullVal(cty.String),
		},
		"no answer is null": {function: "label", answer: &tfprotov6.CallFunctionResponse{}, want: cty.NullVal(cty.String)},
		"unknown function":  {function: "other", failure: "The provider has no function other."},
		"too many arguments": {
			function: "parse", arguments: []cty.Value{str("a"), str("b")},
			failure: `Call to function "parse" failed: It takes 1 arguments.`,
		},
		"argument of another type": {
			function: "parse", arguments: []cty.Value{cty.EmptyObjectVal},
			failure: `Call to function "parse" failed: Argument id`,
		},
		"error": {
			function: "parse", arguments: []cty.Value{str("x")},
			answer:  &tfprotov6.CallFunctionResponse{Error: &tfprotov6.FunctionError{Text: "no id"}},
			failure: `Call to function "parse" failed: no id`,
		},
		"error of an argument": {
			function: "parse", arguments: []cty.Value{str("x")},
			answer:  &tfprotov6.CallFunctionResponse{Error: &tfprotov6.FunctionError{Text: "no id", FunctionArgument: ptr.To[int64](0)}},
			failure: `Call to function "parse" failed: Argument 1 (id): no id`,
		},
		"result of another type": {
			function: "parse", arguments: []cty.Value{str("x")}, answer: value(str("x"), cty.String),
			failure: "Provider returned invalid result from function",
		},
		"unknown result": {
			function: "label", answer: value(cty.UnknownVal(cty.String), cty.String),
			failure: "Provider returned invalid result from function",
		},
		"not implemented": {function: "label", err: provider.ErrUnimplemented, failure: "Unsupported plugin method"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, thing())
			f.Provider.Signatures = signatures
			f.Function = func(r *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
				if r.Name != test.function || len(r.Arguments) != len(test.arguments) {
					t.Errorf("%s was called with %d arguments", r.Name, len(r.Arguments))
				}
				return test.answer, test.err
			}
			got, diags := f.engine.CallFunction(t.Context(), test.function, test.arguments)
			switch {
			case test.failure != "" && !strings.Contains(diags.String(), test.failure):
				t.Errorf("got %s, %#v; want %s", diags, got, test.failure)
			case test.failure == "" && (diags.HasErrors() || !got.RawEquals(test.want)):
				t.Errorf("got %s, %#v; want %#v", diags, got, test.want)
			}
		})
	}
}
