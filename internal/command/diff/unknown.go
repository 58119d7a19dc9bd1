package diff

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/uuid"
)

// placeholders stand for values that are known after another resource was applied. JSON has no unknown values, so
// they are strings in the spec, and unknown values in the configuration.
type placeholders struct {
	prefix string
	values map[string]bool
}

func newPlaceholders() *placeholders {
	return &placeholders{prefix: string(uuid.NewUUID()), values: map[string]bool{}}
}

// of returns the placeholder for a value of a resource.
func (p *placeholders) of(u *unstructured.Unstructured) any {
	s := fmt.Sprintf("%s/%s/%s/%s", p.prefix, u.GroupVersionKind().GroupKind(), u.GetNamespace(), u.GetName())
	p.values[s] = true
	return s
}

// in returns a configuration with unknown values in the places of placeholders.
func (p *placeholders) in(config cty.Value) (cty.Value, error) {
	if len(p.values) == 0 {
		return config, nil
	}
	return cty.Transform(config, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if plain, marks := v.Unmark(); plain.IsKnown() && !plain.IsNull() && plain.Type() == cty.String && p.values[plain.AsString()] {
			return cty.UnknownVal(cty.String).WithMarks(marks), nil
		}
		return v, nil
	})
}

// known returns a planned value with null in the places of unknown values.
func known(v cty.Value) cty.Value {
	if v == cty.NilVal {
		return v
	}
	v, _ = v.UnmarkDeep()
	out, err := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if !v.IsKnown() {
			return cty.NullVal(v.Type()), nil
		}
		return v, nil
	})
	if err != nil {
		return cty.NullVal(v.Type()) // cannot happen: the types stay the same
	}
	return out
}
