package wire

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"
)

// Null is the msgpack of a null value of any type.
var Null = []byte{0xc0}

// IsNull says whether msgpack bytes are a null value.
func IsNull(b []byte) bool { return len(b) == 1 && b[0] == 0xc0 }

// Marshal is the msgpack of v as a value of type ty; cty.NilVal counts as null. Unknown
// values are kept, with their refinements.
func Marshal(v cty.Value, ty cty.Type) (b []byte, err error) {
	if v == cty.NilVal || v.IsKnown() && v.IsNull() && ty != cty.DynamicPseudoType {
		return Null, nil
	}
	defer recovered(&err)
	return ctymsgpack.Marshal(v, ty)
}

// Unmarshal reads the msgpack of a value of type ty. An error about an attribute is a
// cty.PathError.
func Unmarshal(b []byte, ty cty.Type) (v cty.Value, err error) {
	if IsNull(b) {
		return cty.NullVal(ty), nil
	}
	b, err = checkMsgpack(b)
	if err != nil {
		return cty.NilVal, err
	}
	defer recovered(&err)
	v, err = ctymsgpack.Unmarshal(b, ty)
	if err != nil {
		return cty.NilVal, attributePath(err, ty)
	}
	// cty lets objects without all of their attributes pass.
	if got := v.Type(); !got.Equals(ty) {
		if problems := got.TestConformance(ty); len(problems) > 0 {
			return cty.NilVal, problems[0]
		}
	}
	if err := checkNumbers(v); err != nil {
		return cty.NilVal, err
	}
	return v, nil
}

// MarshalJSON is the JSON of v as a value of type ty, as in Terraform's state: v must be
// wholly known; cty.NilVal counts as null. Numbers keep their value in cty's own sense:
// two are equal when their JSON is.
func MarshalJSON(v cty.Value, ty cty.Type) (b []byte, err error) {
	if v == cty.NilVal {
		return []byte("null"), nil
	}
	defer recovered(&err)
	if !v.IsWhollyKnown() {
		return nil, errors.New("value is not known")
	}
	return ctyjson.Marshal(v, ty)
}

// UnmarshalJSON reads the JSON of a value of type ty, as in Terraform's state: attributes
// of ty that are missing are null, ones that it has not are an error.
func UnmarshalJSON(b []byte, ty cty.Type) (v cty.Value, err error) {
	defer recovered(&err)
	v, err = ctyjson.Unmarshal(b, ty)
	if err != nil {
		return cty.NilVal, err
	}
	if err := checkNumbers(v); err != nil {
		return cty.NilVal, err
	}
	return v, nil
}

// attributePath spells the path of an error as paths of values are: cty's msgpack decoder
// speaks of an object's attributes as if they were elements.
func attributePath(err error, t cty.Type) error {
	var at cty.PathError
	if !errors.As(err, &at) {
		return err
	}
	path := at.Path.Copy()
	for i, step := range path {
		index, ok := step.(cty.IndexStep)
		switch {
		case !ok:
			return err
		case t.IsObjectType():
			if index.Key.Type() != cty.String || !index.Key.IsKnown() || index.Key.IsNull() {
				return err
			}
			name := index.Key.AsString()
			path[i] = cty.GetAttrStep{Name: name}
			if !t.HasAttribute(name) {
				return path[:i+1].NewError(errors.New(at.Error()))
			}
			t = t.AttributeType(name)
		case t.IsCollectionType():
			t = t.ElementType()
		default:
			return path.NewError(errors.New(at.Error()))
		}
	}
	return path.NewError(errors.New(at.Error()))
}

// recovered turns a panic of the encodings into an error: foreign bytes must not end the
// program. The panic's text might hold values, so it is not passed on.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("malformed value (%T)", r)
	}
}

// maxExponent bounds a number's binary exponent. Numbers are written as plain decimals, so
// a few bytes such as 1e999999999 would otherwise become gigabytes.
const maxExponent = 1 << 14

func checkNumbers(v cty.Value) error {
	if !hasNumbers(v.Type()) {
		return nil
	}
	return eachNumber(v, func(f *big.Float) error {
		if e := f.MantExp(nil); f.IsInf() || e > maxExponent || e < -maxExponent {
			return errors.New("number out of range")
		}
		return nil
	})
}

func hasNumbers(t cty.Type) bool {
	switch {
	case t == cty.Number:
		return true
	case t.IsCollectionType():
		return hasNumbers(t.ElementType())
	case t.IsObjectType():
		for _, a := range t.AttributeTypes() {
			if hasNumbers(a) {
				return true
			}
		}
	case t.IsTupleType():
		for _, e := range t.TupleElementTypes() {
			if hasNumbers(e) {
				return true
			}
		}
	}
	return false
}

func eachNumber(v cty.Value, f func(*big.Float) error) error {
	v, _ = v.Unmark()
	if !v.IsKnown() || v.IsNull() {
		return nil
	}
	if v.Type() == cty.Number {
		return f(v.AsBigFloat())
	}
	if !v.CanIterateElements() || !hasNumbers(v.Type()) {
		return nil
	}
	for it := v.ElementIterator(); it.Next(); {
		_, e := it.Element()
		if err := eachNumber(e, f); err != nil {
			return err
		}
	}
	return nil
}
