package expression_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/cel-go/cel"
	"github.com/google/go-cmp/cmp"

	"github.com/landbridge-io/landbridge/internal/expression"
)

// A function may have the name of a macro, a function or a keyword of CEL's.
func TestFunctionNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"all", "exists", "exists_one", "existsOne", "filter", "map", "has", "size", "contains", "string", "in",
		"type", "dyn", "namespace", "timestamp",
		"duration", "getFullYear", "startsWith", "split", "join", "matches", "transformList", "optMap", "bind",
		"null", "true", "as", "for", "self", "provider",
	} {
		for n := range 4 {
			f := expression.Function{Result: cel.DynType}
			for range n {
				f.Parameters = append(f.Parameters, cel.DynType)
			}
			call := func(_ context.Context, called string, arguments []any) (any, error) {
				return fmt.Sprint(called, len(arguments)), nil
			}
			functions, written := expression.NewFunctions(map[string]expression.Function{name: f}), name
			if name == "in" || name == "null" || name == "true" {
				written += "_"
			}
			for text, want := range map[string]any{
				"self": "x", "provider." + written + "(" + strings.TrimSuffix(strings.Repeat("self, ", n), ", ") + ")": fmt.Sprint(name, n),
				"size(self)": int64(1), "'x' in [self]": true,
			} {
				var got any
				transform, err := expression.NewTransform(text, cel.StringType, functions)
				if err == nil {
					got, err = transform.Of(t.Context(), "x", call)
				}
				if err != nil || got != want {
					t.Errorf("%s with %d parameters, %s: %v, %v", name, n, text, got, err)
				}
			}
		}
	}
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	functions := expression.NewFunctions(map[string]expression.Function{
		"parse":  {Parameters: []*cel.Type{cel.StringType}, Result: cel.MapType(cel.StringType, cel.DynType)},
		"concat": {Parameters: []*cel.Type{cel.StringType}, Variadic: cel.StringType, Result: cel.StringType},
		"split":  {Result: cel.ListType(cel.StringType)}, // a function of CEL has the same name
		"any":    {Parameters: []*cel.Type{cel.DynType}, Result: cel.DynType},
		"fail":   {Result: cel.StringType},
	})
	call := func(_ context.Context, name string, arguments []any) (any, error) {
		switch name {
		case "parse":
			kind, id, _ := strings.Cut(arguments[0].(string), "/")
			return map[string]any{"kind": kind, "id": id, "length": int64(len(id))}, nil
		case "concat":
			return fmt.Sprint(arguments...), nil
		case "split":
			return []any{"a", "b"}, nil
		case "any":
			return arguments[0], nil
		}
		return nil, errors.New("no such thing")
	}
	for name, x := range map[string]struct {
		expression string
		want       any
		err        string // its begin
	}{
		"object":                    {expression: "provider.parse(self).id", want: "1"},
		"number of an object":       {expression: "provider.parse(self).length + 1", want: int64(2)},
		"in another call":           {expression: "provider.concat(provider.parse(self).kind, '-', 'x')", want: "server-x"},
		"without further arguments": {expression: "provider.concat(self)", want: "server/1"},
		"of the name of CEL's":      {expression: "provider.split()[1] + self.split('/')[0]", want: "bserver"},
		"null":                      {expression: "provider.any(null)", want: nil},
		"list":                      {expression: "provider.any([self, 1, 2.5, true])", want: []any{"server/1", int64(1), 2.5, true}},
		"fails":                     {expression: "provider.fail()", err: "provider.fail: no such thing"},
		"unknown":                   {expression: "provider.other(self)", err: "ERROR: <input>:1:15: undeclared reference to 'provider.other'"},
		"argument of another type": {
			expression: "provider.parse(1)", err: "ERROR: <input>:1:15: found no matching overload for " +
				"'provider.parse'",
		},
		"too few arguments": {
			expression: "provider.concat()", err: "ERROR: <input>:1:16: found no matching overload for " +
				"'provider.concat'",
		},
		"too many arguments": {
			expression: "provider.concat(" + strings.Repeat("self, ", 9) + "self)",
			err:        "ERROR: <input>:1:16: found no matching overload for 'provider.concat'",
		},
		"the provider alone":          {expression: "provider", err: "the result is of type provider"},
		"the provider as an argument": {expression: "provider.any(provider)", err: "the result is of type provider"},
		"too large an argument": {
			expression: "provider.any([self, " + strings.Repeat("self+", 20) + "self].join('').replace('s', '" +
				strings.Repeat("x", 400) + "').replace('x', '" + strings.Repeat("y", 400) + "'))",
			err: "the result is too large",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got any
			transform, err := expression.NewTransform(x.expression, cel.StringType, functions)
			if err == nil {
				got, err = transform.Of(t.Context(), "server/1", call)
			}
			switch {
			case x.err != "" && (err == nil || !strings.HasPrefix(err.Error(), x.err)):
				t.Errorf("got %v, %v, want an error that begins with %q", got, err, x.err)
			case x.err == "" && err != nil:
				t.Error(err)
			case x.err == "":
				if diff := cmp.Diff(x.want, got); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
			}
		})
	}
	t.Run("nothing calls", func(t *testing.T) {
		t.Parallel()
		transform, err := expression.NewTransform("provider.split()", cel.StringType, functions)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = transform.Of(t.Context(), "", nil); err == nil || err.Error() != "provider.split cannot be called here" {
			t.Errorf("got %v", err)
		}
	})
	t.Run("without functions", func(t *testing.T) {
		t.Parallel()
		_, err := expression.NewTransform("provider.split()", cel.StringType, nil)
		if err == nil || !strings.Contains(err.Error(), "undeclared reference to 'provider'") {
			t.Errorf("got %v", err)
		}
	})
}
