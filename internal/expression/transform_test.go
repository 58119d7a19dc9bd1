package expression_test

import (
	"encoding/json"
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
		"part of a string":            {expression: "self.split('/')[3]", self: "a/b/c/d", want: "d"},
		"text around a number":        {expression: "'port-' + string(self)", self: int64(8080), want: "port-8080"},
		"string to an integer":        {expression: "int(self) + 1", self: "41", want: int64(42)},
		"large integer":               {expression: "self", self: int64(1<<62 + 1), want: int64(1<<62 + 1)},
		"unsigned integer":            {expression: "uint(self)", self: int64(7), want: int64(7)},
		"unsigned integer, too large": {expression: "18446744073709551615u", self: "", err: "the number 18446744073709551615 is too large"},
		"decimal":                     {expression: "self / 2.0", self: 3.0, want: 1.5},
		"no number":                   {expression: "self / 0.0", self: 3.0, err: "the result is +Inf"},
		"comparison":                  {expression: "self > 2", self: int64(3), want: true},
		"map": {
			expression: "{'id': self, 'more': [1, null]}", self: "x", want: map[string]any{
				"id": "x", "more": []any{int64(1), nil},
			},
		},
		"map with keys of another type":  {expression: "{1: self}", self: "x", err: "a key of the result is of type int"},
		"no value":                       {expression: "self == '' ? null : self", self: ""},
		"index out of bounds":            {expression: "self.split('/')[3]", self: "a", err: "index out of bounds: 3"},
		"field that is not there":        {expression: "self.a", self: map[string]any{}, err: "no such key: a"},
		"operator of another type":       {expression: "self + 1", self: "x", err: "no such overload"},
		"syntax":                         {expression: "self.", self: "x", err: "ERROR: <input>:1:6: Syntax error"},
		"other variable":                 {expression: "other", self: "x", err: "ERROR: <input>:1:1: undeclared reference to 'other'"},
		"unknown function":               {expression: "self.cut('x')", self: "x", err: "ERROR: <input>:1:9: undeclared reference to 'cut'"},
		"result of a type without field": {expression: "duration(self)", self: "1h", err: "the result is of type google.protobuf.Duration"},
		"value of a type without field":  {expression: "dyn(duration(self))", self: "1h", err: "the result is of type google.protobuf.Duration"},
		"field that is there or not":     {expression: "has(self.a) ? self.a : 'none'", self: map[string]any{}, want: "none"},
		"loop":                           {expression: "self.map(x, x)", self: []any{}, err: "ERROR: <input>:1:"},
		"variable":                       {expression: "optional.of(self).optMap(x, x + x)", self: []any{}, err: "ERROR: <input>:1:"},
		"regular expression": {
			expression: "self.matches('a')", self: "a", err: "ERROR: <input>:1:13: undeclared reference to 'matches'",
		},
		"too long":               {expression: "self" + strings.Repeat(" ", 1021), self: "a", err: "it has 1025 bytes, more than 1024"},
		"replacement":            {expression: "self.replace('a', 'bb')", self: "banana", want: "bbbnbbnbb"},
		"replacement, too large": {expression: "self.replace('', self)", self: strings.Repeat("a", 2000), err: "the result is too large"},
		"replacements, too large": {
			expression: "self" + strings.Repeat(".replace('a', 'aaaaaaaaaaaaaaaaaaaa')", 8), self: "a",
			err: "the result is too large",
		},
		"join of large parts": {
			expression: "(self + self).join(self[0])", self: []any{strings.Repeat("a", 300_000)},
			want: strings.Repeat("a", 900_000),
		},
		"join, too large": {
			expression: "(self + self + self).join(self[0])", self: []any{strings.Repeat("a", 300_000)},
			err: "the result is too large",
		},
		"split into too many": {expression: "self.split('')", self: strings.Repeat("a", 10_000), err: "the result is too large"},
		"result, too large":   {expression: "[self, self, self]", self: strings.Repeat("a", 400_000), err: "the result is too large"},
		"list, too large":     {expression: "self + self", self: make([]any, 40_000), err: "the result is too large"},
		"letters": {
			expression: "[self.lowerAscii(), self.upperAscii(), self.trim()]", self: " aÄZ ", want: []any{
				" aÄz ", " AÄZ ", "aÄZ",
			},
		},
		"positions": {
			expression: "[self.indexOf('b'), self.lastIndexOf('b'), self.indexOf('x')]", self: "äbüb", want: []any{
				int64(1), int64(3), int64(-1),
			},
		},
		"parts by positions": {
			expression: "[self.substring(2), self.substring(1, 2), self.substring(4)]", self: "äbüb",
			want: []any{"üb", "b", ""},
		},
		"part out of range":        {expression: "self.substring(3, 2)", self: "äbüb", err: "index out of range: 3 to 2 of 4 characters"},
		"join of numbers":          {expression: "self.join(',')", self: []any{int64(1)}, err: "no such overload: join(list, string)"},
		"argument of another type": {expression: "self.split(dyn(1))", self: "a", err: "no such overload"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 2 { // the second time from the cache
				var got any
				transform, err := expression.NewTransform(x.expression, cel.DynType, nil)
				if err == nil {
					got, err = transform.Of(t.Context(), x.self, nil)
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
		"part of a string":  {"self.split('/')[3]", cel.StringType, "string"},
		"parts of a string": {"self.split('/')", cel.StringType, "list(string)"},
		"function of another": {
			"self.split('/')", cel.IntType,
			"ERROR: <input>:1:11: found no matching overload for 'split' applied to 'int.(string)'",
		},
		"operator of another": {
			"self + 1", cel.StringType,
			"ERROR: <input>:1:6: found no matching overload for '_+_' applied to '(string, int)'",
		},
		"the same for integers": {"self + 1", cel.IntType, "int"},
		"unknown type":          {"self + 1", cel.DynType, "int"},
		"unknown result":        {"self", cel.DynType, "dyn"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got string
			transform, err := expression.NewTransform(x.expression, x.self, nil)
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

// FuzzTransform compiles and evaluates what users may write: results have a bound, whatever the
// expression is.
func FuzzTransform(f *testing.F) {
	for _, seed := range []string{
		"self.split('/')[3]", "self.replace('', self).replace('a', self)", "[self, self] + [self]", "{self: {'a': 1.5}}", "self.substring(1, 2)",
		"has(self.a)", "self.map(x, x)", "timestamp(self).getFullYear()", "bytes(self)", "dyn(self) + 1",
		"self[0] in [self]", "type(self)", "self.join(self)",
	} {
		f.Add(seed, "a/b/c/d")
	}
	f.Fuzz(func(t *testing.T, text, self string) {
		transform, err := expression.NewTransform(text, cel.DynType, nil)
		if err != nil {
			return
		}
		for _, v := range []any{self, []any{self, self}, map[string]any{"a": self}} {
			out, err := transform.Of(t.Context(), v, nil)
			if err != nil {
				continue
			}
			encoded, err := json.Marshal(out)
			if err != nil {
				t.Fatalf("%q of %q is %v: %s", text, v, out, err)
			}
			if len(encoded) > 8<<20 {
				t.Fatalf("%q of %q has %d bytes", text, v, len(encoded))
			}
		}
	})
}
