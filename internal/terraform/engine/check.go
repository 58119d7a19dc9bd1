package engine

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

const providerBug = "This is a bug in the provider, which should be reported in the provider's own issue tracker."

// checkWhollyKnown returns one error per unknown value in v.
func (c *call) checkWhollyKnown(v cty.Value, summary, what string) diagnostic.Diagnostics {
	var diags diagnostic.Diagnostics
	for _, path := range unknownPaths(c.schema.Block, v) {
		diags = append(diags, diagnostic.AttributeErrorf(path, summary,
			"%s has an unknown value for this attribute. All of it must be known. %s", what, providerBug)...)
	}
	return diags
}

func unknownPaths(b *schema.Block, v cty.Value) []cty.Path {
	if v == cty.NilVal || v.IsWhollyKnown() {
		return nil
	}
	var out []cty.Path
	_ = cty.Walk(v, func(path cty.Path, v cty.Value) (bool, error) {
		if !v.IsKnown() {
			out = append(out, publicPath(b, path))
		}
		return v.IsKnown(), nil
	})
	return out
}

// publicPath cuts a path where the rest may contain a secret: before an element of a set,
// whose key is its value, and after a sensitive attribute, whose keys may be secret.
func publicPath(b *schema.Block, path cty.Path) cty.Path {
	for i, step := range path {
		switch step := step.(type) {
		case cty.IndexStep:
			if !isKey(step.Key) {
				return path[:i].Copy()
			}
		case cty.GetAttrStep:
			if a := b.AttributeByPath(path[:i+1]); a != nil && a.Sensitive {
				return path[:i+1].Copy()
			}
		}
	}
	return path.Copy()
}

func isKey(v cty.Value) bool {
	return v.IsKnown() && !v.IsNull() && (v.Type() == cty.String || v.Type() == cty.Number)
}

// checkWriteOnly returns one error per write-only attribute that is not null in v.
func (c *call) checkWriteOnly(v cty.Value, summary, what string) diagnostic.Diagnostics {
	if !c.hasWriteOnly {
		return nil
	}
	var diags diagnostic.Diagnostics
	for _, path := range writeOnlyPaths(c.schema.Block, v) {
		diags = append(diags, diagnostic.AttributeErrorf(path, summary,
			"%s has a value for this write-only attribute, where only null is allowed. %s", what, providerBug)...)
	}
	return diags
}

// writeOnlyPaths returns the paths of write-only attributes that are not null.
func writeOnlyPaths(b *schema.Block, v cty.Value) []cty.Path {
	if v == cty.NilVal || v.IsNull() || !v.IsKnown() {
		return nil
	}
	var out []cty.Path
	_ = cty.Walk(v, func(path cty.Path, v cty.Value) (bool, error) {
		if v.IsNull() {
			return false, nil
		}
		if a := b.AttributeByPath(path); a != nil {
			if a.WriteOnly {
				out = append(out, publicPath(b, path))
				return false, nil
			}
			return a.Nested != nil && v.IsKnown(), nil
		}
		return v.IsKnown(), nil
	})
	return out
}

// withoutWriteOnly returns v with null for every write-only attribute.
func withoutWriteOnly(b *schema.Block, v cty.Value) cty.Value {
	out, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if a := b.AttributeByPath(path); a != nil && a.WriteOnly && !v.IsNull() {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		return v
	}
	return out
}

func hasWriteOnly(b *schema.Block) bool {
	for _, a := range b.Attributes {
		if attributeHasWriteOnly(a) {
			return true
		}
	}
	for _, n := range b.Blocks {
		if hasWriteOnly(n.Block) {
			return true
		}
	}
	return false
}

func attributeHasWriteOnly(a *schema.Attribute) bool {
	if a.WriteOnly {
		return true
	}
	if a.Nested != nil {
		for _, x := range a.Nested.Attributes {
			if attributeHasWriteOnly(x) {
				return true
			}
		}
	}
	return false
}

// provenModern reports whether a schema has types that the legacy SDK cannot express, so that
// its values need no normalization.
func provenModern(b *schema.Block) bool {
	for _, a := range b.Attributes {
		if a.Nested != nil || a.Type.IsTupleType() || a.Type.IsObjectType() || a.Type.IsMapType() && a.Type.ElementType().IsObjectType() {
			return true
		}
	}
	for _, n := range b.Blocks {
		if n.Computed || provenModern(n.Block) {
			return true
		}
	}
	return false
}

// deferred returns the error for a deferred answer (contract § 3.12).
func (c *call) deferred(d *tfprotov6.Deferred) diagnostic.Diagnostics {
	reason := terraform.DeferredUnknown
	switch d.Reason {
	case tfprotov6.DeferredReasonResourceConfigUnknown:
		reason = terraform.DeferredResourceConfigUnknown
	case tfprotov6.DeferredReasonProviderConfigUnknown:
		reason = terraform.DeferredProviderConfigUnknown
	case tfprotov6.DeferredReasonAbsentPrereq:
		reason = terraform.DeferredAbsentPrereq
	}
	return terraform.DeferredError(c.schema.Type, reason)
}
