package terraformprovider

import (
	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Activated is activated.
var Activated = activated

// Taken is taken.
var Taken = taken

// ActivatedOf returns the data sources or ephemeral resources that match the patterns.
func ActivatedOf(mode model.Mode, p *model.Provider, patterns []string) (names, wrong []string) {
	spec := &v1alpha1.TerraformProviderSpec{ActivateDataSources: patterns}
	if mode == model.Ephemeral {
		spec = &v1alpha1.TerraformProviderSpec{ActivateEphemeralResources: patterns}
	}
	out, wrong := activatedOf(p, spec)
	return out[mode], wrong
}
