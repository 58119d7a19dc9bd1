package engine_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

// nestedSecrets has write-only attributes at every possible place.
func nestedSecrets() *schema.Resource {
	secret := map[string]*schema.Attribute{
		"wo": {Type: cty.String, Optional: true, WriteOnly: true}, "o": {Type: cty.String, Optional: true},
	}
	return &schema.Resource{Type: "test_thing", Block: &schema.Block{
		Attributes: map[string]*schema.Attribute{
			"list": {Optional: true, Nested: &schema.NestedAttributes{Nesting: schema.NestingList, Attributes: secret}},
			"all":  {Optional: true, WriteOnly: true, Nested: &schema.NestedAttributes{Nesting: schema.NestingSingle, Attributes: secret}},
		},
		Blocks: map[string]*schema.NestedBlock{"block": {Nesting: schema.NestingMap, Block: &schema.Block{Attributes: secret}}},
	}}
}

// Write-only values are found at every place, and not stored.
func TestNestedWriteOnly(t *testing.T) {
	f := newFixture(t, nestedSecrets())
	leaf := func(wo cty.Value) cty.Value { return cty.ObjectVal(map[string]cty.Value{"wo": wo, "o": str("o")}) }
	value := func(wo cty.Value, all cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{
			"list": cty.ListVal([]cty.Value{leaf(null), leaf(wo)}), "all": all,
			"block": cty.MapVal(map[string]cty.Value{"k": leaf(wo)}),
		})
	}
	clean := value(null, cty.NullVal(leaf(null).Type()))
	f.plansTo(clean)
	f.answersApply(value(str("hunter2"), leaf(str("hunter2"))), "p", cty.NilVal, nil)
	out, diags := f.create(value(str("hunter2"), leaf(str("hunter2"))))
	wantEqual(t, "errors", diags.Errors().String(), ""+
		`all: Provider produced invalid object: The result has a value for this write-only attribute, where only null is allowed. This is a bug in the provider, which should be reported in the provider's own issue tracker.
block["k"].wo: Provider produced invalid object: The result has a value for this write-only attribute, where only null is allowed. This is a bug in the provider, which should be reported in the provider's own issue tracker.
list[1].wo: Provider produced invalid object: The result has a value for this write-only attribute, where only null is allowed. This is a bug in the provider, which should be reported in the provider's own issue tracker.`)
	wantValue(t, "state", out.State, clean)
	wantEqual(t, "status", out.Status, instance.Tainted)
}

// The path of an error inside a set ends at the set: the element's key is its value.
func TestUnknownInSet(t *testing.T) {
	r := &schema.Resource{Type: "test_thing", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
		"set": {Type: cty.Set(cty.Object(map[string]cty.Type{"a": cty.String, "b": cty.String})), Optional: true},
	}}}
	f := newFixture(t, r)
	value := cty.ObjectVal(map[string]cty.Value{
		"set": cty.SetVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"a": str("hunter2"), "b": unknown})}),
	})
	f.answersApply(value, "p", cty.NilVal, providerError("No", ""))
	out, diags := f.create(cty.ObjectVal(map[string]cty.Value{"set": cty.NullVal(value.GetAttr("set").Type())}))
	errs := diags.Errors()
	if len(errs) != 2 || !errs[1].Attribute.Equals(cty.GetAttrPath("set")) {
		t.Errorf("%s", diags)
	}
	wantValue(t, "state", out.State, cty.ObjectVal(map[string]cty.Value{
		"set": cty.SetVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{"a": str("hunter2"), "b": null})}),
	}))
}

// Values of a schema that the legacy SDK cannot express are not normalized.
func TestProvenModern(t *testing.T) {
	leaf := &schema.Block{Attributes: map[string]*schema.Attribute{"x": {Type: cty.String, Optional: true}}}
	for name, extra := range map[string]*schema.Attribute{
		"nested":        {Optional: true, Nested: &schema.NestedAttributes{Nesting: schema.NestingSingle, Attributes: leaf.Attributes}},
		"object":        {Optional: true, Type: cty.Object(map[string]cty.Type{"x": cty.String})},
		"tuple":         {Optional: true, Type: cty.Tuple([]cty.Type{cty.String})},
		"map of object": {Optional: true, Type: cty.Map(cty.Object(map[string]cty.Type{"x": cty.String}))},
	} {
		t.Run(name, func(t *testing.T) {
			r := &schema.Resource{Type: "test_thing", Block: &schema.Block{
				Attributes: map[string]*schema.Attribute{"extra": extra},
				Blocks:     map[string]*schema.NestedBlock{"b": {Nesting: schema.NestingList, Block: leaf}},
			}}
			f := newFixture(t, r)
			value := cty.ObjectVal(map[string]cty.Value{"extra": cty.NullVal(extra.ImpliedType()), "b": cty.NullVal(cty.List(leaf.ImpliedType()))})
			f.answersRead(value, "", cty.NilVal)
			out, diags := f.refresh(f.existing(r.Block.EmptyValue(), cty.NilVal, ""))
			wantNoErrors(t, diags)
			wantValue(t, "state", out.Instance.State, value)
		})
	}
}

// Only keys that the schema does not have are dropped, at any depth.
func TestStripUnknownKeys(t *testing.T) {
	inner := cty.Object(map[string]cty.Type{"k": cty.String})
	r := &schema.Resource{Type: "test_thing", Version: 1, Block: &schema.Block{Attributes: map[string]*schema.Attribute{
		"map": {Type: cty.Map(inner), Optional: true}, "set": {Type: cty.Set(inner), Optional: true},
		"tuple": {Type: cty.Tuple([]cty.Type{inner, cty.Number}), Optional: true}, "any": {Type: cty.DynamicPseudoType, Optional: true},
		"plain": {Type: cty.Map(cty.String), Optional: true},
	}}}
	f := newFixture(t, r)
	_, diags := f.refresh(f.stored(`{"version":1,"status":"Full","schemaVersion":1,"state":{
		"gone":1,"map":{"<a>":{"k":"1","gone":2}},"set":[{"k":"1","gone":[3]}],"tuple":[{"k":"1","gone":{}},1.50],
		"any":{"value":{"kept":1},"type":["object",{"kept":"number"}]},"plain":{"kept":"1"}}}`))
	wantNoErrors(t, diags)
	wantEqual(t, "JSON sent", string(last[*tfprotov6.UpgradeResourceStateRequest](f).RawState.JSON),
		`{"any":{"type":["object",{"kept":"number"}],"value":{"kept":1}},"map":{"<a>":{"k":"1"}},"plain":{"kept":"1"},"set":[{"k":"1"}],"tuple":[{"k":"1"},1.50]}`)
}

// Blocks of dynamic type are checked in answers and in configurations.
func TestDynamicBlocks(t *testing.T) {
	leaf := &schema.Block{Attributes: map[string]*schema.Attribute{
		"any": {Type: cty.DynamicPseudoType, Optional: true}, "o": {Type: cty.String, Optional: true},
	}}
	r := &schema.Resource{Type: "test_thing", Block: &schema.Block{Blocks: map[string]*schema.NestedBlock{
		"outer": {Nesting: schema.NestingSingle, Block: &schema.Block{Blocks: map[string]*schema.NestedBlock{
			"list": {Nesting: schema.NestingList, Block: leaf}, "map": {Nesting: schema.NestingMap, Block: leaf},
		}}},
	}}}
	value := func(list, m cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"outer": cty.ObjectVal(map[string]cty.Value{"list": list, "map": m})})
	}
	object := func(any cty.Value, o cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"any": any, "o": o})
	}
	good := value(cty.TupleVal([]cty.Value{object(cty.True, str("a")), object(str("x"), null)}),
		cty.ObjectVal(map[string]cty.Value{"k": object(cty.True, null)}))
	f := newFixture(t, r)
	in, diags := f.create(good)
	wantNoErrors(t, diags)
	wantValue(t, "state", in.State, good)
	p, diags := f.plan(in, good)
	wantNoErrors(t, diags)
	wantEqual(t, "action", string(p.Action), "NoOp")
	for name, bad := range map[string]cty.Value{
		"list is a string":   value(str("x"), cty.EmptyObjectVal),
		"map is a tuple":     value(cty.EmptyTupleVal, cty.EmptyTupleVal),
		"element is a bool":  value(cty.TupleVal([]cty.Value{cty.True}), cty.EmptyObjectVal),
		"attribute missing":  value(cty.TupleVal([]cty.Value{cty.EmptyObjectVal}), cty.EmptyObjectVal),
		"attribute mistyped": value(cty.EmptyTupleVal, cty.ObjectVal(map[string]cty.Value{"k": object(cty.True, cty.EmptyTupleVal)})),
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, r)
			f.answersRead(bad, "", cty.NilVal)
			_, diags := f.refresh(in)
			wantError(t, diags, "Provider produced invalid object")
			_, diags = f.plan(in, bad)
			wantError(t, diags, "Incorrect attribute value type")
		})
	}
	for name, empty := range map[string]cty.Value{
		"null": value(cty.NullVal(cty.DynamicPseudoType), cty.NullVal(cty.DynamicPseudoType)),
		"gone": cty.NullVal(r.ImpliedType()),
	} {
		f.answersRead(empty, "", cty.NilVal)
		if _, diags := f.refresh(in); diags.HasErrors() {
			t.Errorf("%s: %s", name, diags)
		}
	}
}

// Paths end at a sensitive attribute: a map's keys may be secret, too.
func TestSensitivePaths(t *testing.T) {
	f := newFixture(t, &schema.Resource{Type: "test_thing", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
		"secrets": {Type: cty.Map(cty.String), Optional: true, Sensitive: true},
		"nested": {
			Optional: true, Sensitive: true,
			Nested: &schema.NestedAttributes{Nesting: schema.NestingMap, Attributes: map[string]*schema.Attribute{
				"o": {Type: cty.String, Optional: true},
			}},
		},
	}}})
	value := func(key, v string) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{
			"secrets": cty.MapVal(map[string]cty.Value{key: str(v)}),
			"nested":  cty.MapVal(map[string]cty.Value{key: cty.ObjectVal(map[string]cty.Value{"o": str(v)})}),
		})
	}
	config := value("hunter1", "hunter2")
	f.plansTo(value("hunter3", "hunter4"))
	_, planned := f.plan(instance.Instance{}, config)
	f.plansProposed()
	f.answersApply(value("hunter5", "hunter6"), "", cty.NilVal, nil)
	_, applied := f.create(config)
	f.answersApply(cty.ObjectVal(map[string]cty.Value{
		"secrets": cty.MapVal(map[string]cty.Value{"hunter7": unknown}), "nested": config.GetAttr("nested"),
	}), "", cty.NilVal, nil)
	_, unknowns := f.create(config)
	f.Apply = func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
		return &tfprotov6.ApplyResourceChangeResponse{
			NewState: &tfprotov6.DynamicValue{MsgPack: []byte("\x82\xa7secrets\x81\xa7hunter8\x90\xa6nested\xc0")},
		}, nil
	}
	_, malformed := f.create(config)
	for name, diags := range map[string]diagnostic.Diagnostics{
		"planned": planned, "applied": applied, "unknown": unknowns, "malformed": malformed,
	} {
		if text := diags.String(); !diags.HasErrors() || strings.Contains(text, "hunter") ||
			!strings.Contains(text, "secrets: ") && !strings.Contains(text, "nested: ") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
