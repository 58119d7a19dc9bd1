package schema

import (
	"maps"
	"slices"
	"sync"

	"github.com/zclconf/go-cty/cty"
)

// cached computes a type once, since every operation needs it.
func cached(once *sync.Once, f *func() cty.Type, compute func() cty.Type) cty.Type {
	once.Do(func() {
		t := compute()
		*f = func() cty.Type { return t }
	})
	return (*f)()
}

// ImpliedType returns the object type of a value of this block (contract § 2).
func (b *Block) ImpliedType() cty.Type {
	return cached(&b.once, &b.impliedType, func() cty.Type {
		types := make(map[string]cty.Type, len(b.Attributes)+len(b.Blocks))
		for name, a := range b.Attributes {
			types[name] = a.ImpliedType()
		}
		for name, n := range b.Blocks {
			types[name] = n.ImpliedType()
		}
		return cty.Object(types)
	})
}

// ImpliedType returns the type of the attribute's value.
func (a *Attribute) ImpliedType() cty.Type {
	if a.Nested != nil {
		return a.Nested.ImpliedType()
	}
	return a.Type
}

// ObjectType returns the type of one of the nested objects.
func (n *NestedAttributes) ObjectType() cty.Type {
	types := make(map[string]cty.Type, len(n.Attributes))
	for name, a := range n.Attributes {
		types[name] = a.ImpliedType()
	}
	return cty.Object(types)
}

// ImpliedType returns the type of the collection of nested objects. Objects with
// dynamically typed attributes cannot be elements of a list or map, so such
// collections are tuples and objects, as in Terraform.
func (n *NestedAttributes) ImpliedType() cty.Type {
	return cached(&n.once, &n.impliedType, func() cty.Type { return collection(n.Nesting, n.ObjectType(), false) })
}

// ObjectType returns the type of one block.
func (n *NestedBlock) ObjectType() cty.Type { return n.Block.ImpliedType() }

// ImpliedType returns the type of all the blocks of this name together.
func (n *NestedBlock) ImpliedType() cty.Type { return collection(n.Nesting, n.ObjectType(), true) }

func collection(nesting Nesting, object cty.Type, block bool) cty.Type {
	dynamic := block && object.HasDynamicTypes()
	switch nesting {
	case NestingList:
		if dynamic {
			return cty.DynamicPseudoType
		}
		return cty.List(object)
	case NestingSet:
		return cty.Set(object)
	case NestingMap:
		if dynamic {
			return cty.DynamicPseudoType
		}
		return cty.Map(object)
	default:
		return object
	}
}

// ImpliedType returns the object type of the identity.
func (i *Identity) ImpliedType() cty.Type {
	return cached(&i.once, &i.impliedType, func() cty.Type {
		types := make(map[string]cty.Type, len(i.Attributes))
		for name, a := range i.Attributes {
			types[name] = a.Type
		}
		return cty.Object(types)
	})
}

// Required returns the names of the attributes that an import by identity requires, sorted.
func (i *Identity) Required() []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(i.Attributes)) {
		if i.Attributes[name].RequiredForImport {
			out = append(out, name)
		}
	}
	return out
}

// EmptyValue returns the value of a block in which nothing is set: attributes are null, and nested
// blocks are empty for their nesting (contract § 2).
func (b *Block) EmptyValue() cty.Value {
	values := make(map[string]cty.Value, len(b.Attributes)+len(b.Blocks))
	for name, a := range b.Attributes {
		values[name] = cty.NullVal(a.ImpliedType())
	}
	for name, n := range b.Blocks {
		values[name] = n.EmptyValue()
	}
	return cty.ObjectVal(values)
}

// EmptyValue returns the value that means "no blocks of this name".
func (n *NestedBlock) EmptyValue() cty.Value {
	object := n.ObjectType()
	dynamic := object.HasDynamicTypes()
	switch n.Nesting {
	case NestingGroup:
		return n.Block.EmptyValue()
	case NestingList:
		if dynamic {
			return cty.EmptyTupleVal
		}
		return cty.ListValEmpty(object)
	case NestingSet:
		return cty.SetValEmpty(object)
	case NestingMap:
		if dynamic {
			return cty.EmptyObjectVal
		}
		return cty.MapValEmpty(object)
	default:
		return cty.NullVal(object)
	}
}
