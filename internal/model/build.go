package model

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/schema"
)

// place is the place in a resource type that is being built.
type place struct {
	rules *rules
	// path is Terraform's, with dots.
	path string
	// input and observed report whether fields here can be inputs and observations.
	input, observed bool
	root            bool
	// reserved are names that no field here gets.
	reserved []string
}

func (p place) in(name string) place {
	return place{rules: p.rules, path: p.to(name), input: p.input, observed: p.observed}
}

// to returns the path of a field at this place.
func (p place) to(name string) string {
	if p.path == "" {
		return name
	}
	return p.path + "." + name
}

func blockType(b *schema.Block, p place) *Type {
	fields := make([]*Field, 0, len(b.Attributes)+len(b.Blocks))
	for _, name := range slices.Sorted(maps.Keys(b.Attributes)) {
		fields = append(fields, attributeField(name, b.Attributes[name], p))
	}
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		fields = append(fields, blockField(name, b.Blocks[name], p))
	}
	t := &Type{Kind: Object, Cty: b.ImpliedType(), Object: newFields(fields, p)}
	t.Absent = cty.NullVal(t.Cty)
	return t
}

func attributeField(name string, a *schema.Attribute, p place) *Field {
	inside, c := p.in(name), p.rules.fields[p.to(name)]
	omitted, settled := p.rules.omit[inside.path], p.root && p.rules.settled[name]
	inside.input = p.input && (a.Required || a.Optional) && !omitted && !settled && !(p.root && isImplicitID(name, a))
	inside.observed = p.observed && !a.Sensitive && !c.Sensitive && !a.WriteOnly && !omitted
	f := &Field{
		Name: name, FormerNames: p.rules.fields[inside.path].FormerNames, Input: inside.input,
		Observed: inside.observed, Settled: settled, LateIgnored: p.rules.late[inside.path],
		Required: a.Required, Optional: a.Optional, Computed: a.Computed,
		Sensitive: a.Sensitive || c.Sensitive, WriteOnly: a.WriteOnly,
		Deprecated: a.Deprecated, DeprecationMessage: a.DeprecationMessage,
		Description: cmp.Or(c.Description, strings.TrimSpace(a.Description.Text)),
	}
	if a.Nested == nil {
		f.Type = plainType(a.Type, inside)
		p.rules.present(f.Type, inside.path)
		return f
	}
	nested := make([]*Field, 0, len(a.Nested.Attributes))
	for _, n := range slices.Sorted(maps.Keys(a.Nested.Attributes)) {
		nested = append(nested, attributeField(n, a.Nested.Attributes[n], inside))
	}
	object := &Type{Kind: Object, Cty: a.Nested.ObjectType(), Object: newFields(nested, inside)}
	object.Absent = cty.NullVal(object.Cty)
	f.Type = nestedType(a.Nested.Nesting, object, a.Nested.ImpliedType())
	f.Type.Absent = cty.NullVal(f.Type.Cty)
	return f
}

func blockField(name string, b *schema.NestedBlock, p place) *Field {
	inside := p.in(name)
	omitted := p.rules.omit[inside.path]
	inside.input = p.input && !omitted && (!b.Computed || configurable(b.Block))
	inside.observed = p.observed && !omitted
	f := &Field{
		Name: name, FormerNames: p.rules.fields[inside.path].FormerNames, Input: inside.input,
		Observed: inside.observed, LateIgnored: p.rules.late[inside.path],
		Required: b.MinItems > 0, Optional: b.MinItems == 0 && (!b.Computed || configurable(b.Block)), Computed: b.Computed,
		Deprecated: b.Deprecated, DeprecationMessage: b.DeprecationMessage,
		Description: cmp.Or(p.rules.fields[inside.path].Description, strings.TrimSpace(b.Description.Text)),
	}
	f.Type = nestedType(b.Nesting, blockType(b.Block, inside), b.ImpliedType())
	f.Type.Block = b.Nesting
	f.Type.Absent = b.EmptyValue()
	if f.Type.Kind == List || f.Type.Kind == Set {
		f.Type.MinItems, f.Type.MaxItems = b.MinItems, b.MaxItems
		f.Type.Singleton = b.MaxItems == 1
	}
	return f
}

// configurable reports whether a computed block can also be configured: an argument in it is
// optional.
func configurable(b *schema.Block) bool {
	for _, a := range b.Attributes {
		if a.Optional {
			return true
		}
	}
	for _, n := range b.Blocks {
		if configurable(n.Block) {
			return true
		}
	}
	return false
}

func nestedType(nesting schema.Nesting, object *Type, implied cty.Type) *Type {
	switch nesting {
	case schema.NestingList:
		return &Type{Kind: List, Cty: implied, Element: object}
	case schema.NestingSet:
		return &Type{Kind: Set, Cty: implied, Element: object}
	case schema.NestingMap:
		return &Type{Kind: Map, Cty: implied, Element: object}
	default:
		t := *object
		t.Cty = implied
		return &t
	}
}

// isImplicitID reports whether an attribute is the id that SDKv2 adds to every resource. It is
// optional only for compatibility with old configurations, and the SDK refuses it if it is set.
func isImplicitID(name string, a *schema.Attribute) bool {
	return name == "id" && a.Optional && a.Computed && a.Nested == nil && a.Type == cty.String && a.Description.Text == ""
}

// PlainType returns a cty type without a schema, such as the type of a plain attribute. The fields
// of its objects are inputs and observations.
func PlainType(t cty.Type) *Type {
	return plainType(t, place{rules: &rules{}, input: true, observed: true})
}

func plainType(t cty.Type, p place) *Type {
	out := &Type{Cty: t, Absent: cty.NullVal(t)}
	switch {
	case t == cty.String:
		out.Kind = String
	case t == cty.Number:
		out.Kind = Number
	case t == cty.Bool:
		out.Kind = Bool
	case t.IsListType():
		out.Kind, out.Element = List, plainType(t.ElementType(), p)
	case t.IsSetType():
		out.Kind, out.Element = Set, plainType(t.ElementType(), p)
	case t.IsMapType():
		out.Kind, out.Element = Map, plainType(t.ElementType(), p)
	case t.IsTupleType():
		out.Kind = Tuple
		for _, e := range t.TupleElementTypes() {
			out.Tuple = append(out.Tuple, plainType(e, p))
		}
	case t.IsObjectType():
		out.Kind = Object
		var fields []*Field
		for _, name := range slices.Sorted(maps.Keys(t.AttributeTypes())) {
			inside := p.in(name)
			omitted := p.rules.omit[inside.path]
			f := &Field{
				Name: name, FormerNames: p.rules.fields[inside.path].FormerNames, Type: plainType(t.AttributeType(name), inside),
				Input: !omitted, Observed: !omitted, Optional: true, LateIgnored: p.rules.late[inside.path],
				Description: p.rules.fields[inside.path].Description,
			}
			p.rules.present(f.Type, inside.path)
			fields = append(fields, f)
		}
		out.Object = newFields(fields, p)
	default:
		out.Kind = Dynamic
	}
	return out
}

// newFields names the fields. It claims all names that a field could have, also unused ones. A flag
// that changes between versions of a provider then renames no other field.
func newFields(fields []*Field, p place) *Fields {
	slices.SortFunc(fields, func(a, b *Field) int { return strings.Compare(a.Name, b.Name) })
	out := &Fields{
		All:       fields,
		terraform: make(map[string]*Field, len(fields)),
		json:      make(map[string]*Field, len(fields)),
		input:     make(map[string]*Field, len(fields)),
	}
	taken := make(map[string]bool, len(fields))
	for _, name := range p.reserved {
		taken[name] = true
	}
	p.rules.rename(fields, p, taken)
	for _, f := range fields {
		if f.JSONName == "" {
			f.JSONName = claim(taken, camelCase(f.Name), f.Name)
		}
	}
	for _, f := range fields {
		if f.Input && f.Secret() {
			f.SecretRef = claim(taken, f.JSONName+"SecretRef")
		}
		out.secret = out.secret || f.Secret() || f.Type.HasSecrets()
		out.terraform[f.Name] = f
		out.json[f.JSONName] = f
		if f.Input {
			out.input[f.InputName()] = f
		}
	}
	return out
}
