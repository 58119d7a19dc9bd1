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
	//go:embed crds/landbridge.io_resourcequeries.yaml
	queryYAML []byte
	//go:embed crds/landbridge.io_estatepolicies.yaml
	estateYAML []byte
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

// QueryCustomResourceDefinition returns the CRD of ResourceQuery.
func QueryCustomResourceDefinition() (*apiextensionsv1.CustomResourceDefinition, error) {
	return builtIn("ResourceQuery", queryYAML)
}

// EstateCustomResourceDefinition returns the CRD of EstatePolicy.
func EstateCustomResourceDefinition() (*apiextensionsv1.CustomResourceDefinition, error) {
	return builtIn("EstatePolicy", estateYAML)
}

func builtIn(kind string, yml []byte) (*apiextensionsv1.CustomResourceDefinition, error) {
	out := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(yml, out); err != nil {
		return nil, fmt.Errorf("the built-in CRD of %s: %w", kind, err)
	}
	return out, nil
}
