package expression_test

import (
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/expression"
)

func TestTransform(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		expression string
		self, want any
		err        string // its begin
	}{
		"part of a string":               {expression: "self.split('/')[3]", self: "a/b/c/d", want: "d"},
		"text around a number":           {expression: "'port-' + string(self)", self: int64(8080), want: "port-8080"},
		"string to an integer":           {expression: "int(self) + 1", self: "41", want: int64(42)},
		"large integer":                  {expression: "self", self: int64(1<<62 + 1), want: int64(1<<62 + 1)},
		"unsigned integer":               {expression: "uint(self)", self: int64(7), want: int64(7)},
		"unsigned integer, too large":    {expression: "18446744073709551615u", self: "", err: "the number 18446744073709551615 is too large"},
		"decimal":                        {expression: "self / 2.0", self: 3.0, want: 1.5},
		"no number":                      {expression: "self / 0.0", self: 3.0, err: "the result is +Inf"},
		"comparison":                     {expression: "self > 2", self: int64(3), want: true},
		"list of objects":                {expression: "self.map(x, x.id)", self: []any{map[string]any{"id": "a"}, map[string]any{"id": "b"}}, want: []any{"a", "b"}},
		"map":                            {expression: "{'id': self, 'more': [1, null]}", self: "x", want: map[string]any{"id": "x", "more": []any{int64(1), nil}}},
		"map with keys of another type":  {expression: "{1: self}", self: "x", err: "a key of the result is of type int"},
		"no value":                       {expression: "self == '' ? null : self", self: ""},
		"optional without a value":       {expression: "self[?'a'].orValue('none')", self: map[string]any{}, want: "none"},
		"index out of bounds":            {expression: "self.split('/')[3]", self: "a", err: "index out of bounds: 3"},
		"field that is not there":        {expression: "self.a", self: map[string]any{}, err: "no such key: a"},
		"operator of another type":       {expression: "self + 1", self: "x", err: "no such overload"},
		"syntax":                         {expression: "self.", self: "x", err: "ERROR: <input>:1:6: Syntax error"},
		"other variable":                 {expression: "other", self: "x", err: "ERROR: <input>:1:1: undeclared reference to 'other'"},
		"unknown function":               {expression: "self.cut('x')", self: "x", err: "ERROR: <input>:1:9: undeclared reference to 'cut'"},
		"result of a type without field": {expression: "duration(self)", self: "1h", err: "the result is of type google.protobuf.Duration"},
		"value of a type without field":  {expression: "dyn(duration(self))", self: "1h", err: "the result is of type google.protobuf.Duration"},
		"expensive": {
			expression: "self.all(a, self.all(b, self.all(c, self.all(d, a + b + c + d > 0))))", self: numbers(100), err: "operation cancelled: actual cost limit exceeded",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // the second time from the cache
				var got any
				transform, err := expression.NewTransform(x.expression, cel.DynType)
				if err == nil {
					got, err = transform.Of(t.Context(), x.self)
				}
				switch {
				case x.err != "" && (err == nil || !strings.HasPrefix(err.Error(), x.err) || strings.Contains(err.Error(), "\n")):
					t.Errorf("got %v, %v, want an error of one line that begins with %q", got, err, x.err)
				case x.err == "" && err != nil:
					t.Error(err)
				case x.err == "":
					if diff := cmp.Diff(x.want, got); diff != "" {
						t.Errorf("-want +got:\n%s", diff)
					}
				}
			}
		})
	}
}

func TestTransformTypes(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		expression string
		self       *cel.Type
		want       string // type, or the begin of the error
	}{
		"part of a string":      {"self.split('/')[3]", cel.StringType, "string"},
		"parts of a string":     {"self.split('/')", cel.StringType, "list(string)"},
		"function of another":   {"self.split('/')", cel.IntType, "ERROR: <input>:1:11: found no matching overload for 'split' applied to 'int.(string)'"},
		"operator of another":   {"self + 1", cel.StringType, "ERROR: <input>:1:6: found no matching overload for '_+_' applied to '(string, int)'"},
		"the same for integers": {"self + 1", cel.IntType, "int"},
		"unknown type":          {"self + 1", cel.DynType, "int"},
		"unknown result":        {"self", cel.DynType, "dyn"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got string
			transform, err := expression.NewTransform(x.expression, x.self)
			if err != nil {
				got = err.Error()
			} else {
				got = transform.Result.String()
			}
			if !strings.HasPrefix(got, x.want) {
				t.Errorf("got %s, want %s", got, x.want)
			}
		})
	}
}

func numbers(n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = int64(i + 1)
	}
	return out
}
