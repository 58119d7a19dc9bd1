package translate

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

// Concealed returns the attributes at a state's sensitive paths that are not sensitive in the
// schema: they are sensitive because of the source of their values, and have no reference to a
// Secret. A path ends at the innermost attribute outside sets, or is a block.
func Concealed(r *model.Resource, sensitive []cty.Path) []cty.Path {
	var out []cty.Path
	for _, path := range sensitive {
		if len(path) == 0 {
			continue
		}
		end, secret := 0, false
		for i, step := range path {
			if x, ok := step.(cty.IndexStep); ok && !x.Key.Type().IsPrimitiveType() {
				break // elements of sets have no path
			}
			if a := r.Schema.Block.AttributeByPath(path[:i+1]); a != nil {
				end, secret = i+1, secret || a.Sensitive || a.WriteOnly
			}
		}
		if secret {
			continue
		}
		path = path[:max(end, 1)].Copy()
		if !slices.ContainsFunc(out, path.Equals) {
			out = append(out, path)
		}
	}
	return out
}

// withoutPaths returns v with null at the paths.
func withoutPaths(v cty.Value, paths []cty.Path) cty.Value {
	if len(paths) == 0 || !isObject(v) {
		return v
	}
	out, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if slices.ContainsFunc(paths, path.Equals) {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		return cty.NilVal // cannot happen, but must not show sensitive values
	}
	return out
}
