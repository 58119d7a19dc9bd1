package expression

import (
	"context"

	"github.com/google/cel-go/cel"
)

// Change makes a value of a resource whose object is changed: self is the resource, and old the
// object before the change. It is bounded as a Transform is.
type Change struct{ of *Transform }

// NewChange returns the Change of an expression. The error has one line.
func NewChange(expression string) (*Change, error) {
	from := source{expression: expression, self: "change"}
	if o, ok := compiled.Get(from); ok {
		return &Change{o.(outcome).transform}, o.(outcome).err
	}
	var o outcome
	var err error
	if o.transform, err = newTransform(expression, cel.DynType, nil, cel.Variable("old", cel.DynType)); err != nil {
		o = outcome{err: FirstLine(err)}
	}
	compiled.Add(from, o)
	return &Change{o.transform}, o.err
}

// Boolean reports whether the result may be true or false.
func (c *Change) Boolean() bool {
	return c.of.Result.IsExactType(cel.BoolType) || c.of.Result.IsExactType(cel.DynType)
}

// Of returns the value, as Transform.Of does.
func (c *Change) Of(ctx context.Context, self, old any) (any, error) {
	return c.of.eval(ctx, map[string]any{"self": self, "old": old})
}
