package local

import (
	"github.com/crossplane/crossplane-runtime/v2/pkg/meta"
	"github.com/zclconf/go-cty/cty"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/translate"
)

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
		if c.Plan.Action.IsReplace() {
			meta.RemoveAnnotations(u, meta.AnnotationKeyExternalName)
		}
		foresee(u, c.Resource.Model, instance.Instance{State: c.Plan.State, Identity: c.Plan.Identity, SensitivePaths: c.Plan.SensitivePaths})
	}
}

// foresee sets in the object of a resource what others may refer to, as far as it is known: of its
// state and identity.
func foresee(u *unstructured.Unstructured, m *model.Resource, in instance.Instance) {
	state := known(in.State)
	if at := translate.Observation(m, state, translate.Concealed(m, in.SensitivePaths)...); at != nil {
		_ = unstructured.SetNestedMap(u.Object, at, "status", "atProvider")
	}
	if name := translate.ExternalName(m, state, in.Identity); name != "" {
		meta.AddAnnotations(u, map[string]string{meta.AnnotationKeyExternalName: name})
	}
}
