package evolutiontest

import (
	"maps"
	"slices"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/evolution"
)

// Value draws a value of a type. It prefers values that other types have as well, or nearly have.
func Value(t *rapid.T, n *evolution.Node) any {
	switch n.Form {
	case evolution.String:
		return rapid.SampledFrom([]string{"", "true", "false", "1", "01", "1.5", "1e3", "x", "-0", "ä"}).Draw(t, "string")
	case evolution.Number:
		return rapid.SampledFrom([]any{int64(0), int64(1), int64(-7), 1.5, 1e300, int64(1) << 62}).Draw(t, "number")
	case evolution.Bool:
		return rapid.Bool().Draw(t, "bool")
	case evolution.SecretRef:
		return map[string]any{"name": rapid.SampledFrom([]string{"a", "b"}).Draw(t, "secret"), "key": "k"}
	case evolution.List, evolution.Set:
		out := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "length") {
			v := Value(t, n.Element)
			if n.Form == evolution.List || !slices.ContainsFunc(out, func(x any) bool { return cmp.Equal(x, v) }) {
				out = append(out, v)
			}
		}
		return out
	case evolution.Map:
		out := map[string]any{}
		for range rapid.IntRange(0, 2).Draw(t, "length") {
			out[rapid.SampledFrom([]string{"a", "b", ""}).Draw(t, "key")] = Value(t, n.Element)
		}
		return out
	case evolution.Object:
		out := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(n.Fields)) {
			if rapid.IntRange(0, 3).Draw(t, "given") > 0 {
				out[name] = Value(t, n.Fields[name].Node)
			}
		}
		return out
	default:
		return rapid.SampledFrom([]any{nil, "x", true, int64(1), []any{"a"}, map[string]any{"a": int64(1)}}).Draw(t, "any")
	}
}
