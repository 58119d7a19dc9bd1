package translate

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
)

// Observation returns a state as in status.atProvider. Secret values at any depth, values at
// concealed paths, nulls and absent blocks are left out. It returns nil for a null state.
func Observation(r *model.Resource, state cty.Value, concealed ...cty.Path) map[string]any {
	if observe := r.Settings.Functions.Observe; observe != nil && isObject(state) {
		state, _ = state.UnmarkDeep()
		state = observe(state)
		if errs := state.Type().TestConformance(r.Root().Cty); len(errs) > 0 {
			panic(fmt.Sprintf("%s: what the function Observe makes of an object is no such object: %s", r.Type, errs[0]))
		}
	}
	if state = withoutPaths(state, concealed); !isObject(state) {
		return nil
	}
	return encoder{}.object(r.Root(), state)
}

func isObject(v cty.Value) bool {
	return v != cty.NilVal && v.IsKnown() && !v.IsNull() && v.Type().IsObjectType()
}
