package expression

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/env"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/utils/lru"
)

// Transform makes a value of another one, which is its variable self.
type Transform struct {
	// Result is the type of the result, cel.DynType if only a value tells.
	Result  *cel.Type
	program cel.Program
}

// MaxTransformLength is the length up to which a transform is accepted, in bytes.
const MaxTransformLength = 1024

// transforms has the functions of transforms. Anyone who may create a resource can write one, and
// CEL counts what a call costs only after it. So there are no loops and no variables, which would
// make values that grow with each step: the length of an expression bounds what it does. Functions
// whose results can be much larger than their arguments have bounds of their own, and there are no
// regular expressions.
var transforms = sync.OnceValues(func() (*cel.Env, error) {
	standard := &env.LibrarySubset{
		IncludeMacros:    []string{operators.Has},
		ExcludeFunctions: []*env.Function{{Name: "matches"}},
	}
	return cel.NewCustomEnv(append(stringFunctions(), cel.StdLib(cel.StdLibSubset(standard)), cel.DefaultUTCTimeZone(true))...)
})

// compiled has the transforms that were used lately, and why others cannot be compiled.
var compiled = lru.New(1000)

type (
	source struct {
		expression, self string
		functions        *Functions
	}
	outcome struct {
		transform *Transform
		err       error
	}
)

// NewTransform returns the transform of an expression for values of a type, which is cel.DynType if
// it is not known. It can call functions, which may be nil. The error has one line.
func NewTransform(expression string, self *cel.Type, functions *Functions) (*Transform, error) {
	from := source{expression, self.String(), functions}
	if o, ok := compiled.Get(from); ok {
		return o.(outcome).transform, o.(outcome).err
	}
	var o outcome
	var err error
	if o.transform, err = newTransform(expression, self, functions); err != nil {
		o = outcome{err: FirstLine(err)}
	}
	compiled.Add(from, o)
	return o.transform, o.err
}

func newTransform(expression string, self *cel.Type, functions *Functions, more ...cel.EnvOption) (*Transform, error) {
	if len(expression) > MaxTransformLength {
		return nil, fmt.Errorf("it has %d bytes, more than %d", len(expression), MaxTransformLength)
	}
	env, err := functions.environment()
	if err != nil {
		return nil, err
	}
	if env, err = env.Extend(append(more, cel.Variable("self", self))...); err != nil {
		return nil, err
	}
	out := &Transform{}
	out.program, err = compile(env, expression, qualify, func(t *cel.Type) error {
		out.Result = t
		return plain(t)
	})
	return out, err
}

// plain refuses results that no field of a custom resource has.
func plain(t *cel.Type) error {
	switch t.Kind() {
	case types.DynKind, types.StringKind, types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind,
		types.ListKind, types.MapKind, types.NullTypeKind:
		return nil
	}
	return fmt.Errorf("the result is of type %s: it must be a string, number, boolean, list or map", t)
}

// Of returns the value that is made of another one. Functions are called by call, which may be nil
// if there are none. Values are as in unstructured.Unstructured; nil means that there is no value.
// The error has one line.
func (t *Transform) Of(ctx context.Context, self any, call Caller) (any, error) {
	return t.eval(ctx, map[string]any{"self": self, providerVariable: &receiver{ctx: ctx, call: call}})
}

func (t *Transform) eval(ctx context.Context, variables map[string]any) (any, error) {
	out, _, err := t.program.ContextEval(ctx, variables)
	if err == nil {
		var v any
		room := maxSize
		if v, err = native(out, &room); err == nil {
			return v, nil
		}
	}
	return nil, FirstLine(err)
}

// native returns a CEL value as a value of unstructured.Unstructured. It takes its size from room.
func native(v ref.Val, room *int) (any, error) {
	*room -= 16
	if text, ok := v.(types.String); ok {
		*room -= len(text)
	}
	if *room < 0 {
		return nil, errTooLarge
	}
	switch v := v.(type) {
	case types.Null:
		return nil, nil
	case types.String, types.Bool, types.Int:
		return v.Value(), nil
	case types.Uint:
		if v > math.MaxInt64 {
			return nil, fmt.Errorf("the number %d is too large for a field of a custom resource", v)
		}
		return int64(v), nil
	case types.Double:
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("the result is %v, which is no number", f)
		}
		return float64(v), nil
	case traits.Lister:
		out := []any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			x, err := native(it.Next(), room)
			if err != nil {
				return nil, err
			}
			out = append(out, x)
		}
		return out, nil
	case traits.Mapper:
		out := map[string]any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			name, ok := key.(types.String)
			if !ok {
				return nil, fmt.Errorf("a key of the result is of type %s: keys must be strings", key.Type())
			}
			*room -= len(name)
			x, err := native(v.Get(name), room)
			if err != nil {
				return nil, err
			}
			out[string(name)] = x
		}
		return out, nil
	}
	return nil, fmt.Errorf("the result is of type %s: it must be a string, number, boolean, list or map", v.Type())
}
