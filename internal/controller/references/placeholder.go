package references

import (
	"fmt"

	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/uuid"
)

// Placeholders stand for values that are known after another resource was applied. JSON has no unknown values, so
// they are strings in the spec, and unknown values in the configuration.
type Placeholders struct {
	prefix string
	values map[string]bool
}

// NewPlaceholders returns placeholders that occur nowhere else.
func NewPlaceholders() *Placeholders {
	return &Placeholders{prefix: string(uuid.NewUUID()), values: map[string]bool{}}
}

// Of returns the placeholder for a value of a resource.
func (p *Placeholders) Of(u *unstructured.Unstructured) any {
	s := fmt.Sprintf("%s/%s/%s/%s", p.prefix, u.GroupVersionKind().GroupKind(), u.GetNamespace(), u.GetName())
	p.values[s] = true
	return s
}

// In returns a configuration with unknown values in the places of placeholders.
func (p *Placeholders) In(config cty.Value) (cty.Value, error) {
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
