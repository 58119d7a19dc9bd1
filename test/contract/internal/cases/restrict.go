package cases

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// restrict removes from a schema what providers of a style cannot have.
func restrict(b *schema.Block, style Style) {
	if style == Hand || style == HandNoPlan {
		return
	}
	restrictAttributes(b.Attributes, style)
	for name, n := range b.Blocks {
		switch n.Nesting {
		case schema.NestingList, schema.NestingSet:
		case schema.NestingSingle:
			if style == SDK {
				delete(b.Blocks, name)
				continue
			}
		default:
			delete(b.Blocks, name)
			continue
		}
		restrict(n.Block, style)
		if style == SDK {
			// The SDK's blocks are configured or not; what is computed inside comes with them.
			for inside, a := range n.Attributes {
				if a.WriteOnly || inside == "id" {
					delete(n.Attributes, inside)
				}
			}
		}
	}
}

func restrictAttributes(attributes map[string]*schema.Attribute, style Style) {
	for name, a := range attributes {
		switch {
		case a.Nested != nil && style != Framework6:
			delete(attributes, name)
		case a.Nested != nil:
			// What is computed inside of something write-only, and the reverse, the framework
			// refuses.
			if a.WriteOnly || hasMarkedWriteOnly(a.Nested.Attributes) {
				delete(attributes, name)
				continue
			}
			restrictAttributes(a.Nested.Attributes, style)
		case !isExpressible(a.Type, style, true), a.WriteOnly && (a.Type.IsSetType() || style == SDK && !a.Type.IsPrimitiveType()):
			delete(attributes, name)
		}
	}
}

func hasMarkedWriteOnly(attributes map[string]*schema.Attribute) bool {
	for _, a := range attributes {
		if a.WriteOnly || a.Nested != nil && hasMarkedWriteOnly(a.Nested.Attributes) {
			return true
		}
	}
	return false
}

// isExpressible reports whether a style has attributes of a type.
func isExpressible(t cty.Type, style Style, top bool) bool {
	switch {
	case t.IsPrimitiveType():
		return true
	case t.IsTupleType(), t == cty.DynamicPseudoType:
		return false
	case t.IsCollectionType():
		return (style != SDK || top && t.ElementType().IsPrimitiveType()) && isExpressible(t.ElementType(), style, false)
	default:
		for _, x := range t.AttributeTypes() {
			if !isExpressible(x, style, false) {
				return false
			}
		}
		return style != SDK
	}
}

// withoutClashingKeys returns a configuration without keys of maps that have another key and a dot
// before them. The legacy SDK reads the elements of maps by such paths: with the keys "a" and "a.b"
// it panics, except in maps of texts. That ends a provider's process, and here all cases of a run.
func withoutClashingKeys(v cty.Value) cty.Value {
	out, err := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if v.IsNull() || !v.Type().IsMapType() || v.Type().ElementType() == cty.String {
			return v, nil
		}
		all := v.AsValueMap()
		kept := map[string]cty.Value{}
		for key, x := range all {
			if !clashes(all, key) {
				kept[key] = x
			}
		}
		if len(kept) == 0 {
			return v, nil
		}
		return cty.MapVal(kept), nil
	})
	if err != nil {
		panic(err)
	}
	return out
}

func clashes(all map[string]cty.Value, key string) bool {
	for i := range key {
		if _, ok := all[key[:i]]; ok && key[i] == '.' {
			return true
		}
	}
	return false
}
