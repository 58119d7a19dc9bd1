package translate

import (
	"encoding/json"
	"fmt"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Encode returns the value as lossless JSON, including sensitive values. Decode is its inverse.
// Every field is under its JSONName. Numbers are int64, float64 or, if neither holds them, strings.
// The value must be wholly known and of the type.
func Encode(t *model.Type, v cty.Value) (out any, err error) {
	if !v.IsWhollyKnown() {
		return nil, fmt.Errorf("the value is not wholly known")
	}
	if errs := v.Type().TestConformance(t.Cty); len(errs) > 0 {
		return nil, fmt.Errorf("the value does not have the type: %w", errs[0])
	}
	return encoder{whole: true}.value(t, v), nil
}

// encoder converts a cty value to JSON.
type encoder struct {
	// whole is set for all fields, exact numbers and no simplification. Otherwise the output is in
	// the form of status.
	whole bool
	// plain is set if values whose type is not known beforehand are plain JSON, as in the output of
	// Terraform. Otherwise their types are written out, so that they can be read again. The form of
	// status is always plain.
	plain bool
	// inputs is set for the form of spec, without secret values.
	inputs bool
	// unknown is the output for unknown values. Defaults to null.
	unknown any
	// orRaw is set to output values that cannot be presented as the field's type in the form of
	// Terraform. Otherwise they are left out.
	orRaw bool
}

func (e encoder) value(t *model.Type, v cty.Value) any {
	v, _ = v.Unmark()
	if !v.IsKnown() {
		return e.unknown
	}
	if v.IsNull() && t.Kind != model.Dynamic {
		return nil
	}
	if t.As != "" && !e.whole {
		out, ok := presented(t, v)
		switch {
		case ok:
			return out
		case !e.orRaw:
			return nil
		}
	}
	switch t.Kind {
	case model.String:
		return v.AsString()
	case model.Bool:
		return v.True()
	case model.Number:
		n, exact := numberToJSON(v)
		switch {
		case exact || !e.whole:
			return n
		case e.plain:
			return json.Number(numberText(v))
		}
		return numberText(v)
	case model.Dynamic:
		return e.dynamic(v)
	case model.List, model.Set:
		if t.Singleton && !e.whole {
			for it := v.ElementIterator(); it.Next(); {
				_, x := it.Element()
				return e.value(t.Element, x)
			}
			return nil
		}
		out := make([]any, 0, v.LengthInt())
		for it := v.ElementIterator(); it.Next(); {
			_, x := it.Element()
			out = append(out, e.value(t.Element, x))
		}
		return out
	case model.Tuple:
		out := make([]any, 0, len(t.Tuple))
		for it := v.ElementIterator(); it.Next(); {
			_, x := it.Element()
			out = append(out, e.value(t.Tuple[len(out)], x))
		}
		return out
	case model.Map:
		out := make(map[string]any, v.LengthInt())
		for it := v.ElementIterator(); it.Next(); {
			k, x := it.Element()
			out[k.AsString()] = e.value(t.Element, x)
		}
		return out
	case model.Object:
		return e.object(t, v)
	}
	return nil
}

func (e encoder) object(t *model.Type, v cty.Value) map[string]any {
	out := make(map[string]any, len(t.Object.All))
	for _, f := range t.Object.All {
		if !e.whole && (e.inputs && (!f.Input || f.SecretRef != "") || !e.inputs && !f.Observed) {
			continue
		}
		x := v.GetAttr(f.Name)
		// A null of a specific type in a dynamically typed field must keep its type.
		if x.IsKnown() && f.Type.IsAbsent(x) && f.Type.Kind != model.Dynamic {
			continue
		}
		if j := e.value(f.Type, x); j != nil {
			out[f.JSONName] = j
		}
	}
	return out
}

// dynamic writes a dynamically typed value.
func (e encoder) dynamic(v cty.Value) any {
	v, _ = v.Unmark()
	if !v.IsKnown() {
		return e.unknown
	}
	ty := v.Type()
	if e.plain || !e.whole && !e.inputs {
		return e.verbatim(v)
	}
	if v.IsNull() {
		if ty == cty.DynamicPseudoType || !e.whole {
			return nil
		}
		return writeOut(v)
	}
	switch {
	case ty == cty.String:
		return v.AsString()
	case ty == cty.Bool:
		return v.True()
	case ty == cty.Number:
		n, exact := numberToJSON(v)
		if !exact {
			return writeOut(v)
		}
		return n
	case ty.IsTupleType():
		out := make([]any, 0, v.LengthInt())
		for it := v.ElementIterator(); it.Next(); {
			_, x := it.Element()
			out = append(out, e.dynamic(x))
		}
		return out
	case ty.IsObjectType():
		out := make(map[string]any, v.LengthInt())
		for it := v.ElementIterator(); it.Next(); {
			k, x := it.Element()
			out[k.AsString()] = e.dynamic(x)
		}
		_, hasType := out[dynamicType]
		_, hasValue := out[dynamicValue]
		if hasType && hasValue && len(out) == 2 {
			return writeOut(v) // it looks like the written-out form
		}
		return out
	default:
		return writeOut(v)
	}
}

func writeOut(v cty.Value) any {
	raw, err := ctyjson.MarshalType(v.Type())
	if err != nil {
		return nil
	}
	var ty any
	if err := json.Unmarshal(raw, &ty); err != nil {
		return nil
	}
	return map[string]any{dynamicType: ty, dynamicValue: encoder{whole: true}.verbatim(v)}
}

// verbatim writes a value whose type is written separately, or not at all. Names stay as they are.
func (e encoder) verbatim(v cty.Value) any {
	v, _ = v.Unmark()
	if !v.IsKnown() {
		return e.unknown
	}
	if v.IsNull() {
		return nil
	}
	ty := v.Type()
	switch {
	case ty == cty.String:
		return v.AsString()
	case ty == cty.Bool:
		return v.True()
	case ty == cty.Number:
		return e.value(&model.Type{Kind: model.Number}, v)
	case ty.IsMapType(), ty.IsObjectType():
		out := make(map[string]any, v.LengthInt())
		for it := v.ElementIterator(); it.Next(); {
			k, x := it.Element()
			out[k.AsString()] = e.verbatim(x)
		}
		return out
	default:
		out := make([]any, 0, v.LengthInt())
		for it := v.ElementIterator(); it.Next(); {
			_, x := it.Element()
			out = append(out, e.verbatim(x))
		}
		return out
	}
}

// verbatim returns the inverse of the encoder's.
func (d *decoder) verbatim(ty cty.Type, in any) cty.Value {
	t := &model.Type{Cty: ty, Absent: cty.NullVal(ty)}
	if in == nil {
		return t.Absent
	}
	list, isList := in.([]any)
	object, isObject := in.(map[string]any)
	switch {
	case ty.IsPrimitiveType(), ty == cty.DynamicPseudoType:
		return d.value(model.PlainType(ty), in)
	case ty.IsListType() && isList, ty.IsSetType() && isList:
		t.Kind = model.List
		if ty.IsSetType() {
			t.Kind = model.Set
		}
		values := make([]cty.Value, len(list))
		for i, x := range list {
			values[i] = d.verbatim(ty.ElementType(), x)
		}
		return d.collect(t, values)
	case ty.IsTupleType() && isList && len(list) == ty.Length():
		values := make([]cty.Value, len(list))
		for i, x := range list {
			values[i] = d.verbatim(ty.TupleElementType(i), x)
		}
		return cty.TupleVal(values)
	case ty.IsMapType() && isObject:
		if len(object) == 0 {
			return cty.MapValEmpty(ty.ElementType())
		}
		values := make(map[string]cty.Value, len(object))
		for k, x := range object {
			values[k] = d.verbatim(ty.ElementType(), x)
		}
		if d.diags.HasErrors() {
			return t.Absent
		}
		t.Kind = model.Map
		return d.unifyMap(t, values)
	case ty.IsObjectType() && isObject:
		values := make(map[string]cty.Value, len(object))
		for k := range object {
			if !ty.HasAttribute(k) {
				d.diags = append(d.diags, diagnostic.AttributeErrorf(append(d.path.Copy(), cty.GetAttrStep{Name: k}),
					unsupportedArgument, "The %s does not have it.", dynamicType)...)
			}
		}
		for k, at := range ty.AttributeTypes() {
			values[k] = d.verbatim(at, object[k])
		}
		return cty.ObjectVal(values)
	}
	return d.errorf(t, incorrectType, "The %s does not have the %s.", dynamicValue, dynamicType)
}
