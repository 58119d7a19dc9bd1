package references

import (
	"context"
	"errors"
	"strings"

	"github.com/landbridge-io/landbridge/internal/expression"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Caller returns what calls the functions of a kind's provider; nil if it has none. acquire leases
// the provider for one call.
func Caller(m *model.Resource, acquire func(context.Context) (_ terraform.Executor, release func(), _ error)) expression.Caller {
	if m.Functions == nil {
		return nil
	}
	return func(ctx context.Context, name string, arguments []any) (any, error) {
		f := m.Functions.Signatures[name]
		if f == nil {
			return nil, errors.New("the provider has no such function")
		}
		values, err := translate.FunctionArguments(f, arguments)
		if err != nil {
			return nil, err
		}
		ex, release, err := acquire(ctx)
		if err != nil {
			return nil, inOneLine(err)
		}
		defer release()
		callee, ok := ex.(terraform.FunctionCaller)
		if !ok {
			return nil, errors.New("functions cannot be called with this way of execution")
		}
		out, diags := callee.CallFunction(ctx, name, values)
		if diags.HasErrors() {
			return nil, inOneLine(diags.Err())
		}
		return translate.FunctionResult(out)
	}
}

func inOneLine(err error) error { return errors.New(strings.Join(strings.Fields(err.Error()), " ")) }
