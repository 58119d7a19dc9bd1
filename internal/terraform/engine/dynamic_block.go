package engine

import (
	"fmt"
	"maps"
	"slices"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// hasDynamicBlocks reports whether a schema has lists or maps of blocks with a dynamically typed
// attribute: their type depends on their values (contract § 2).
func hasDynamicBlocks(b *schema.Block) bool {
	for _, n := range b.Blocks {
		if n.ImpliedType() == cty.DynamicPseudoType || hasDynamicBlocks(n.Block) {
			return true
		}
	}
	return false
}

// checkDynamicBlocks checks what the type of the object does not: that blocks of dynamic type
// are tuples or objects of blocks.
func checkDynamicBlocks(b *schema.Block, v cty.Value, path cty.Path) error {
	if v.IsNull() || !v.IsKnown() {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		if err := checkDynamicBlock(b.Blocks[name], v.GetAttr(name), path.GetAttr(name)); err != nil {
			return err
		}
	}
	return nil
}

func checkDynamicBlock(n *schema.NestedBlock, v cty.Value, path cty.Path) error {
	if v.IsNull() || !v.IsKnown() {
		return nil
	}
	t := v.Type()
	if n.ImpliedType() == cty.DynamicPseudoType {
		if n.Nesting == schema.NestingMap && !t.IsObjectType() && !t.IsMapType() {
			return path.NewErrorf("an object of blocks is required")
		}
		if n.Nesting == schema.NestingList && !t.IsTupleType() && !t.IsListType() {
			return path.NewErrorf("a tuple of blocks is required")
		}
	}
	if n.Nesting == schema.NestingSingle || n.Nesting == schema.NestingGroup {
		return checkDynamicBlocks(n.Block, v, path)
	}
	for it := v.ElementIterator(); it.Next(); {
		key, e := it.Element()
		at := path.Index(key)
		if problems := e.Type().TestConformance(n.ObjectType()); len(problems) > 0 {
			return at.NewError(fmt.Errorf("%w", problems[0]))
		}
		if err := checkDynamicBlocks(n.Block, e, at); err != nil {
			return err
		}
	}
	return nil
}
