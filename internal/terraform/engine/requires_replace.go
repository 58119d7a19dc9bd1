package engine

import (
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
)

// requiresReplace returns those of the provider's paths that force a replacement, because the
// value changes, may change, or is write-only (contract § 3.4), each once. A path that does not
// exist is an error.
func (c *call) requiresReplace(paths []*tftypes.AttributePath, prior, planned cty.Value) ([]cty.Path, diagnostic.Diagnostics) {
	if prior.IsNull() {
		return nil, nil
	}
	var out []cty.Path
	var diags diagnostic.Diagnostics
	for _, p := range paths {
		path := diagnostic.PathFromProtocol(p)
		if slices.ContainsFunc(out, path.Equals) {
			continue
		}
		before, errBefore := path.Apply(prior)
		after, errAfter := path.Apply(planned)
		if errBefore != nil && errAfter != nil {
			diags = append(diags, diagnostic.AttributeErrorf(path, "Provider produced invalid plan",
				"The provider has indicated \"requires replacement\" on %s for a non-existent attribute path. %s", c.schema.Type, providerBug)...)
			continue
		}
		// Core compares what does not exist as unknown, also with null.
		missing := errBefore != nil || errAfter != nil
		if a := c.schema.Block.AttributeByPath(path); a != nil && a.WriteOnly || missing || changes(before, after) {
			out = append(out, path)
		}
	}
	return out, diags
}

// changes reports whether a value differs, or may differ once it is known.
func changes(before, after cty.Value) bool {
	if before.IsNull() && after.IsNull() {
		return false
	}
	if !before.IsKnown() || !after.IsKnown() {
		return true
	}
	if before.IsNull() != after.IsNull() {
		return true
	}
	eq := before.Equals(after)
	return !eq.IsKnown() || eq.False()
}
