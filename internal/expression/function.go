package expression

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	celast "github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// Functions are functions that transforms can call as provider.NAME(argument, …). A nil pointer has
// none.
type Functions struct{ extended func() (*cel.Env, error) }

func (f *Functions) environment() (*cel.Env, error) {
	if f == nil {
		return transforms()
	}
	return f.extended()
}

// Function is the signature of one of Functions.
type Function struct {
	Parameters []*cel.Type
	// Variadic is the type of further arguments; nil if there are none.
	Variadic *cel.Type
	Result   *cel.Type
}

// Caller calls a function. Arguments and result are values as in unstructured.Unstructured.
type Caller func(ctx context.Context, name string, arguments []any) (any, error)

const (
	// providerVariable is the variable whose member functions are Functions.
	providerVariable = "provider"
	// maxVariadic bounds the arguments for a variadic parameter.
	maxVariadic = 8
)

var receiverType = cel.OpaqueType(providerVariable)

// NewFunctions returns functions by their names. There may be none.
func NewFunctions(signatures map[string]Function) *Functions {
	return &Functions{sync.OnceValues(func() (*cel.Env, error) {
		env, err := transforms()
		if err != nil || len(signatures) == 0 {
			return env, err
		}
		options := []cel.EnvOption{cel.Variable(providerVariable, receiverType)}
		for _, name := range slices.Sorted(maps.Keys(signatures)) {
			options = append(options, declare(name, signatures[name]))
		}
		return env.Extend(options...)
	})}
}

// qualified is the name under which a function is declared, and which calls of it get. CEL has
// macros and functions that are only its own, such as map and size.
func qualified(name string) string { return providerVariable + "." + name }

// keywords are names that CEL reads as something else. Functions of these names are called with an
// underscore behind it.
var keywords = map[string]bool{"in": true, "true": true, "false": true, "null": true}

// qualify gives calls of functions their qualified names.
func qualify(a *cel.Ast) {
	factory := celast.NewExprFactory()
	celast.PostOrderVisit(a.NativeRep().Expr(), celast.NewExprVisitor(func(e celast.Expr) {
		if e.Kind() != celast.CallKind || !e.AsCall().IsMemberFunction() {
			return
		}
		c := e.AsCall()
		if to := c.Target(); to.Kind() != celast.IdentKind || to.AsIdent() != providerVariable {
			return
		}
		name := c.FunctionName()
		if before, found := strings.CutSuffix(name, "_"); found && keywords[before] {
			name = before
		}
		e.SetKindCase(factory.NewMemberCall(e.ID(), qualified(name), c.Target(), c.Args()...))
	}))
}

// declare returns the declaration of a function, with an overload for each number of arguments.
func declare(name string, f Function) cel.EnvOption {
	var overloads []cel.FunctionOpt
	arguments := append([]*cel.Type{receiverType}, f.Parameters...)
	binding := cel.FunctionBinding(func(values ...ref.Val) ref.Val { return callFunction(name, values) })
	for range maxVariadic + 1 {
		overloads = append(overloads,
			cel.MemberOverload(fmt.Sprintf("%s_%s_%d", providerVariable, name, len(arguments)),
				slices.Clone(arguments), f.Result, binding))
		if f.Variadic == nil {
			break
		}
		arguments = append(arguments, f.Variadic)
	}
	return cel.Function(qualified(name), overloads...)
}

func callFunction(name string, values []ref.Val) ref.Val {
	to, ok := values[0].(*receiver)
	if !ok || to.call == nil {
		return types.NewErr("%s.%s cannot be called here", providerVariable, name)
	}
	room := maxSize
	arguments := make([]any, len(values)-1)
	for i, v := range values[1:] {
		var err error
		if arguments[i], err = native(v, &room); err != nil {
			return types.WrapErr(err)
		}
	}
	out, err := to.call(to.ctx, name, arguments)
	if err != nil {
		return types.WrapErr(fmt.Errorf("%s.%s: %w", providerVariable, name, err))
	}
	return types.DefaultTypeAdapter.NativeToValue(out)
}

// receiver is the value of the variable provider, for one evaluation.
type receiver struct {
	ctx  context.Context
	call Caller
}

var errOpaque = errors.New("the provider itself is no value: call one of its functions")

// ConvertToNative implements ref.Val.
func (*receiver) ConvertToNative(reflect.Type) (any, error) { return nil, errOpaque }

// ConvertToType implements ref.Val.
func (*receiver) ConvertToType(ref.Type) ref.Val { return types.WrapErr(errOpaque) }

// Equal implements ref.Val.
func (r *receiver) Equal(other ref.Val) ref.Val { return types.Bool(r == other) }

// Type implements ref.Val.
func (*receiver) Type() ref.Type { return receiverType }

// Value implements ref.Val.
func (r *receiver) Value() any { return r }
