package model

import (
	"github.com/google/cel-go/cel"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/expression"
	"github.com/landbridge-io/landbridge/schema"
)

// Functions are the functions of a provider, for the transforms of references.
type Functions struct {
	Signatures map[string]*schema.Function
	transforms *expression.Functions
}

func newFunctions(signatures map[string]*schema.Function) *Functions {
	declared := make(map[string]expression.Function, len(signatures))
	for name, f := range signatures {
		d := expression.Function{Result: celTypeOf(f.Result)}
		for _, p := range f.Parameters {
			d.Parameters = append(d.Parameters, parameterType(p))
		}
		if f.Variadic != nil {
			d.Variadic = parameterType(*f.Variadic)
		}
		declared[name] = d
	}
	return &Functions{Signatures: signatures, transforms: expression.NewFunctions(declared)}
}

// ForTransforms returns what transforms can call; nil without functions.
func (f *Functions) ForTransforms() *expression.Functions {
	if f == nil {
		return nil
	}
	return f.transforms
}

func parameterType(p schema.Parameter) *cel.Type {
	if p.AllowNull {
		return cel.DynType
	}
	return celTypeOf(p.Type)
}

// celTypeOf returns the type of a value in expressions. Numbers are integers or decimals, as their
// values are.
func celTypeOf(t cty.Type) *cel.Type {
	switch {
	case t == cty.String:
		return cel.StringType
	case t == cty.Bool:
		return cel.BoolType
	case t.IsListType(), t.IsSetType():
		return cel.ListType(celTypeOf(t.ElementType()))
	case t.IsTupleType():
		return cel.ListType(cel.DynType)
	case t.IsMapType():
		return cel.MapType(cel.StringType, celTypeOf(t.ElementType()))
	case t.IsObjectType():
		return cel.MapType(cel.StringType, cel.DynType)
	}
	return cel.DynType
}
