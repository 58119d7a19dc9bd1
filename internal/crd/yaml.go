package crd

import (
	"encoding/json"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// YAML returns a CRD as YAML without its status.
func YAML(d *apiextensionsv1.CustomResourceDefinition) ([]byte, error) {
	raw, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := json.Unmarshal(raw, &document); err != nil {
		return nil, err
	}
	delete(document, "status")
	return yaml.Marshal(document)
}
