package terraformprovider

import (
	"context"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/model"
)

// heldAgain is the interval of checks whether objects still have values that would be lost.
const heldAgain = time.Minute

// evolve compares the provider's kinds in the cluster with those of the model; see
// kinds.Runtime.Evolve.
func (r *Reconciler) evolve(ctx context.Context, p *v1alpha1.TerraformProvider, m *model.Provider) *kinds.Problem {
	active, _ := activatedOf(m, &p.Spec)
	return r.Evolve(ctx, p, p.Name, func(installed func(string) bool) []*apiextensionsv1.CustomResourceDefinition {
		definitions := crd.ProviderConfig(m)
		for _, address := range active.addresses() {
			of := m.ByAddress(address)
			if !installed(of.CRDName()) {
				continue
			}
			if d, err := crd.Resource(of); err == nil { // activate reports errors
				definitions = append(definitions, d)
			}
		}
		return definitions
	})
}
