package upgrade

import (
	"github.com/landbridge-io/landbridge/internal/evolution"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Deprecations returns what a resource uses that is deprecated in the version of its kind.
func Deprecations(m *model.Resource, k *evolution.Kind, object map[string]any) (out []Finding) {
	if block := m.Schema.Block; block.Deprecated {
		out = append(out, Finding{
			Outcome: Deprecated, Cause: Cause{
				Summary: "the resource type is deprecated", Detail: block.DeprecationMessage,
			},
		})
	}
	return append(out, FieldDeprecations(k, object)...)
}

// FieldDeprecations returns the fields of an object that are deprecated in the version of its kind.
func FieldDeprecations(k *evolution.Kind, object map[string]any) (out []Finding) {
	for _, path := range evolution.Deprecated(object, &evolution.Kind{}, k) {
		out = append(out, deprecatedField(path))
	}
	return out
}

func deprecatedField(path string) Finding {
	return Finding{Outcome: Deprecated, Cause: Cause{Path: path, Summary: "the field is deprecated"}}
}
