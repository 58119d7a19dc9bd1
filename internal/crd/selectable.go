package crd

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/model"
)

// maxSelectable is how many fields of a CRD the API server lets field selectors use.
const maxSelectable = 8

// selectable returns the fields that field selectors can use: the state, the external name, and the
// attributes that identify the object and are neither numbers with fractions nor composed.
func selectable(r *model.Resource, status props) []apiextensionsv1.SelectableField {
	var out []apiextensionsv1.SelectableField
	for _, name := range []string{"state", "externalName"} {
		if _, ok := status.Properties[name]; ok {
			out = append(out, apiextensionsv1.SelectableField{JSONPath: ".status." + name})
		}
	}
	if r.Identity() == nil {
		return out
	}
	for _, f := range r.Identity().Object.Settable() {
		p := status.Properties["identity"].Properties[f.JSONName]
		if !f.Required || !slices.Contains([]string{"string", "boolean", "integer"}, p.Type) || len(out) == maxSelectable {
			continue
		}
		out = append(out, apiextensionsv1.SelectableField{JSONPath: ".status.identity." + f.JSONName})
	}
	return out
}
