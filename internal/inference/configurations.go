package inference

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/schema"
)

// Configurations returns the configurations of resource types that the documentation has as
// examples, as JSON by Terraform's names, the best first: those on the page of the type, and those
// that are complete. Values that are not literal, and sensitive ones, are left out.
func Configurations(s *schema.Provider, docs fs.FS) (map[string][]map[string]any, error) {
	all, err := snippets(docs)
	if err != nil {
		return nil, err
	}
	type candidate struct {
		configuration map[string]any
		rank          int
	}
	found := map[string][]candidate{}
	for _, x := range all {
		for _, b := range x.body.Blocks {
			if b.Type != "resource" || len(b.Labels) != 2 || s.Resources[b.Labels[0]] == nil {
				continue
			}
			t := b.Labels[0]
			l := &literals{whole: true}
			c := candidate{configuration: l.block(s.Resources[t].Block, b.Body)}
			if !l.whole {
				c.rank = 1
			}
			if !isPageOf(x.file, t) {
				c.rank += 2
			}
			found[t] = append(found[t], c)
		}
	}
	out := map[string][]map[string]any{}
	for t, candidates := range found {
		slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
		for _, c := range candidates {
			out[t] = append(out[t], c.configuration)
		}
	}
	return out, nil
}

// isPageOf reports whether a file is about a resource type: docs/resources/offset.md,
// website/docs/r/time_offset.html.markdown or examples/resources/time_offset/resource.tf.
func isPageOf(file, resourceType string) bool {
	_, short, _ := strings.Cut(resourceType, "_")
	name, _, _ := strings.Cut(path.Base(file), ".")
	folder := path.Dir(file)
	return !strings.Contains(file, "data-sources") && (name == short || name == resourceType || path.Base(folder) == resourceType)
}

// literals collects the literal values of a block.
type literals struct {
	// whole is set as long as nothing was left out.
	whole bool
}

func (l *literals) block(b *schema.Block, body *hclsyntax.Body) map[string]any {
	out := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(body.Attributes)) {
		a := b.Attributes[name]
		if a == nil {
			l.whole = l.whole && (name == "provider" || name == "depends_on")
			continue
		}
		if v, ok := literal(a, body.Attributes[name].Expr); ok {
			out[name] = v
		} else {
			l.whole = false
		}
	}
	for _, inner := range body.Blocks {
		nested := b.Blocks[inner.Type]
		if nested == nil {
			l.whole = l.whole && inner.Type == "lifecycle"
			continue
		}
		value := l.block(nested.Block, inner.Body)
		switch nested.Nesting {
		case schema.NestingSingle, schema.NestingGroup:
			out[inner.Type] = value
		case schema.NestingMap:
			if len(inner.Labels) != 1 {
				l.whole = false
				continue
			}
			elements, _ := out[inner.Type].(map[string]any)
			if elements == nil {
				elements = map[string]any{}
			}
			elements[inner.Labels[0]] = value
			out[inner.Type] = elements
		default:
			elements, _ := out[inner.Type].([]any)
			out[inner.Type] = append(elements, value)
		}
	}
	return out
}

// literal returns the value of an attribute as JSON, if its expression has no variables and calls
// no functions.
func literal(a *schema.Attribute, x hclsyntax.Expression) (any, bool) {
	if a.Sensitive || a.WriteOnly {
		return nil, false
	}
	v, diags := x.Value(nil)
	if diags.HasErrors() || !v.IsWhollyKnown() || v.IsNull() {
		return nil, false
	}
	if converted, err := convert.Convert(v, a.ImpliedType()); err == nil {
		v = converted
	} else if a.Nested == nil {
		return nil, false
	}
	raw, err := json.Marshal(ctyjson.SimpleJSONValue{Value: v})
	if err != nil {
		return nil, false
	}
	var out any
	err = json.Unmarshal(raw, &out)
	return out, err == nil
}
