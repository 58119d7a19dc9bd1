package terraformprovider_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// What a repository may ask for, and a TerraformProvider may not, is an error before anything is looked at.
func TestOneVersionAtRunTime(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spec v1alpha1.TerraformProviderSpec
		path string
	}{
		"version":         {v1alpha1.TerraformProviderSpec{Resources: map[string]config.Resource{"random_pet": {Version: "v1"}}}, "spec.resources.random_pet.version"},
		"dropped version": {v1alpha1.TerraformProviderSpec{Resources: map[string]config.Resource{"random_pet": {DroppedVersions: []string{"v1"}}}}, "spec.resources.random_pet.droppedVersions"},
		"of many":         {v1alpha1.TerraformProviderSpec{Overrides: []config.Override{{Match: []string{"*"}, Resource: config.Resource{Version: "v1"}}}}, "spec.overrides[0].version"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := terraformprovider.Model(t.Context(), nil, &v1alpha1.TerraformProvider{Spec: test.spec}, "random", schematest.Provider(t, "random"))
			want := test.path + ": kinds have one API version at run time, v1alpha1: it takes a repository, as landbridge init makes it, to serve several"
			if err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}
