package tfjson

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// Marked reports whether a value of a configuration is sensitive: an attribute, or a value within
// one, which has no schema. Elements of sets have an unknown index.
type Marked func(a *schema.Attribute, path cty.Path) bool

// Body returns the configuration of a block, and the local values that it refers to. Values that
// the syntax cannot express in place are local values: sensitive ones, and lists, sets and maps
// where any type is allowed. Their names begin with prefix. The value must be wholly known.
func Body(b *schema.Block, v cty.Value, marked Marked, prefix string) (body, locals map[string]any) {
	w := &writer{marked: marked, prefix: prefix, locals: map[string]any{}}
	return w.block(b, v, nil), w.locals
}

type writer struct {
	marked Marked
	prefix string
	locals map[string]any
}

func (w *writer) block(b *schema.Block, v cty.Value, path cty.Path) map[string]any {
	out := map[string]any{}
	for name, a := range b.Attributes {
		x := v.GetAttr(name)
		if x.IsNull() && !a.Required {
			continue
		}
		out[name] = w.attribute(a, x, path.GetAttr(name))
	}
	for name, n := range b.Blocks {
		x, at := v.GetAttr(name), path.GetAttr(name)
		// The parser would take an empty object for a block without a label.
		if x.IsNull() || n.Nesting == schema.NestingMap && x.LengthInt() == 0 {
			continue
		}
		if n.Nesting == schema.NestingSingle || n.Nesting == schema.NestingGroup {
			out[name] = w.block(n.Block, x, at)
			continue
		}
		// The keys of blocks are labels, which are not templates.
		out[name] = w.elements(x, at, label, func(e cty.Value, at cty.Path) any { return w.block(n.Block, e, at) })
	}
	return out
}

// elements returns a collection: an object if it has keys, else a list.
func (w *writer) elements(v cty.Value, path cty.Path, spell func(string) string, one func(cty.Value, cty.Path) any) any {
	t := v.Type()
	keyed, list := map[string]any{}, []any{}
	for it := v.ElementIterator(); it.Next(); {
		key, e := it.Element()
		switch {
		case t.IsObjectType():
			keyed[spell(key.AsString())] = one(e, path.GetAttr(key.AsString()))
		case t.IsMapType():
			keyed[spell(key.AsString())] = one(e, path.Index(key))
		case t.IsSetType():
			list = append(list, one(e, path.Index(cty.DynamicVal)))
		default:
			list = append(list, one(e, path.Index(key)))
		}
	}
	if t.IsMapType() || t.IsObjectType() {
		return keyed
	}
	return list
}

func (w *writer) attribute(a *schema.Attribute, v cty.Value, path cty.Path) any {
	switch {
	case v.IsNull():
		return nil
	case w.marked != nil && w.marked(a, path):
		return w.local(v, "sensitive", conversion(a, v))
	case a.Nested == nil && conversion(a, v) != "":
		return w.local(v, conversion(a, v))
	case a.Nested == nil:
		return w.literal(v, path)
	}
	object := func(v cty.Value, path cty.Path) any {
		if v.IsNull() {
			return nil
		}
		out := map[string]any{}
		for name, x := range a.Nested.Attributes {
			out[name] = w.attribute(x, v.GetAttr(name), path.GetAttr(name))
		}
		return out
	}
	if a.Nested.Nesting == schema.NestingSingle {
		return object(v, path)
	}
	return w.elements(v, path, template, object)
}

func (w *writer) literal(v cty.Value, path cty.Path) any {
	if v.IsNull() || v.Type().IsPrimitiveType() {
		return Literal(v)
	}
	return w.elements(v, path, template, func(e cty.Value, path cty.Path) any {
		if w.marked != nil && !e.IsNull() && w.marked(nil, path) {
			return w.local(e, "sensitive")
		}
		return w.literal(e, path)
	})
}

// local adds a local value and returns a reference to it, wrapped in functions, the outermost
// first.
func (w *writer) local(v cty.Value, functions ...string) any {
	name := fmt.Sprintf("%s_%d", w.prefix, len(w.locals))
	w.locals[name] = Literal(v)
	out := "local." + name
	for _, f := range slices.Backward(functions) {
		if f != "" {
			out = f + "(" + out + ")"
		}
	}
	return "${" + out + "}"
}

// conversion returns the function that converts a tuple or an object to the value's collection
// type; empty if the attribute's type determines it.
func conversion(a *schema.Attribute, v cty.Value) string {
	if a == nil || a.Type != cty.DynamicPseudoType {
		return ""
	}
	switch t := v.Type(); {
	case t.IsListType():
		return "tolist"
	case t.IsSetType():
		return "toset"
	case t.IsMapType():
		return "tomap"
	}
	return ""
}

// Literal returns a value as an expression in the JSON syntax, where strings are templates.
func Literal(v cty.Value) any {
	if v.IsNull() {
		return nil
	}
	switch t := v.Type(); {
	case t == cty.String:
		return template(v.AsString())
	case t == cty.Bool:
		return v.True()
	case t == cty.Number:
		return json.Number(v.AsBigFloat().Text('g', -1))
	case t.IsCollectionType(), t.IsTupleType(), t.IsObjectType():
		return (&writer{}).literal(v, nil)
	default:
		panic(fmt.Sprintf("a configuration cannot hold %s", t.FriendlyName()))
	}
}

func label(s string) string { return s }

func template(s string) string {
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(s)
}
