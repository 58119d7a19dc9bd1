package terraformprovider_test

import (
	"testing"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/testing/schematest"
)

// A configuration for several API versions is valid in a repository only. It is refused before the
// cluster is read.
func TestOneVersionAtRunTime(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		spec v1alpha1.TerraformProviderSpec
		path string
	}{
		"version": {
			v1alpha1.TerraformProviderSpec{Resources: map[string]config.Resource{"random_pet": {Version: "v1"}}},
			"spec.resources.random_pet.version",
		},
		"dropped version": {
			v1alpha1.TerraformProviderSpec{
				Resources: map[string]config.Resource{"random_pet": {DroppedVersions: []string{"v1"}}},
			}, "spec.resources.random_pet.droppedVersions",
		},
		"of many": {
			v1alpha1.TerraformProviderSpec{
				Overrides: []config.Override{{Match: []string{"*"}, Resource: config.Resource{Version: "v1"}}},
			}, "spec.overrides[0].version",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, _, err := terraformprovider.Model(t.Context(), nil, &v1alpha1.TerraformProvider{Spec: test.spec},
				"random", schematest.Provider(t, "random"))
			want := test.path + ": kinds that are served at run time have one API version, v1alpha1; to serve " +
				"several, create a repository with landbridge init"
			if err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}
