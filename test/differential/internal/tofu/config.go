package tofu

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// Body is a configuration in the JSON syntax of tofu's language.
func Body(b *schema.Block, v cty.Value) map[string]any {
	out := map[string]any{}
	for name, a := range b.Attributes {
		x := v.GetAttr(name)
		if x.IsNull() && !a.Required {
			continue
		}
		out[name] = Literal(x)
	}
	for name, n := range b.Blocks {
		x := v.GetAttr(name)
		// An empty object would be a block without a label.
		if x.IsNull() || n.Nesting == schema.NestingMap && x.LengthInt() == 0 {
			continue
		}
		switch n.Nesting {
		case schema.NestingSingle, schema.NestingGroup:
			out[name] = Body(n.Block, x)
		case schema.NestingMap:
			labelled := map[string]any{}
			for it := x.ElementIterator(); it.Next(); {
				key, e := it.Element()
				labelled[key.AsString()] = Body(n.Block, e)
			}
			out[name] = labelled
		default:
			blocks := []any{}
			for it := x.ElementIterator(); it.Next(); {
				_, e := it.Element()
				blocks = append(blocks, Body(n.Block, e))
			}
			out[name] = blocks
		}
	}
	return out
}

// Literal is a value as an expression in the JSON syntax, where strings are templates.
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
	case t.IsMapType(), t.IsObjectType():
		out := map[string]any{}
		for it := v.ElementIterator(); it.Next(); {
			key, e := it.Element()
			out[template(key.AsString())] = Literal(e)
		}
		return out
	case t.IsCollectionType(), t.IsTupleType():
		out := []any{}
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			out = append(out, Literal(e))
		}
		return out
	default:
		panic(fmt.Sprintf("a configuration cannot hold %s", t.FriendlyName()))
	}
}

func template(s string) string {
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(s)
}
