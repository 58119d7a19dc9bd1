package terraformprovider

import (
	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/model"
)

// Activated is activated.
var Activated = activated

// Taken is taken.
var Taken = taken

// ActivatedData returns the data sources that match the patterns.
func ActivatedData(p *model.Provider, patterns []string) (data, wrong []string) {
	out, wrong := activatedOf(p, &v1alpha1.TerraformProviderSpec{ActivateDataSources: patterns})
	return out.data, wrong
}
