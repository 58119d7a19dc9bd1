package objchange

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// ProposedNew merges a configuration into the prior state (contract § 3.5). All three values are
// of the block's implied type. Do not use it to plan a destroy: with a null configuration it
// returns the prior state.
func ProposedNew(b *schema.Block, prior, config cty.Value) cty.Value {
	if prior.IsNull() && config.IsNull() {
		return prior
	}
	if prior.IsNull() {
		prior = b.EmptyValue()
	}
	return proposedBlock(b, prior, config)
}

func proposedBlock(b *schema.Block, prior, config cty.Value) cty.Value {
	if config.IsNull() || !config.IsKnown() {
		return prior
	}
	values := make(map[string]cty.Value, len(b.Attributes)+len(b.Blocks))
	proposedAttributes(values, b.Attributes, prior, config)
	for name, n := range b.Blocks {
		values[name] = proposedNested(blockNode(n), attributeOf(prior, name, n.ImpliedType()), config.GetAttr(name))
	}
	return cty.ObjectVal(values)
}

func proposedAttributes(values map[string]cty.Value, attributes map[string]*schema.Attribute, prior, config cty.Value) {
	for name, a := range attributes {
		p, c := attributeOf(prior, name, a.ImpliedType()), config.GetAttr(name)
		switch {
		case a.Computed && c.IsNull():
			values[name] = p
			if a.Optional && a.Nested != nil && holdsConfigured(a.Nested, p) {
				values[name] = c
			}
		case a.Nested != nil:
			values[name] = proposedNested(attributeNode(a.Nested), p, c)
		default:
			values[name] = c
		}
	}
}

// attributeOf returns an attribute of an object that may be null or unknown itself.
func attributeOf(object cty.Value, name string, t cty.Type) cty.Value {
	switch {
	case !object.IsKnown():
		return cty.UnknownVal(t)
	case object.IsNull():
		return cty.NullVal(t)
	default:
		return object.GetAttr(name)
	}
}

// holdsConfigured reports whether a value has an attribute that only a configuration can have
// set: a non-null one that is not computed.
func holdsConfigured(n *schema.NestedAttributes, v cty.Value) bool {
	found := false
	_ = cty.Walk(v, func(path cty.Path, v cty.Value) (bool, error) {
		if v.IsNull() {
			return false, nil
		}
		if a := n.AttributeByPath(path); a != nil && !a.Computed {
			found = true
		}
		return !found, nil
	})
	return found
}

// node has the common properties of nested blocks and nested attributes.
type node struct {
	nesting schema.Nesting
	object  cty.Type
	// propose merges one object.
	propose func(prior, config cty.Value) cty.Value
	// attribute finds an attribute inside one object.
	attribute func(cty.Path) *schema.Attribute
}

func blockNode(n *schema.NestedBlock) node {
	return node{
		nesting: n.Nesting, object: n.ObjectType(), attribute: n.Block.AttributeByPath,
		propose: func(prior, config cty.Value) cty.Value { return proposedBlock(n.Block, prior, config) },
	}
}

func attributeNode(n *schema.NestedAttributes) node {
	return node{
		nesting: n.Nesting, object: n.ObjectType(), attribute: n.AttributeByPath,
		propose: func(prior, config cty.Value) cty.Value {
			if config.IsNull() || !config.IsKnown() {
				return config
			}
			values := make(map[string]cty.Value, len(n.Attributes))
			proposedAttributes(values, n.Attributes, prior, config)
			return cty.ObjectVal(values)
		},
	}
}

func proposedNested(n node, prior, config cty.Value) cty.Value {
	if !config.IsKnown() {
		return config
	}
	switch n.nesting {
	case schema.NestingSingle:
		if config.IsNull() {
			return config
		}
		return n.propose(prior, config)
	case schema.NestingGroup:
		return n.propose(prior, config)
	}
	if config.IsNull() || config.LengthInt() == 0 {
		return config
	}
	switch n.nesting {
	case schema.NestingMap:
		return proposedMap(n, prior, config)
	case schema.NestingSet:
		return proposedSet(n, prior, config)
	default:
		return proposedList(n, prior, config)
	}
}

func proposedList(n node, prior, config cty.Value) cty.Value {
	values := make([]cty.Value, 0, config.LengthInt())
	for it := config.ElementIterator(); it.Next(); {
		key, c := it.Element()
		if p, ok := element(prior, key); ok && c.IsKnown() {
			c = n.propose(p, c)
		}
		values = append(values, c)
	}
	if config.Type().IsTupleType() {
		return cty.TupleVal(values)
	}
	return cty.ListVal(values)
}

func proposedMap(n node, prior, config cty.Value) cty.Value {
	values := make(map[string]cty.Value, config.LengthInt())
	for it := config.ElementIterator(); it.Next(); {
		key, c := it.Element()
		if p, ok := element(prior, key); ok && c.IsKnown() {
			c = n.propose(p, c)
		}
		values[key.AsString()] = c
	}
	if config.Type().IsObjectType() {
		return cty.ObjectVal(values)
	}
	return cty.MapVal(values)
}

// proposedSet pairs each configured element with the first unused prior element that could
// have come from it.
func proposedSet(n node, prior, config cty.Value) cty.Value {
	var candidates []cty.Value
	if prior.IsKnown() && !prior.IsNull() {
		candidates = prior.AsValueSlice()
	}
	used := make([]bool, len(candidates))
	values := make([]cty.Value, 0, config.LengthInt())
	for it := config.ElementIterator(); it.Next(); {
		_, c := it.Element()
		if !c.IsKnown() {
			values = append(values, c)
			continue
		}
		match := cty.NullVal(n.object)
		for i, p := range candidates {
			if !used[i] && couldComeFrom(n, p, c) {
				match, used[i] = p, true
				break
			}
		}
		values = append(values, n.propose(match, c))
	}
	return cty.SetVal(values)
}

// couldComeFrom reports whether prior may be the result of an earlier apply of config: they
// differ only in computed attributes that config leaves null.
func couldComeFrom(n node, prior, config cty.Value) bool {
	if equal(prior, config) {
		return true
	}
	ok := true
	_ = cty.Walk(prior, func(path cty.Path, p cty.Value) (bool, error) {
		if !ok {
			return false, nil
		}
		c, err := path.Apply(config)
		switch {
		case err != nil:
			ok = false
			return false, nil
		case equal(p, c):
			return false, nil
		case c.Type().IsSetType():
			ok = false
			return false, nil
		}
		a := n.attribute(path)
		if a == nil || a.Nested != nil {
			return true, nil
		}
		ok = a.Computed && c.IsNull()
		return false, nil
	})
	return ok
}

// element returns the element of a list, tuple, map or object value at key, if it has one.
func element(v, key cty.Value) (cty.Value, bool) {
	if !v.IsKnown() || v.IsNull() {
		return cty.NilVal, false
	}
	if v.Type().IsObjectType() {
		if !v.Type().HasAttribute(key.AsString()) {
			return cty.NilVal, false
		}
		return v.GetAttr(key.AsString()), true
	}
	if has := v.HasIndex(key); !has.IsKnown() || has.False() {
		return cty.NilVal, false
	}
	return v.Index(key), true
}

// equal compares values without the refinements of unknown ones, and without the types of nulls
// in dynamically typed places.
func equal(a, b cty.Value) bool {
	if a.IsNull() && b.IsNull() {
		return true
	}
	return unrefined(a).RawEquals(unrefined(b))
}

func unrefined(v cty.Value) cty.Value {
	if v.IsWhollyKnown() {
		return v
	}
	if !v.IsKnown() {
		return cty.UnknownVal(v.Type())
	}
	out, err := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if !v.IsKnown() {
			return cty.UnknownVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		return v
	}
	return out
}
