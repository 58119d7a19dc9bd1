package local

import (
	"fmt"

	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
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

// Foresee sets in the object of a resource what others may refer to, as far as the change plans it.
func (c *Change) Foresee(u *unstructured.Unstructured) {
	if c.Deposed == "" {
		foresee(u, c.Resource.Model, instance.Instance{State: c.Plan.State, Identity: c.Plan.Identity, SensitivePaths: c.Plan.SensitivePaths})
	}
}

// foresee sets in the object of a resource what others may refer to, as far as it is known: of its state and identity.
func foresee(u *unstructured.Unstructured, m *model.Resource, in instance.Instance) {
	state := known(in.State)
	if at := translate.Observation(m, state, translate.Concealed(m, in.SensitivePaths)...); at != nil {
		_ = unstructured.SetNestedMap(u.Object, at, "status", "atProvider")
	}
	if name := translate.ExternalName(m, state, in.Identity); name != "" {
		meta.AddAnnotations(u, map[string]string{meta.AnnotationKeyExternalName: name})
	}
}
