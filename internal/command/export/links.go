package export

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/landbridge-io/landbridge/internal/command/importer"
	"github.com/landbridge-io/landbridge/internal/controller/references"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// links are the values that a block has from other blocks.
type links struct {
	// targets are the other blocks: their names, such as data, hcloud_image and debian.
	targets [][]string
	// values are expressions, by the values that they have now.
	values map[string]link
	// used are the values that are in expressions, and blocks the addresses of their blocks.
	used, blocks map[string]bool
}

// link is an expression for a value.
type link struct {
	to hcl.Traversal
	// of is the block, and resource is set if it is a resource's.
	of       []string
	resource *resource
	// suffix is what the name of an attribute ends with that has the value.
	suffix string
}

// links returns what the block of a resource or a data source may have from the targets of its
// references. It takes values unchanged from data sources.
func (e *exporter) links(of store.Key, targets []store.Key, takes []references.Taken) *links {
	l := &links{values: map[string]link{}, used: map[string]bool{}, blocks: map[string]bool{}}
	known := map[store.Key]bool{of: true}
	for _, key := range targets {
		if known[key] {
			continue
		}
		known[key] = true
		if d := e.data[key]; d != nil {
			l.targets = append(l.targets, d.names())
		}
		t := e.resources[key]
		if t == nil {
			continue
		}
		names := []string{t.block.Type, t.block.Name}
		l.targets = append(l.targets, names)
		for _, v := range importer.Identifying(t.model, t.found.State, t.config.Value) {
			if _, ok := l.values[v.Value]; ok && !v.Chosen {
				continue
			}
			found := link{to: traversal(append(names, v.Attribute)...), of: names, resource: t}
			if !v.Chosen {
				found.suffix = "_" + v.Attribute
			}
			l.values[v.Value] = found
		}
	}
	for _, take := range takes {
		d := e.data[take.From]
		if d == nil {
			continue
		}
		name, value, ok := d.attribute(take.FieldPath)
		if _, taken := l.values[value]; ok && !taken {
			l.values[value] = link{to: traversal(append(d.names(), name)...), of: d.names(), suffix: lastName(take.To)}
		}
	}
	return l
}

// lastName returns the last field of a path, by Terraform's rules of names.
func lastName(path string) string {
	var out strings.Builder
	for _, c := range path[strings.LastIndex(path, ".")+1:] {
		switch {
		case c == '[':
			return out.String()
		case c >= 'A' && c <= 'Z':
			out.WriteByte('_')
			c += 'a' - 'A'
		}
		out.WriteRune(c)
	}
	return out.String()
}

// refer returns the expression for a text in an attribute, or nil.
func (l *links) refer(text, attribute string) hcl.Traversal {
	v, ok := l.values[text]
	if !ok || !strings.HasSuffix(attribute, v.suffix) {
		return nil
	}
	l.used[text], l.blocks[strings.Join(v.of, ".")] = true, true
	return v.to
}

// resources returns the resources that are in expressions, by the values.
func (l *links) resources() map[string]*resource {
	out := map[string]*resource{}
	for text := range l.used {
		if r := l.values[text].resource; r != nil {
			out[text] = r
		}
	}
	return out
}

// order writes depends_on with the blocks that are in no expression.
func (l *links) order(body *hclwrite.Body) {
	var order []hclwrite.Tokens
	for _, names := range l.targets {
		if !l.blocks[strings.Join(names, ".")] {
			order = append(order, traverse(names...))
		}
	}
	if len(order) > 0 {
		body.SetAttributeRaw("depends_on", hclwrite.TokensForTuple(order))
	}
}
