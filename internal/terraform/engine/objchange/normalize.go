package objchange

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// NormalizeObjectFromLegacySDK replaces null and unknown collections of nested blocks in the
// answer of a provider of the legacy SDK: null becomes an empty collection, and unknown one
// block with unknown values (contract § 3.6). Any other value is returned as it is.
func NormalizeObjectFromLegacySDK(v cty.Value, b *schema.Block) cty.Value {
	if v == cty.NilVal || v.IsNull() || len(b.Blocks) == 0 || v.Type().HasDynamicTypes() {
		return v
	}
	if !v.IsKnown() {
		return unknownBlock(b)
	}
	values, changed := v.AsValueMap(), false
	for name, n := range b.Blocks {
		was := values[name]
		if n.ImpliedType().HasDynamicTypes() {
			continue
		}
		values[name] = normalizeBlocks(was, n)
		changed = changed || !values[name].RawEquals(was)
	}
	if !changed {
		return v
	}
	return cty.ObjectVal(values)
}

func normalizeBlocks(v cty.Value, n *schema.NestedBlock) cty.Value {
	if n.Nesting == schema.NestingSingle || n.Nesting == schema.NestingGroup {
		if v.IsNull() && n.Nesting == schema.NestingGroup {
			return n.EmptyValue()
		}
		return NormalizeObjectFromLegacySDK(v, n.Block)
	}
	switch {
	case v.IsNull():
		return n.EmptyValue()
	case !v.IsKnown():
		if n.Nesting == schema.NestingMap {
			return v // the label is unknown
		}
		return collection(n, []cty.Value{unknownBlock(n.Block)})
	case v.LengthInt() == 0:
		return v
	}
	if n.Nesting == schema.NestingMap {
		values := v.AsValueMap()
		for key, e := range values {
			values[key] = normalizeElement(e, n.Block)
		}
		return cty.MapVal(values)
	}
	values := v.AsValueSlice()
	for i, e := range values {
		values[i] = normalizeElement(e, n.Block)
	}
	return collection(n, values)
}

func normalizeElement(v cty.Value, b *schema.Block) cty.Value {
	if !v.IsKnown() {
		return unknownBlock(b)
	}
	return NormalizeObjectFromLegacySDK(v, b)
}

func collection(n *schema.NestedBlock, values []cty.Value) cty.Value {
	if n.Nesting == schema.NestingSet {
		return cty.SetVal(values)
	}
	return cty.ListVal(values)
}

// unknownBlock returns a block whose attributes are unknown, also in its nested blocks.
func unknownBlock(b *schema.Block) cty.Value {
	values := make(map[string]cty.Value, len(b.Attributes)+len(b.Blocks))
	for name, a := range b.Attributes {
		values[name] = cty.UnknownVal(a.ImpliedType())
	}
	for name, n := range b.Blocks {
		switch {
		case n.Nesting == schema.NestingSingle || n.Nesting == schema.NestingGroup:
			values[name] = unknownBlock(n.Block)
		case n.Nesting == schema.NestingMap:
			values[name] = n.EmptyValue()
		default:
			values[name] = collection(n, []cty.Value{unknownBlock(n.Block)})
		}
	}
	return cty.ObjectVal(values)
}
