package wire

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	ctymsgpack "github.com/zclconf/go-cty/cty/msgpack"
)

// Null is null in msgpack, for any type.
var Null = []byte{0xc0}

// IsNull reports whether msgpack bytes are null.
func IsNull(b []byte) bool { return len(b) == 1 && b[0] == 0xc0 }

// Marshal returns v as msgpack of type ty; cty.NilVal is null. Unknown values keep their
// refinements.
func Marshal(v cty.Value, ty cty.Type) (b []byte, err error) {
	if v == cty.NilVal || v.IsKnown() && v.IsNull() && ty != cty.DynamicPseudoType {
		return Null, nil
	}
	defer recovered(&err)
	return ctymsgpack.Marshal(v, ty)
}

// Unmarshal decodes msgpack of type ty. An error about an attribute is a cty.PathError.
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
	// cty accepts objects that lack attributes.
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

// MarshalJSON returns v as JSON of type ty, as in Terraform's state. v must be wholly known;
// cty.NilVal is null. Numbers are equal in cty if and only if their JSON is.
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

// UnmarshalJSON decodes JSON of type ty, as in Terraform's state: missing attributes are null,
// additional ones are an error.
func UnmarshalJSON(b []byte, ty cty.Type) (v cty.Value, err error) {
	defer recovered(&err)
	v, ok := plainJSON(b, ty)
	if !ok {
		if v, err = ctyjson.Unmarshal(b, ty); err != nil {
			return cty.NilVal, err
		}
	}
	if err := checkNumbers(v); err != nil {
		return cty.NilVal, err
	}
	return v, nil
}

// attributePath corrects the path of an error: cty's msgpack decoder has index steps for the
// attributes of objects.
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

// recovered turns a panic of the encodings into an error, since bytes from outside must not end the
// program. The error omits the panic's text, which may contain values.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("malformed value (%T)", r)
	}
}

// maxExponent bounds the binary exponent of numbers. Numbers are written as plain decimals, so a
// few bytes such as 1e999999999 would otherwise become gigabytes.
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
