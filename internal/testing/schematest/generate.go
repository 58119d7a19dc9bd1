package schematest

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/schema"
)

var names = []string{
	"a", "b", "vpc_id", "vpcId", "vpc__id", "max_age_days", "a_secret_ref", "aSecretRef", "in", "namespace",
	"x2", "_y", "Z",
}

func fieldNames(t *rapid.T, most int) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, most, rapid.ID).Draw(t, "names")
}

// genType draws the type of a plain attribute.
func attributeType(t *rapid.T, depth int, dynamic bool) cty.Type {
	kinds := []string{"string", "number", "bool"}
	if dynamic {
		kinds = append(kinds, "dynamic")
	}
	if depth > 0 {
		kinds = append(kinds, "list", "set", "map", "object", "tuple")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "type") {
	case "number":
		return cty.Number
	case "bool":
		return cty.Bool
	case "dynamic":
		return cty.DynamicPseudoType
	case "list":
		return cty.List(attributeType(t, depth-1, false))
	case "set":
		return cty.Set(attributeType(t, depth-1, false))
	case "map":
		return cty.Map(attributeType(t, depth-1, false))
	case "object":
		types := map[string]cty.Type{}
		for _, n := range fieldNames(t, 3) {
			types[n] = attributeType(t, depth-1, dynamic)
		}
		return cty.Object(types)
	case "tuple":
		types := make([]cty.Type, rapid.IntRange(0, 3).Draw(t, "tuple"))
		for i := range types {
			types[i] = attributeType(t, depth-1, dynamic)
		}
		return cty.Tuple(types)
	default:
		return cty.String
	}
}

var attributeNestings = []schema.Nesting{schema.NestingSingle, schema.NestingList, schema.NestingSet, schema.NestingMap}
var blockNestings = append([]schema.Nesting{schema.NestingGroup}, attributeNestings...)

// where is the nesting of a schema, because some shapes are not allowed in some nestings.
type where struct{ inSet, inCollection bool }

func attribute(t *rapid.T, depth int, w where) *schema.Attribute {
	a := &schema.Attribute{Sensitive: rapid.IntRange(0, 4).Draw(t, "sensitive") == 0}
	switch rapid.IntRange(0, 4).Draw(t, "flags") {
	case 0:
		a.Required = true
	case 1:
		a.Optional = true
	case 2:
		a.Computed = true
	case 3:
		a.Optional, a.Computed = true, true
	case 4:
		a.Optional, a.WriteOnly = true, !w.inSet
	}
	if depth > 0 && rapid.IntRange(0, 2).Draw(t, "nested") == 0 {
		nesting := rapid.SampledFrom(attributeNestings).Draw(t, "nesting")
		inside := where{inSet: w.inSet || nesting == schema.NestingSet, inCollection: w.inCollection || nesting != schema.NestingSingle}
		a.Nested = &schema.NestedAttributes{Nesting: nesting, Attributes: map[string]*schema.Attribute{}}
		for _, n := range fieldNames(t, 3) {
			a.Nested.Attributes[n] = attribute(t, depth-1, inside)
		}
		return a
	}
	a.Type = attributeType(t, 2, !w.inSet && !w.inCollection)
	return a
}

func block(t *rapid.T, depth int, w where) *schema.Block {
	b := &schema.Block{Attributes: map[string]*schema.Attribute{}, Blocks: map[string]*schema.NestedBlock{}}
	for _, n := range fieldNames(t, 4) {
		if depth == 0 || rapid.Bool().Draw(t, "attribute") {
			b.Attributes[n] = attribute(t, depth, w)
			continue
		}
		nesting := rapid.SampledFrom(blockNestings).Draw(t, "nesting")
		// A block in a list or map may hold dynamic values: it becomes a tuple or object.
		inside := where{inSet: w.inSet || nesting == schema.NestingSet, inCollection: w.inSet}
		nb := &schema.NestedBlock{Nesting: nesting, Block: block(t, depth-1, inside)}
		if nesting == schema.NestingList || nesting == schema.NestingSet {
			nb.MaxItems = int64(rapid.IntRange(0, 2).Draw(t, "max"))
		}
		b.Blocks[n] = nb
	}
	return b
}

func text(t *rapid.T) string {
	// Terraform normalizes strings to NFC, so others would not round-trip.
	s := rapid.OneOf(rapid.SampledFrom([]string{"", "true", "1", "$type", "$value", "ä", "a.b/c"}), rapid.StringN(0, 6, -1)).Draw(t, "string")
	return cty.NormalizeString(strings.ToValidUTF8(s, ""))
}

func number(t *rapid.T) cty.Value {
	switch rapid.IntRange(0, 4).Draw(t, "number") {
	case 0:
		return cty.NumberIntVal(rapid.Int64().Draw(t, "int64"))
	case 1:
		return cty.NumberUIntVal(rapid.Uint64().Draw(t, "uint64"))
	case 2:
		return cty.MustParseNumberVal(fmt.Sprintf("%de%d", rapid.Int64().Draw(t, "mantissa"), rapid.IntRange(-40, 40).Draw(t, "exponent")))
	case 3:
		// Terraform parses numbers as decimals; the float is converted the same way.
		return cty.MustParseNumberVal(big.NewFloat(rapid.Float64().Draw(t, "float")).Text('g', -1))
	default:
		return cty.NumberIntVal(int64(rapid.IntRange(-3, 3).Draw(t, "small")))
	}
}

// genValue draws a wholly known value of a type.
func value(t *rapid.T, ty cty.Type, depth int) cty.Value {
	if rapid.IntRange(0, 5).Draw(t, "null") == 0 {
		return cty.NullVal(ty)
	}
	n := func() int { return rapid.IntRange(0, 3).Draw(t, "length") }
	switch {
	case ty == cty.String:
		return cty.StringVal(text(t))
	case ty == cty.Bool:
		return cty.BoolVal(rapid.Bool().Draw(t, "bool"))
	case ty == cty.Number:
		return number(t)
	case ty == cty.DynamicPseudoType:
		return value(t, attributeType(t, depth, depth > 0), depth-1)
	case ty.IsListType(), ty.IsSetType():
		values := make([]cty.Value, n())
		for i := range values {
			values[i] = value(t, ty.ElementType(), depth)
		}
		switch {
		case ty.IsListType() && len(values) == 0:
			return cty.ListValEmpty(ty.ElementType())
		case ty.IsListType():
			return cty.ListVal(values)
		case len(values) == 0:
			return cty.SetValEmpty(ty.ElementType())
		default:
			return cty.SetVal(values)
		}
	case ty.IsMapType():
		values := map[string]cty.Value{}
		for range n() {
			values[text(t)] = value(t, ty.ElementType(), depth)
		}
		if len(values) == 0 {
			return cty.MapValEmpty(ty.ElementType())
		}
		return cty.MapVal(values)
	case ty.IsTupleType():
		values := make([]cty.Value, ty.Length())
		for i := range values {
			values[i] = value(t, ty.TupleElementType(i), depth)
		}
		return cty.TupleVal(values)
	default:
		values := map[string]cty.Value{}
		for _, name := range slices.Sorted(maps.Keys(ty.AttributeTypes())) {
			values[name] = value(t, ty.AttributeType(name), depth)
		}
		return cty.ObjectVal(values)
	}
}

// Block draws a schema of any shape that a provider can have.
func Block(t *rapid.T) *schema.Block { return block(t, 2, where{}) }

// Value draws a wholly known value of a block. Absent blocks are empty, never null.
func Value(t *rapid.T, b *schema.Block) cty.Value {
	values := map[string]cty.Value{}
	// Sorted, so that the same random bits produce the same value.
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		values[name] = attributeValue(t, b.Attributes[name])
	}
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		nb := b.Blocks[name]
		if nb.Nesting != schema.NestingGroup && rapid.IntRange(0, 3).Draw(t, "absent") == 0 {
			values[name] = nb.EmptyValue()
			continue
		}
		count := 1
		if nb.Nesting != schema.NestingGroup && nb.Nesting != schema.NestingSingle {
			count = rapid.IntRange(1, 2).Draw(t, "blocks")
			if nb.MaxItems == 1 {
				count = 1
			}
		}
		blocks := make([]cty.Value, count)
		for i := range blocks {
			blocks[i] = Value(t, nb.Block)
		}
		dynamic := nb.ImpliedType() == cty.DynamicPseudoType
		keyed := map[string]cty.Value{}
		for i, x := range blocks {
			keyed[fmt.Sprintf("Key_%d", i)] = x
		}
		switch {
		case nb.Nesting == schema.NestingList && dynamic:
			values[name] = cty.TupleVal(blocks)
		case nb.Nesting == schema.NestingList:
			values[name] = cty.ListVal(blocks)
		case nb.Nesting == schema.NestingSet:
			values[name] = cty.SetVal(blocks)
		case nb.Nesting == schema.NestingMap && dynamic:
			values[name] = cty.ObjectVal(keyed)
		case nb.Nesting == schema.NestingMap:
			values[name] = cty.MapVal(keyed)
		default:
			values[name] = blocks[0]
		}
	}
	return cty.ObjectVal(values)
}

func attributeValue(t *rapid.T, a *schema.Attribute) cty.Value { return value(t, a.ImpliedType(), 2) }
