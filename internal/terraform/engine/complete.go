package engine

import (
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// complete reports whether the answer to a create shows that the provider has read the object that
// it made. It does not if it has a warning that the plan did not have, or no value at all where the
// plan left values to the provider (contract § 3.7).
func complete(p terraform.Plan, state cty.Value, answered diagnostic.Diagnostics) bool {
	for _, d := range answered.Warnings() {
		same := func(other diagnostic.Diagnostic) bool { return other.Summary == d.Summary && other.Detail == d.Detail }
		if !slices.ContainsFunc(slices.Concat(p.Validation, p.Warnings), same) {
			return false
		}
	}
	left, given := 0, 0
	_ = cty.Walk(p.State, func(path cty.Path, planned cty.Value) (bool, error) {
		switch {
		case planned.IsKnown():
			// Elements of sets have no paths by which they are found in the answer.
			return !planned.IsNull() && !planned.Type().IsSetType(), nil
		case len(path) == 0:
			return false, nil
		}
		left++
		if v, err := path.Apply(state); err != nil || !v.IsNull() {
			given++
		}
		return false, nil
	})
	return left == 0 || given > 0
}
