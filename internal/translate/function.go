package translate

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	apijson "k8s.io/apimachinery/pkg/util/json"

	"github.com/landbridge-io/landbridge/schema"
)

// FunctionArguments returns the arguments for a provider's function. Values are as in
// unstructured.Unstructured; objects have Terraform's names of attributes.
func FunctionArguments(f *schema.Function, arguments []any) ([]cty.Value, error) {
	out := make([]cty.Value, len(arguments))
	for i, v := range arguments {
		p := f.Parameter(i)
		if p == nil {
			return nil, fmt.Errorf("it takes %d arguments, not %d", len(f.Parameters), len(arguments))
		}
		var err error
		if out[i], err = functionArgument(*p, v); err != nil {
			return nil, fmt.Errorf("argument %d (%s): %w", i+1, p.Name, err)
		}
	}
	if len(arguments) < len(f.Parameters) {
		return nil, fmt.Errorf("it takes %d arguments, not %d", len(f.Parameters), len(arguments))
	}
	return out, nil
}

func functionArgument(p schema.Parameter, v any) (cty.Value, error) {
	if v == nil && !p.AllowNull {
		return cty.NilVal, errors.New("it must not be null")
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return cty.NilVal, err
	}
	t, err := ctyjson.ImpliedType(raw)
	if err != nil {
		return cty.NilVal, err
	}
	given, err := ctyjson.Unmarshal(raw, t)
	if err != nil {
		return cty.NilVal, err
	}
	out, err := convert.Convert(given, p.Type) // as Terraform converts arguments
	if err != nil {
		return cty.NilVal, fmt.Errorf("it must be of the type %s: %w", p.Type.FriendlyNameForConstraint(), err)
	}
	return out, nil
}

// FunctionResult returns the result of a provider's function as a value of
// unstructured.Unstructured.
func FunctionResult(v cty.Value) (any, error) {
	raw, err := ctyjson.Marshal(v, v.Type())
	if err != nil {
		return nil, err
	}
	var out any
	err = apijson.Unmarshal(raw, &out)
	return out, err
}
