package generate

import (
	"path"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/crd"
	"github.com/landbridge-io/landbridge/model"
)

// addCRDs adds the CRDs of all kinds, and of the provider's configuration, named as controller-gen
// names them.
func (o *Output) addCRDs(p *model.Provider, packages map[string][]*kind) error {
	all := crd.ProviderConfig(p)
	o.Large = map[string]*crd.Size{}
	for _, kinds := range packages {
		for _, k := range kinds {
			all = append(all, k.crd)
			size, err := crd.Measure(k.resource, k.crd, k.leftOut)
			if err != nil {
				return err
			}
			if size != nil {
				o.Large[k.resource.Type] = size
			}
		}
	}
	return each(all, func(d *apiextensionsv1.CustomResourceDefinition) (string, []byte, error) {
		document, err := crd.YAML(d)
		return path.Join(crdsDir, d.Spec.Group+"_"+d.Spec.Names.Plural+".yaml"), append([]byte("# "+mark+"\n---\n"), document...), err
	}, o.Files)
}
