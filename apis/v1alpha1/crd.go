package v1alpha1

import (
	_ "embed"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

//go:embed crds/landbridge.io_terraformproviders.yaml
var crdYAML []byte

// CustomResourceDefinition is the CRD of TerraformProvider.
func CustomResourceDefinition() (*apiextensionsv1.CustomResourceDefinition, error) {
	out := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(crdYAML, out); err != nil {
		return nil, fmt.Errorf("the built-in CRD of TerraformProvider: %w", err)
	}
	return out, nil
}
