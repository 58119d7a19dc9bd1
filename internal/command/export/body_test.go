package export_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/command/export"
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

// What is written evaluates to the same value. Dynamically typed values have types that no
// expression has, such as an empty list of lists: of those it is valid.
func TestBodyEvaluatesToTheValue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := schematest.Block(t)
		v := schematest.Value(t, b)
		text, values, _ := export.Body(b, v, nil)
		if b.ImpliedType().HasDynamicTypes() {
			if _, diags := hclsyntax.ParseConfig(text, "main.tf", hcl.InitialPos); diags.HasErrors() {
				t.Fatalf("%s\n%s", diags, text)
			}
			return
		}
		if got := evaluate(t, text, b, values); !got.RawEquals(v) {
			t.Fatalf("got %#v\nwant %#v\n%s", got, v, text)
		}
	})
}

func evaluate(t *rapid.T, text []byte, b *schema.Block, values map[string]cty.Value) cty.Value {
	f, diags := hclsyntax.ParseConfig(text, "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("%s\n%s", diags, text)
	}
	to := func(of func(cty.Type) cty.Type) function.Function {
		return stdlib.MakeToFunc(of(cty.DynamicPseudoType))
	}
	ctx := &hcl.EvalContext{
		Variables: map[string]cty.Value{"var": cty.ObjectVal(values)},
		Functions: map[string]function.Function{"tolist": to(cty.List), "toset": to(cty.Set), "tomap": to(cty.Map)},
	}
	return blockOf(t, f.Body.(*hclsyntax.Body), b, ctx)
}

func blockOf(t *rapid.T, body *hclsyntax.Body, b *schema.Block, ctx *hcl.EvalContext) cty.Value {
	out := b.EmptyValue().AsValueMap()
	if out == nil {
		return cty.EmptyObjectVal
	}
	for name, a := range body.Attributes {
		v, diags := a.Expr.Value(ctx)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		var err error
		if out[name], err = convert.Convert(v, optional(b.Attributes[name].ImpliedType())); err != nil {
			t.Fatalf("%s: %s", name, err)
		}
	}
	all := map[string][]*hclsyntax.Block{}
	for _, x := range body.Blocks {
		all[x.Type] = append(all[x.Type], x)
	}
	for name, blocks := range all {
		n := b.Blocks[name]
		var list []cty.Value
		keyed := map[string]cty.Value{}
		for _, x := range blocks {
			v := blockOf(t, x.Body, n.Block, ctx)
			list = append(list, v)
			if len(x.Labels) > 0 {
				keyed[x.Labels[0]] = v
			}
		}
		v := list[0]
		switch n.Nesting {
		case schema.NestingList, schema.NestingSet:
			v = cty.TupleVal(list)
		case schema.NestingMap:
			v = cty.ObjectVal(keyed)
		}
		var err error
		if out[name], err = convert.Convert(v, n.ImpliedType()); err != nil {
			t.Fatalf("%s: %s", name, err)
		}
	}
	return cty.ObjectVal(out)
}

// Objects and tuples are written as they are. Collections keep their types.
func TestDynamicValues(t *testing.T) {
	t.Parallel()
	b := &schema.Block{Attributes: map[string]*schema.Attribute{"any": {Type: cty.DynamicPseudoType, Optional: true}}}
	text := cty.StringVal("x")
	for want, v := range map[string]cty.Value{
		"[\"x\", 1]":               cty.TupleVal([]cty.Value{text, cty.NumberIntVal(1)}),
		"tolist([\"x\"])":          cty.ListVal([]cty.Value{text}),
		"toset([\"x\"])":           cty.SetVal([]cty.Value{text}),
		"{\n  a = null\n}":         cty.ObjectVal(map[string]cty.Value{"a": cty.NullVal(cty.String)}),
		"tomap({\n  a = \"x\"\n})": cty.MapVal(map[string]cty.Value{"a": text}),
	} {
		got, _, _ := export.Body(b, cty.ObjectVal(map[string]cty.Value{"any": v}), nil)
		if string(got) != "any = "+want+"\n" {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// optional returns a type all of whose attributes are optional.
func optional(t cty.Type) cty.Type {
	switch {
	case t.IsListType():
		return cty.List(optional(t.ElementType()))
	case t.IsSetType():
		return cty.Set(optional(t.ElementType()))
	case t.IsMapType():
		return cty.Map(optional(t.ElementType()))
	case t.IsTupleType():
		elements := slices.Clone(t.TupleElementTypes())
		for i := range elements {
			elements[i] = optional(elements[i])
		}
		return cty.Tuple(elements)
	case t.IsObjectType():
		types, names := map[string]cty.Type{}, []string{}
		for name, a := range t.AttributeTypes() {
			types[name], names = optional(a), append(names, name)
		}
		return cty.ObjectWithOptionalAttrs(types, names)
	}
	return t
}

// No sensitive value is in the text: neither of sensitive attributes, nor of those that a Secret
// has.
func TestSensitiveValuesAreVariables(t *testing.T) {
	t.Parallel()
	text := func(a schema.Attribute) *schema.Attribute { a.Type, a.Optional = cty.String, true; return &a }
	inner := &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"key": text(schema.Attribute{Sensitive: true}), "name": text(schema.Attribute{}),
		},
	}
	b := &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"plain": text(schema.Attribute{}), "once": text(schema.Attribute{WriteOnly: true}), "tags": {Type: cty.Map(cty.String), Optional: true},
		},
		Blocks: map[string]*schema.NestedBlock{
			"set": {Nesting: schema.NestingSet, Block: inner}, "one": {Nesting: schema.NestingSingle, Block: inner},
		},
	}
	s := func(name string) cty.Value { return cty.StringVal("hunter2-" + name) }
	pair := cty.ObjectVal(map[string]cty.Value{"key": s("key"), "name": cty.StringVal("n")})
	v := cty.ObjectVal(map[string]cty.Value{
		"plain": cty.StringVal("${x}"), "once": s("once"), "tags": cty.MapVal(map[string]cty.Value{"a b": s("tag"), "c": cty.StringVal("d")}),
		"set": cty.SetVal([]cty.Value{pair}), "one": pair,
	})
	out, values, concealed := export.Body(b, v, []cty.Path{cty.GetAttrPath("tags").IndexString("a b")})
	want := `once  = var.x_once
plain = "$${x}"
tags = {
  "a b" = var.x_tags_a_b
  c     = "d"
}
one {
  key  = var.x_one_key
  name = "n"
}
set {
  key  = var.x_set_key
  name = "n"
}
`
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
	if strings.Contains(string(out), "hunter2") || len(values) != 4 || values["x_set_key"].AsString() != "hunter2-key" {
		t.Errorf("%v\n%s", values, out)
	}
	var paths []string
	for _, p := range concealed {
		paths = append(paths, diagnostic.FormatPath(p))
	}
	if diff := cmp.Diff([]string{`tags["a b"]`, "one.key", "set"}, paths); diff != "" {
		t.Errorf("-want, +got:\n%s", diff)
	}
}
