package v1alpha1

import (
	_ "embed"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

var (
	//go:embed crds/landbridge.io_terraformproviders.yaml
	providerYAML []byte
	//go:embed crds/landbridge.io_terraformmodules.yaml
	moduleYAML []byte
	//go:embed crds/landbridge.io_planpolicies.yaml
	policyYAML []byte
)

// CustomResourceDefinition returns the CRD of TerraformProvider.
func CustomResourceDefinition() (*apiextensionsv1.CustomResourceDefinition, error) {
	return builtIn("TerraformProvider", providerYAML)
}

// ModuleCustomResourceDefinition returns the CRD of TerraformModule.
func ModuleCustomResourceDefinition() (*apiextensionsv1.CustomResourceDefinition, error) {
	return builtIn("TerraformModule", moduleYAML)
}

// PolicyCustomResourceDefinition returns the CRD of PlanPolicy.
func PolicyCustomResourceDefinition() (*apiextensionsv1.CustomResourceDefinition, error) {
	return builtIn("PlanPolicy", policyYAML)
}

func builtIn(kind string, yml []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	out := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(yml, out); err != nil {
		return nil, fmt.Errorf("the built-in CRD of %s: %w", kind, err)
	}
	return out, nil
}
