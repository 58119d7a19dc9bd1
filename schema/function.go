package schema

import (
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// Function is the signature of a provider's function.
type Function struct {
	Parameters []Parameter `json:"parameters,omitempty"`
	// Variadic describes any number of further arguments; nil if there are none.
	Variadic *Parameter `json:"variadic,omitempty"`
	// Result is the type of the result.
	Result cty.Type `json:"result"`
}

// Parameter is a parameter of a Function.
type Parameter struct {
	Name string   `json:"name,omitempty"`
	Type cty.Type `json:"type"`
	// AllowNull is set if an argument may be null.
	AllowNull bool `json:"allowNull,omitempty"`
}

func functionFromProtocol(in *tfprotov6.Function) (*Function, error) {
	if in == nil || in.Return == nil || in.Return.Type == nil {
		return nil, errors.New("no result")
	}
	out := &Function{}
	var err error
	if out.Result, err = convertType(in.Return.Type); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	for _, p := range in.Parameters {
		parameter, err := parameterFromProtocol(p)
		if err != nil {
			return nil, err
		}
		out.Parameters = append(out.Parameters, parameter)
	}
	if in.VariadicParameter != nil {
		variadic, err := parameterFromProtocol(in.VariadicParameter)
		if err != nil {
			return nil, err
		}
		out.Variadic = &variadic
	}
	return out, nil
}

func parameterFromProtocol(in *tfprotov6.FunctionParameter) (Parameter, error) {
	if in == nil || in.Type == nil {
		return Parameter{}, errors.New("a parameter without a type")
	}
	t, err := convertType(in.Type)
	if err != nil {
		err = fmt.Errorf("parameter %s: %w", in.Name, err)
	}
	return Parameter{Name: in.Name, Type: t, AllowNull: in.AllowNullValue}, err
}

// complete validates what the protocol guarantees and JSON does not.
func (f *Function) complete() error {
	if f == nil || f.Result == cty.NilType {
		return errors.New("no result")
	}
	parameters := f.Parameters
	if f.Variadic != nil {
		parameters = append(parameters[:len(parameters):len(parameters)], *f.Variadic)
	}
	for _, p := range parameters {
		if p.Type == cty.NilType {
			return errors.New("a parameter without a type")
		}
	}
	return nil
}
