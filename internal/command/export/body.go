package export

import (
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/schema"
)

// writer writes the values of one block as HCL.
type writer struct {
	variables *variables
	// prefix is that of the names of variables.
	prefix string
	// marked are the paths of values that are sensitive besides those of the schema.
	marked []cty.Path
	// refer returns an expression for a text in an attribute, or nil. It may be nil.
	refer func(text, attribute string) hcl.Traversal
	// concealed are the paths that variables were written for, without those of write-only
	// attributes. A path ends at a set.
	concealed []cty.Path
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// block writes the attributes and blocks of a value. Attributes without a value are left out.
func (w *writer) block(body *hclwrite.Body, b *schema.Block, v cty.Value, path cty.Path) {
	for _, name := range sortedKeys(b.Attributes) {
		if x := v.GetAttr(name); !x.IsNull() {
			body.SetAttributeRaw(name, w.attribute(b.Attributes[name], x, path.GetAttr(name)))
		}
	}
	for _, name := range sortedKeys(b.Blocks) {
		n, x, at := b.Blocks[name], v.GetAttr(name), path.GetAttr(name)
		if x.IsNull() {
			continue
		}
		if n.Nesting == schema.NestingSingle || n.Nesting == schema.NestingGroup {
			if n.Nesting == schema.NestingGroup && x.RawEquals(n.EmptyValue()) {
				continue
			}
			w.block(body.AppendNewBlock(name, nil).Body(), n.Block, x, at)
			continue
		}
		each(x, at, func(key, e cty.Value, at cty.Path) {
			var labels []string
			if n.Nesting == schema.NestingMap {
				labels = []string{key.AsString()}
			}
			w.block(body.AppendNewBlock(name, labels).Body(), n.Block, e, at)
		})
	}
}

// each calls f for the elements of a collection.
func each(v cty.Value, path cty.Path, f func(key, e cty.Value, at cty.Path)) {
	t := v.Type()
	for it := v.ElementIterator(); it.Next(); {
		key, e := it.Element()
		switch {
		case t.IsObjectType():
			f(key, e, path.GetAttr(key.AsString()))
		case t.IsSetType():
			f(key, e, path.Index(cty.DynamicVal))
		default:
			f(key, e, path.Index(key))
		}
	}
}

func (w *writer) attribute(a *schema.Attribute, v cty.Value, path cty.Path) hclwrite.Tokens {
	switch {
	case v.IsNull():
		return hclwrite.TokensForValue(v)
	case a.Sensitive || a.WriteOnly:
		return w.variable(v, path, a.WriteOnly)
	case a.Nested == nil:
		return w.literal(v, path, a.Type == cty.DynamicPseudoType)
	case slices.ContainsFunc(w.marked, path.Equals):
		return w.variable(v, path, false)
	}
	object := func(v cty.Value, path cty.Path) hclwrite.Tokens {
		if v.IsNull() {
			return hclwrite.TokensForValue(v)
		}
		var all []hclwrite.ObjectAttrTokens
		for _, name := range sortedKeys(a.Nested.Attributes) {
			if x := v.GetAttr(name); !x.IsNull() {
				all = append(all, hclwrite.ObjectAttrTokens{
					Name: hclwrite.TokensForIdentifier(name), Value: w.attribute(a.Nested.Attributes[name], x, path.GetAttr(name)),
				})
			}
		}
		return hclwrite.TokensForObject(all)
	}
	if a.Nested.Nesting == schema.NestingSingle {
		return object(v, path)
	}
	return collection(v, path, func(e cty.Value, at cty.Path) hclwrite.Tokens { return object(e, at) })
}

// collection returns a tuple or an object expression.
func collection(v cty.Value, path cty.Path, one func(cty.Value, cty.Path) hclwrite.Tokens) hclwrite.Tokens {
	var elements []hclwrite.Tokens
	var keyed []hclwrite.ObjectAttrTokens
	hasKeys := v.Type().IsMapType() || v.Type().IsObjectType()
	each(v, path, func(key, e cty.Value, at cty.Path) {
		if hasKeys {
			keyed = append(keyed, hclwrite.ObjectAttrTokens{Name: keyTokens(key.AsString()), Value: one(e, at)})
		} else {
			elements = append(elements, one(e, at))
		}
	})
	if hasKeys {
		return hclwrite.TokensForObject(keyed)
	}
	return hclwrite.TokensForTuple(elements)
}

func keyTokens(key string) hclwrite.Tokens {
	if hclsyntax.ValidIdentifier(key) {
		return hclwrite.TokensForIdentifier(key)
	}
	return hclwrite.TokensForValue(cty.StringVal(key))
}

// literal returns the expression of a value without nested attributes. In a dynamically typed
// attribute, collections are converted to their types.
func (w *writer) literal(v cty.Value, path cty.Path, dynamic bool) hclwrite.Tokens {
	switch t := v.Type(); {
	case v.IsNull():
		return hclwrite.TokensForValue(v)
	case slices.ContainsFunc(w.marked, path.Equals):
		return w.variable(v, path, false)
	case t == cty.String && w.refer != nil:
		if to := w.refer(v.AsString(), lastAttribute(path)); to != nil {
			return hclwrite.TokensForTraversal(to)
		}
		return hclwrite.TokensForValue(v)
	case t.IsPrimitiveType():
		return hclwrite.TokensForValue(v)
	default:
		out := collection(v, path, func(e cty.Value, at cty.Path) hclwrite.Tokens { return w.literal(e, at, dynamic) })
		for function, is := range map[string]bool{"tolist": t.IsListType(), "toset": t.IsSetType(), "tomap": t.IsMapType()} {
			if dynamic && is {
				out = hclwrite.TokensForFunctionCall(function, out)
			}
		}
		return out
	}
}

// lastAttribute returns the name of the last attribute of a path.
func lastAttribute(path cty.Path) string {
	for _, step := range slices.Backward(path) {
		if a, ok := step.(cty.GetAttrStep); ok {
			return a.Name
		}
	}
	return ""
}

// variable returns a reference to a variable with a value.
func (w *writer) variable(v cty.Value, path cty.Path, writeOnly bool) hclwrite.Tokens {
	if !writeOnly {
		end := slices.IndexFunc(path, func(s cty.PathStep) bool {
			i, ok := s.(cty.IndexStep)
			return ok && (!i.Key.IsKnown() || !i.Key.Type().IsPrimitiveType())
		})
		if end < 0 {
			end = len(path)
		}
		w.concealed = append(w.concealed, path[:end].Copy())
	}
	parts := []string{w.prefix}
	for _, step := range path {
		switch s := step.(type) {
		case cty.GetAttrStep:
			parts = append(parts, s.Name)
		case cty.IndexStep:
			if s.Key.IsKnown() && s.Key.Type() == cty.String {
				parts = append(parts, s.Key.AsString())
			} else if s.Key.IsKnown() && s.Key.Type() == cty.Number {
				parts = append(parts, s.Key.AsBigFloat().Text('f', -1))
			}
		}
	}
	return traverse("var", w.variables.add(strings.Join(parts, "_"), v))
}

// traverse returns the tokens of a traversal of names.
func traverse(names ...string) hclwrite.Tokens {
	return hclwrite.TokensForTraversal(traversal(names...))
}

func traversal(names ...string) hcl.Traversal {
	out := hcl.Traversal{hcl.TraverseRoot{Name: names[0]}}
	for _, n := range names[1:] {
		out = append(out, hcl.TraverseAttr{Name: n})
	}
	return out
}

// ofPath returns the traversal of a path, up to the first set.
func ofPath(path cty.Path) hcl.Traversal {
	var out hcl.Traversal
	for i, step := range path {
		switch s := step.(type) {
		case cty.GetAttrStep:
			if i == 0 {
				out = append(out, hcl.TraverseRoot{Name: s.Name})
			} else {
				out = append(out, hcl.TraverseAttr{Name: s.Name})
			}
		case cty.IndexStep:
			if !s.Key.IsKnown() || !s.Key.Type().IsPrimitiveType() {
				return out
			}
			out = append(out, hcl.TraverseIndex{Key: s.Key})
		}
	}
	return out
}

// variables are the variables of a configuration, which are all sensitive.
type variables struct{ values map[string]cty.Value }

// add adds a variable and returns its name.
func (v *variables) add(wanted string, value cty.Value) string {
	if v.values == nil {
		v.values = map[string]cty.Value{}
	}
	return unique(identifier(wanted), func(name string) bool { _, taken := v.values[name]; return taken },
		func(name string) { v.values[name] = value })
}

// identifier returns a valid name in HCL.
func identifier(text string) string {
	return tfstate.Label(strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '_'
	}, text))
}
