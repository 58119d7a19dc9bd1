package expression

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"k8s.io/utils/lru"
)

// Transform makes a value of another one, which is its variable self.
type Transform struct {
	// Result is the type of the result, cel.DynType if only a value tells.
	Result  *cel.Type
	program cel.Program
}

var transforms = sync.OnceValues(func() (*cel.Env, error) {
	return Environment(func(*cel.Env) []cel.EnvOption {
		// Version 4 is the newest; a fixed one keeps expressions from changing with the library.
		return []cel.EnvOption{ext.Strings(ext.StringsVersion(4))}
	})
})

// compiled has the transforms that were used lately, and why others cannot be compiled.
var compiled = lru.New(1000)

type (
	source  struct{ expression, self string }
	outcome struct {
		transform *Transform
		err       error
	}
)

// NewTransform returns the transform of an expression for values of a type, which is cel.DynType if it is not known. The
// error has one line.
func NewTransform(expression string, self *cel.Type) (*Transform, error) {
	from := source{expression, self.String()}
	if o, ok := compiled.Get(from); ok {
		return o.(outcome).transform, o.(outcome).err
	}
	var o outcome
	var err error
	if o.transform, err = newTransform(expression, self); err != nil {
		o = outcome{err: FirstLine(err)}
	}
	compiled.Add(from, o)
	return o.transform, o.err
}

func newTransform(expression string, self *cel.Type) (*Transform, error) {
	env, err := transforms()
	if err != nil {
		return nil, err
	}
	if env, err = env.Extend(cel.Variable("self", self)); err != nil {
		return nil, err
	}
	out := &Transform{}
	out.program, err = Compile(env, expression, func(t *cel.Type) error {
		out.Result = t
		return plain(t)
	})
	return out, err
}

// plain refuses results that no field of a custom resource has.
func plain(t *cel.Type) error {
	switch t.Kind() {
	case types.DynKind, types.StringKind, types.BoolKind, types.IntKind, types.UintKind, types.DoubleKind, types.ListKind, types.MapKind, types.NullTypeKind:
		return nil
	}
	return fmt.Errorf("the result is of type %s: it must be a string, number, boolean, list or map", t)
}

// Of returns the value that is made of another one. Values are as in unstructured.Unstructured; nil means that there is no
// value. The error has one line.
func (t *Transform) Of(ctx context.Context, self any) (any, error) {
	out, _, err := t.program.ContextEval(ctx, map[string]any{"self": self})
	if err == nil {
		var v any
		if v, err = native(out); err == nil {
			return v, nil
		}
	}
	return nil, FirstLine(err)
}

// native returns a CEL value as a value of unstructured.Unstructured.
func native(v ref.Val) (any, error) {
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
			x, err := native(it.Next())
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
			x, err := native(v.Get(name))
			if err != nil {
				return nil, err
			}
			out[string(name)] = x
		}
		return out, nil
	}
	return nil, fmt.Errorf("the result is of type %s: it must be a string, number, boolean, list or map", v.Type())
}
