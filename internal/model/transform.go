package model

import (
	"errors"
	"fmt"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/expression"
)

// transform returns the transform of the values of a target for a field, of the type of one value;
// nil if there is none. As far as the types are known, it is checked against both.
func transform(c config.Target, from ReferenceTarget, to *Type, functions *expression.Functions) (*expression.Transform, error) {
	if c.Transform == "" {
		return nil, nil
	}
	if c.Extract != nil {
		return nil, config.At(errors.New("it cannot be used with an extractor, which can change the value itself"), "transform")
	}
	t, err := expression.NewTransform(c.Transform, celType(from.as), functions)
	if err == nil && !fits(t.Result, to.Presented()) {
		err = fmt.Errorf("the result is of type %s, where a %s is required", t.Result, to.Presented())
	}
	if err != nil {
		return nil, config.At(err, "transform")
	}
	return t, nil
}

// celType returns the type of the values of a kind. Numbers are integers or decimals, as their
// values are.
func celType(k Kind) *cel.Type {
	switch k {
	case String:
		return cel.StringType
	case Integer:
		return cel.IntType
	case Bool:
		return cel.BoolType
	}
	return cel.DynType
}

// fits reports whether some values of a type can be converted to a primitive kind, as Terraform
// would.
func fits(t *cel.Type, k Kind) bool {
	switch t.Kind() {
	case types.DynKind, types.StringKind, types.NullTypeKind:
		return true
	case types.BoolKind:
		return k == Bool || k == String
	case types.IntKind, types.UintKind, types.DoubleKind:
		return k == Number || k == Integer || k == String
	}
	return false
}
