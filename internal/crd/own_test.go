package crd_test

import (
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

// What the API server answers to mistakes in Landbridge's own kinds names the field.
func TestOwnKinds(t *testing.T) {
	t.Parallel()
	servers := map[string]*apiServer{}
	for kind, read := range map[string]func() (*apiextensionsv1.CustomResourceDefinition, error){
		"TerraformProvider": v1alpha1.CustomResourceDefinition,
		"TerraformModule":   v1alpha1.ModuleCustomResourceDefinition,
		"PlanPolicy":        v1alpha1.PolicyCustomResourceDefinition,
		"ResourceQuery":     v1alpha1.QueryCustomResourceDefinition, "EstatePolicy": v1alpha1.EstateCustomResourceDefinition,
	} {
		d, err := read()
		if err != nil {
			t.Fatal(err)
		}
		servers[kind] = accept(t, d)
	}
	tests := map[string]struct {
		kind string
		spec map[string]any
		want string
	}{
		"no source": {"TerraformProvider", map[string]any{}, "spec.source: Required value"},
		"a wrong quantity": {
			"TerraformProvider",
			map[string]any{"source": "hashicorp/random", "limits": map[string]any{"memory": true}},
			"spec.limits.memory",
		},
		"an unknown value": {
			"TerraformProvider", map[string]any{"source": "hashicorp/random", "admission": "Maybe"},
			"spec.admission: Unsupported value",
		},
		"no module":         {"TerraformModule", map[string]any{}, "spec"},
		"no policy":         {"PlanPolicy", map[string]any{}, "spec"},
		"a value as a list": {"TerraformProvider", map[string]any{"source": []any{"hashicorp/random"}}, "spec.source: Invalid value"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, errs := servers[test.kind].write(t, map[string]any{"spec": test.spec}, nil)
			if !strings.Contains(messages(errs), test.want) {
				t.Errorf("got %q, want %q", messages(errs), test.want)
			}
			for _, e := range errs {
				if e.Field != "<nil>" && !strings.HasPrefix(e.Field, "spec") || strings.Contains(e.Error(), "anyOf") {
					t.Errorf("%q does not name the field", e)
				}
			}
		})
	}
}
