package schema

import "github.com/zclconf/go-cty/cty"

// AttributeByPath returns the attribute at path, or nil if path ends at anything else: a block, an
// element, a part of a plain collection, or nothing.
func (b *Block) AttributeByPath(path cty.Path) *Attribute {
	return attributeByPath(b.Attributes, b.Blocks, path)
}

// AttributeByPath is Block.AttributeByPath for a path in the nested attributes' value.
func (n *NestedAttributes) AttributeByPath(path cty.Path) *Attribute {
	return attributeByPath(n.Attributes, nil, path)
}

func attributeByPath(attributes map[string]*Attribute, blocks map[string]*NestedBlock, path cty.Path) *Attribute {
	key := false
	for i, step := range path {
		name, ok := step.(cty.GetAttrStep)
		if !ok || key {
			key = false
			continue // the element of a nested block or attribute, which has the same schema
		}
		if a := attributes[name.Name]; a != nil {
			if i == len(path)-1 {
				return a
			}
			if a.Nested == nil {
				return nil
			}
			attributes, blocks = a.Nested.Attributes, nil
			continue
		}
		n := blocks[name.Name]
		if n == nil {
			return nil
		}
		attributes, blocks = n.Attributes, n.Blocks
		// Blocks with labels and dynamically typed attributes are the attributes of an object.
		key = n.Nesting == NestingMap && n.ImpliedType() == cty.DynamicPseudoType
	}
	return nil
}
