package objchange_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"
	"pgregory.net/rapid"

	"github.com/landbridge-io/landbridge/internal/terraform/engine/objchange"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
	"github.com/landbridge-io/landbridge/schema"
)

// asConfig returns a value as a possible configuration: with null for computed attributes.
func asConfig(b *schema.Block, v cty.Value) cty.Value {
	out, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if a := b.AttributeByPath(path); a != nil && (v.IsNull() || a.Computed && !a.Optional) {
			return cty.NullVal(a.ImpliedType()), nil // a null has no type of its own
		}
		return v, nil
	})
	if err != nil {
		panic(err)
	}
	return out
}

// asState returns a value as a possible state: with null for write-only attributes.
func asState(b *schema.Block, v cty.Value) cty.Value {
	out, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
		if a := b.AttributeByPath(path); a != nil && a.WriteOnly && !v.IsNull() {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		panic(err)
	}
	return out
}

// The proposed value has the right type and honours the configuration. Proposing again with the
// result as the prior state changes nothing.
func TestProposedNewProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := schematest.Block(t)
		config := asConfig(b, schematest.Value(t, b))
		prior := cty.NullVal(b.ImpliedType())
		if rapid.Bool().Draw(t, "update") {
			prior = asState(b, schematest.Value(t, b))
		}
		proposed := objchange.ProposedNew(b, prior, config)
		if problems := proposed.Type().TestConformance(b.ImpliedType()); len(problems) > 0 {
			t.Fatalf("does not conform: %s", problems)
		}
		if errs := objchange.AssertPlanValid(b, prior, config, proposed); len(errs) > 0 {
			t.Fatalf("does not honour the configuration: %s\nprior %#v\nconfig %#v\nproposed %#v", errs, prior, config, proposed)
		}
		if again := objchange.ProposedNew(b, asState(b, proposed), config); !again.RawEquals(proposed) {
			t.Fatalf("prior    %#v\nconfig   %#v\nproposed %#v\nthen     %#v", prior, config, proposed, again)
		}
	})
}

// A value is compatible with itself and with an unknown value.
func TestAssertObjectCompatibleProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := schematest.Block(t)
		v := schematest.Value(t, b)
		if errs := objchange.AssertObjectCompatible(b, v, v); len(errs) > 0 {
			t.Fatalf("%s\n%#v", errs, v)
		}
		planned, err := cty.Transform(v, func(path cty.Path, v cty.Value) (cty.Value, error) {
			if a := b.AttributeByPath(path); a != nil && rapid.IntRange(0, 3).Draw(t, "unknown") == 0 {
				return cty.UnknownVal(a.ImpliedType()), nil
			}
			return v, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if errs := objchange.AssertObjectCompatible(b, planned, v); len(errs) > 0 {
			t.Fatalf("%s\nplanned %#v\nactual  %#v", errs, planned, v)
		}
	})
}

// A value without null or unknown blocks is not changed.
func TestNormalizeObjectFromLegacySDKProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := schematest.Block(t)
		v := schematest.Value(t, b)
		if got := objchange.NormalizeObjectFromLegacySDK(v, b); !got.RawEquals(v) {
			t.Fatalf("%#v\nbecame %#v", v, got)
		}
	})
}
