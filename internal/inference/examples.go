package inference

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/model"
)

// place is an attribute of a resource type, by its Terraform path with dots.
type place struct{ resourceType, path string }

// source is the attribute of a resource type that has the value.
type source struct{ resourceType, attribute string }

// examples are the attributes of other resources that examples set attributes to, and their files.
type examples struct {
	provider *model.Provider
	found    map[place]map[source][]string
	file     string
}

// read collects the references of all resources in a snippet.
func (e *examples) read(s snippet) {
	e.file = s.file
	for _, b := range s.body.Blocks {
		if b.Type != "resource" || len(b.Labels) != 2 {
			continue
		}
		if r := e.provider.Resources[b.Labels[0]]; r != nil {
			e.body(place{resourceType: r.Type}, r.Root(), b.Body)
		}
	}
}

func (p place) in(name string) place {
	if p.path != "" {
		name = p.path + "." + name
	}
	return place{p.resourceType, name}
}

func (e *examples) body(at place, t *model.Type, body *hclsyntax.Body) {
	for t.Element != nil {
		t = t.Element
	}
	if t.Object == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(body.Attributes)) {
		if f := t.Object.ByTerraform(name); f != nil {
			e.field(at.in(name), f, body.Attributes[name].Expr)
		}
	}
	for _, b := range body.Blocks {
		name, inner := b.Type, b.Body
		if name == "dynamic" && len(b.Labels) == 1 {
			i := slices.IndexFunc(inner.Blocks, func(x *hclsyntax.Block) bool { return x.Type == "content" })
			if i < 0 {
				continue
			}
			name, inner = b.Labels[0], inner.Blocks[i].Body
		}
		if f := t.Object.ByTerraform(name); f != nil && f.Input && !f.Secret() {
			e.body(at.in(name), f.Type, inner)
		}
	}
}

func (e *examples) field(at place, f *model.Field, x hclsyntax.Expression) {
	if !f.Input || f.Secret() {
		return
	}
	e.value(at, f.Type, x)
}

// value collects the references in a value of a type.
func (e *examples) value(at place, t *model.Type, x hclsyntax.Expression) {
	switch x := plain(x).(type) {
	case *hclsyntax.ScopeTraversalExpr:
		if t.IsPrimitive() {
			e.note(at, x.Traversal)
		}
	case *hclsyntax.SplatExpr:
		source, ok := plain(x.Source).(*hclsyntax.ScopeTraversalExpr)
		each, isAttribute := x.Each.(*hclsyntax.RelativeTraversalExpr)
		if ok && isAttribute && isList(t) && t.Element.IsPrimitive() {
			e.note(at, append(slices.Clone(source.Traversal), each.Traversal...))
		}
	case *hclsyntax.TupleConsExpr:
		if isList(t) {
			for _, one := range x.Exprs {
				e.value(at, t.Element, one)
			}
		}
	case *hclsyntax.ObjectConsExpr:
		e.object(at, t, x)
	}
}

func (e *examples) object(at place, t *model.Type, x *hclsyntax.ObjectConsExpr) {
	if t.Singleton {
		t = t.Element
	}
	for _, item := range x.Items {
		switch {
		case t.Kind == model.Map && t.Element.Object != nil:
			e.value(at, t.Element, item.ValueExpr)
		case t.Object != nil:
			key, diags := item.KeyExpr.Value(nil)
			if diags.HasErrors() || !key.IsKnown() || key.IsNull() || key.Type() != cty.String {
				continue
			}
			if f := t.Object.ByTerraform(key.AsString()); f != nil {
				e.field(at.in(f.Name), f, item.ValueExpr)
			}
		}
	}
}

// isList reports whether a value of the type is written as a tuple.
func isList(t *model.Type) bool { return t.Kind == model.List || t.Kind == model.Set }

// plain returns an expression without parentheses, and without quotes as in "${aws_vpc.main.id}".
func plain(x hclsyntax.Expression) hclsyntax.Expression {
	for {
		switch inner := x.(type) {
		case *hclsyntax.TemplateWrapExpr:
			x = inner.Wrapped
		case *hclsyntax.ParenthesesExpr:
			x = inner.Expression
		default:
			return x
		}
	}
}

// note collects an attribute of a resource, as in aws_vpc.main.id or aws_vpc.main[0].id.
func (e *examples) note(at place, t hcl.Traversal) {
	target := e.provider.Resources[t.RootName()]
	if target == nil || len(t) < 3 {
		return
	}
	if _, named := t[1].(hcl.TraverseAttr); !named {
		return
	}
	var path []string
	for i, step := range t[2:] {
		switch step := step.(type) {
		case hcl.TraverseAttr:
			path = append(path, step.Name)
		case hcl.TraverseIndex:
			// Of the resource, or of a block that there is one of: everything else is found out
			// below.
			if i > 0 && (!step.Key.Type().Equals(cty.Number) || !step.Key.RawEquals(cty.NumberIntVal(0))) {
				return
			}
		default:
			return
		}
	}
	attribute := strings.Join(path, ".")
	if attribute == "" || !target.HasValue(attribute) {
		return
	}
	to := source{target.Type, attribute}
	if e.found[at] == nil {
		e.found[at] = map[source][]string{}
	}
	e.found[at][to] = append(e.found[at][to], e.file)
}

// references returns the inferred references, sorted.
func (e *examples) references() []Reference {
	var out []Reference
	for at, targets := range e.found {
		r := Reference{Type: at.resourceType, Path: at.path}
		// The most frequent source comes first.
		sorted := slices.SortedFunc(maps.Keys(targets), func(a, b source) int {
			return cmp.Or(cmp.Compare(len(targets[b]), len(targets[a])), cmp.Compare(a.resourceType, b.resourceType),
				cmp.Compare(a.attribute, b.attribute))
		})
		kinds := map[string]bool{}
		for _, t := range sorted {
			// Only one source of each type, and of each kind, can be a target.
			kind := e.provider.Resources[t.resourceType].Kind
			if kinds[kind] {
				continue
			}
			kinds[kind] = true
			r.Targets = append(r.Targets, config.Target{Type: t.resourceType, Attribute: t.attribute})
			r.Files = append(r.Files, targets[t]...)
		}
		slices.Sort(r.Files)
		r.Files = slices.Compact(r.Files)
		out = append(out, r)
	}
	slices.SortFunc(out, func(a, b Reference) int { return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Path, b.Path)) })
	return out
}
