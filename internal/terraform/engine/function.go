package engine

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/schema"
)

var _ terraform.FunctionCaller = (*Engine)(nil)

// CallFunction implements terraform.FunctionCaller.
func (e *Engine) CallFunction(ctx context.Context, name string, arguments []cty.Value) (cty.Value, diagnostic.Diagnostics) {
	return CallFunction(ctx, e.server, name, arguments)
}

// CallFunction calls a function of a provider, which need not be configured. Arguments are of the
// types of its parameters. The result is wholly known.
func CallFunction(ctx context.Context, server provider.Server, name string, arguments []cty.Value) (cty.Value, diagnostic.Diagnostics) {
	s, diags := server.Schema(ctx)
	if diags.HasErrors() {
		return cty.NilVal, diags.Errors()
	}
	f := s.Signatures[name]
	if f == nil {
		return cty.NilVal, diagnostic.Errorf("Unknown provider function", "The provider has no function %s.", name)
	}
	request := &tfprotov6.CallFunctionRequest{Name: name}
	for i, v := range arguments {
		p := f.Parameter(i)
		if p == nil {
			return cty.NilVal, functionFailed(name, "It takes %d arguments.", len(f.Parameters))
		}
		raw, err := encode(v, p.Type)
		if err != nil {
			return cty.NilVal, functionFailed(name, "Argument %s: %s.", p.Name, formatError(err))
		}
		request.Arguments = append(request.Arguments, dynamic(raw))
	}
	answer, err := server.CallFunction(ctx, request)
	switch {
	case err != nil:
		return cty.NilVal, provider.CallError(err)
	case answer.Error != nil && answer.Error.FunctionArgument != nil && *answer.Error.FunctionArgument >= 0:
		return cty.NilVal, functionFailed(name, "Argument %s: %s", argumentName(f, *answer.Error.FunctionArgument), answer.Error.Text)
	case answer.Error != nil:
		return cty.NilVal, functionFailed(name, "%s", answer.Error.Text)
	}
	out, err := decode(answer.Result, f.Result)
	if err == nil && !out.IsWhollyKnown() {
		err = errors.New("the result is not known")
	}
	if err != nil {
		return cty.NilVal, diagnostic.Errorf("Provider returned invalid result from function",
			"The result of %s is invalid, which is a bug in the provider: %s.", name, formatError(err))
	}
	return out, nil
}

// argumentName returns the number and the name of an argument.
func argumentName(f *schema.Function, i int64) string {
	if p := f.Parameter(int(i)); p != nil && p.Name != "" {
		return fmt.Sprintf("%d (%s)", i+1, p.Name)
	}
	return strconv.FormatInt(i+1, 10)
}

func functionFailed(name, format string, args ...any) diagnostic.Diagnostics {
	return diagnostic.Errorf("Error in function call", "Call to function %q failed: "+format, append([]any{name}, args...)...)
}
