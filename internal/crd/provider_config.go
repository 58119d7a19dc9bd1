package crd

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/model"
)

// ProviderConfig returns the CRDs of a provider's own kinds: ProviderConfig and
// ClusterProviderConfig. The fields of the provider's configuration are directly under spec; secret
// ones are references to a key of a Secret, in the same namespace for a ProviderConfig.
func ProviderConfig(p *model.Provider) []*apiextensionsv1.CustomResourceDefinition {
	return []*apiextensionsv1.CustomResourceDefinition{
		providerConfig(p, model.ProviderConfigKind, apiextensionsv1.NamespaceScoped),
		providerConfig(p, model.ClusterProviderConfigKind, apiextensionsv1.ClusterScoped),
	}
}

func providerConfig(p *model.Provider, kind string, scope apiextensionsv1.ResourceScope) *apiextensionsv1.CustomResourceDefinition {
	w := writer{descriptions: 640, clusterSecrets: scope == apiextensionsv1.ClusterScoped}
	spec := w.object(p.Config, 0, true)
	spec.Description = "The provider's configuration."
	status := props{
		Type: "object", Description: "The observed state of the configuration.",
		Properties: map[string]props{
			"users":              integer("Number of resources that use this configuration."),
			"observedGeneration": integer("The generation of the spec of which the users were last notified."),
			"conditions":         conditionsSchema(),
		},
	}
	description := "A configuration of the provider " + p.Name + " for the resources of its namespace."
	if w.clusterSecrets {
		description = "A configuration of the provider " + p.Name + " for resources of all namespaces."
	}
	top := props{Type: "object", Description: description, Properties: objectProperties(spec, &status)}
	if len(spec.Required) > 0 {
		top.Required = []string{"spec"}
	}
	return providerKind(p, kind, scope, top, []apiextensionsv1.CustomResourceColumnDefinition{
		{Name: "USERS", Type: "integer", JSONPath: ".status.users"},
		age(),
	})
}

func providerKind(p *model.Provider, name string, scope apiextensionsv1.ResourceScope, top props, columns []apiextensionsv1.CustomResourceColumnDefinition) *apiextensionsv1.CustomResourceDefinition {
	singular := strings.ToLower(name)
	return kind{
		group: p.Group, version: p.Version, scope: scope,
		names: apiextensionsv1.CustomResourceDefinitionNames{
			Kind: name, ListKind: name + "List", Plural: singular + "s", Singular: singular,
			Categories: []string{"crossplane", "provider", p.Name},
		},
		schema: top, columns: columns,
	}.definition()
}
