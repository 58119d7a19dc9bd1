package schematest

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/schema"
)

// Mutate draws a possible later version of a schema: fields are added or removed, change their
// types, or become required, computed or sensitive.
func Mutate(t *rapid.T, b *schema.Block) *schema.Block {
	raw, err := json.Marshal(b)
	if err != nil {
		panic(err)
	}
	out := &schema.Block{}
	if err := json.Unmarshal(raw, out); err != nil {
		panic(err)
	}
	for range rapid.IntRange(1, 4).Draw(t, "mutations") {
		mutateBlock(t, out, 2, where{})
	}
	return out
}

func mutateBlock(t *rapid.T, b *schema.Block, depth int, w where) {
	if b.Attributes == nil {
		b.Attributes = map[string]*schema.Attribute{}
	}
	if blocks := slices.Sorted(maps.Keys(b.Blocks)); len(blocks) > 0 && rapid.Bool().Draw(t, "into a block") {
		name := rapid.SampledFrom(blocks).Draw(t, "block")
		n := b.Blocks[name]
		switch rapid.IntRange(0, 3).Draw(t, "what") {
		case 0:
			delete(b.Blocks, name)
		case 1:
			if n.Nesting == schema.NestingList || n.Nesting == schema.NestingSet {
				n.MaxItems = int64(rapid.IntRange(0, 2).Draw(t, "max"))
			}
		default:
			inSet := w.inSet || n.Nesting == schema.NestingSet
			mutateBlock(t, n.Block, depth-1, where{inSet: inSet, inCollection: w.inSet})
		}
		return
	}
	attributes := slices.Sorted(maps.Keys(b.Attributes))
	if len(attributes) == 0 || rapid.IntRange(0, 3).Draw(t, "new") == 0 {
		name := rapid.SampledFrom(names).Draw(t, "name")
		if b.Blocks[name] == nil {
			b.Attributes[name] = attribute(t, max(depth, 0), w)
		}
		return
	}
	name := rapid.SampledFrom(attributes).Draw(t, "attribute")
	a := b.Attributes[name]
	switch rapid.IntRange(0, 3).Draw(t, "what") {
	case 0:
		delete(b.Attributes, name)
	case 1:
		b.Attributes[name] = attribute(t, max(depth, 0), w)
	case 2:
		a.Sensitive = !a.Sensitive
	default:
		a.Nested, a.Type = nil, relatedType(t, a.Type, !w.inSet && !w.inCollection)
	}
}

// relatedType draws a type to which values of another one may be converted.
func relatedType(t *rapid.T, of cty.Type, dynamic bool) cty.Type {
	related := []cty.Type{cty.String, cty.Number, cty.Bool}
	if of != cty.NilType {
		switch {
		case of.IsListType(), of.IsSetType():
			related = append(related, cty.List(of.ElementType()), cty.Set(of.ElementType()), of.ElementType())
		case of == cty.DynamicPseudoType:
		case !of.HasDynamicTypes():
			related = append(related, cty.List(of), cty.Set(of))
		}
	}
	if dynamic {
		related = append(related, cty.DynamicPseudoType)
	}
	return rapid.SampledFrom(related).Draw(t, "type")
}
