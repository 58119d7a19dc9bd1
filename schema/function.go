package schema

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// Function is the signature of a provider's function.
type Function struct {
	// Summary and Description are the provider's.
	Summary     string      `json:"summary,omitempty"`
	Description Text        `json:"description,omitzero"`
	Parameters  []Parameter `json:"parameters,omitempty"`
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
	AllowNull   bool `json:"allowNull,omitempty"`
	Description Text `json:"description,omitzero"`
}

// Parameter returns that of an argument by its position, from 0 on; nil if there is none.
func (f *Function) Parameter(i int) *Parameter {
	if i < len(f.Parameters) {
		return &f.Parameters[i]
	}
	return f.Variadic
}

// String returns the signature as Terraform's documentation writes it, without the function's name,
// such as (timestamp string) object.
func (f *Function) String() string {
	var parameters []string
	for _, p := range f.Parameters {
		parameters = append(parameters, p.String())
	}
	if f.Variadic != nil {
		parameters = append(parameters, f.Variadic.String()+"...")
	}
	return "(" + strings.Join(parameters, ", ") + ") " + f.Result.FriendlyNameForConstraint()
}

// String returns the parameter's name and type.
func (p Parameter) String() string {
	return strings.TrimSpace(p.Name + " " + p.Type.FriendlyNameForConstraint())
}

func functionFromProtocol(in *tfprotov6.Function) (*Function, error) {
	if in == nil || in.Return == nil || in.Return.Type == nil {
		return nil, errors.New("no result")
	}
	out := &Function{
		Summary: in.Summary, Description: Text{
			Text: in.Description, Markdown: in.DescriptionKind == tfprotov6.StringKindMarkdown,
		},
	}
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
	return Parameter{
		Name: in.Name, Type: t, AllowNull: in.AllowNullValue,
		Description: Text{Text: in.Description, Markdown: in.DescriptionKind == tfprotov6.StringKindMarkdown},
	}, err
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
