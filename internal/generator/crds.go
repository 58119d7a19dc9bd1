package generator

import (
	"path"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/crd"
)

// addCRDs adds the CRDs of all kinds and of the provider's configuration, with the file names of
// controller-gen.
func (o *Output) addCRDs(packages map[string]*goPackage, configs []*configKind) error {
	var all []*apiextensionsv1.CustomResourceDefinition
	for _, c := range configs {
		all = append(all, c.crd)
	}
	o.Large = map[string]*crd.Size{}
	for _, of := range packages {
		for _, k := range of.kinds {
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
