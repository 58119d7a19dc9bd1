package crd

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

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
	if spec.Properties == nil {
		spec.Properties = map[string]props{}
	}
	spec.Properties[model.ServiceAccountTokens] = serviceAccountTokens(w.clusterSecrets)
	if w.clusterSecrets {
		spec.Properties[model.AllowedNamespaces] = allowedNamespaces()
	}
	status := props{
		Type: "object", Description: "The observed state of the configuration.", Default: unobserved(),
		Properties: map[string]props{
			"users":              integer("Number of resources that use this configuration."),
			"observedGeneration": integer("The generation of the spec of which the users were last notified."),
			"conditions":         conditionsSchema(),
			"lastHandledReconcileAt": {
				Type:        "string",
				Description: "The last value of the annotation landbridge.io/reconcile-requested-at that was handled.",
			},
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
		{Name: "READY", Type: "string", JSONPath: ".status.conditions[?(@.type=='Ready')].status"},
		{Name: "USERS", Type: "integer", JSONPath: ".status.users"},
		age(),
	})
}

// allowedNamespaces is the schema of managed.AllowedNamespaces.
func allowedNamespaces() props {
	atomic := "atomic"
	text := props{Type: "string"}
	requirement := props{
		Type: "object", Required: []string{"key", "operator"},
		Description: "A label selector requirement is a selector that contains values, a key, and an operator that\nrelates the key and values.",
		Properties: map[string]props{
			"key": {Type: "string", Description: "key is the label key that the selector applies to."},
			"operator": {
				Type: "string",
				Description: "operator represents a key's relationship to a set of values.\nValid operators are In, " +
					"NotIn, Exists and DoesNotExist.",
			},
			"values": {
				Type: "array", Items: stringItems(), XListType: &atomic,
				Description: "values is an array of string values. If the operator is In or NotIn,\nthe values " +
					"array must be non-empty. If the operator is Exists or DoesNotExist,\n" +
					"the values array must be empty. This array is replaced during a strategic\nmerge patch.",
			},
		},
	}
	selector := props{
		Type: "object", XMapType: &atomic,
		Description: "Selects namespaces by their labels. An empty selector selects all.",
		Properties: map[string]props{
			"matchExpressions": {
				Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &requirement}, XListType: &atomic,
				Description: "matchExpressions is a list of label selector requirements. The requirements are ANDed.",
			},
			"matchLabels": {
				Type: "object", AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &text},
				Description: "matchLabels is a map of {key,value} pairs. A single {key,value} in the " +
					"matchLabels\nmap is equivalent to an element of matchExpressions, whose key field " +
					"is \"key\", the\n" +
					"operator is \"In\", and the values array contains only \"value\". The requirements are ANDed.",
			},
		},
	}
	return props{
		Type: "object",
		Description: "The namespaces whose resources may use this configuration: those with one of the names, and " +
			"those that the selector selects. Without it, all may, unless the controller's flag " +
			"--require-allowed-namespaces is set.",
		Properties: map[string]props{
			"names":    {Type: "array", Items: stringItems(), XListType: &atomic, Description: "Names of namespaces."},
			"selector": selector,
		},
	}
}

// serviceAccountTokens is the schema of a list of managed.ServiceAccountToken or
// managed.ClusterServiceAccountToken.
func serviceAccountTokens(cluster bool) props {
	atomic, byName := "atomic", "map"
	variable := func(description string) props {
		return props{Type: "string", MaxLength: ptr.To[int64](128), Pattern: "^[A-Za-z_][A-Za-z0-9_]*$", Description: description}
	}
	account := props{
		Type: "object", Required: []string{"name"}, Description: "The ServiceAccount, in the namespace of this configuration.",
		Properties: map[string]props{"name": {Type: "string", Description: "Name of the ServiceAccount."}},
	}
	description := "ServiceAccountToken is a short-lived token of a ServiceAccount in the namespace of a ProviderConfig."
	if cluster {
		description = "ClusterServiceAccountToken is a short-lived token of a ServiceAccount in any namespace."
		account.Description = "The ServiceAccount."
		account.Properties["namespace"] = props{Type: "string", Description: "Namespace of the ServiceAccount."}
		account.Required = append(account.Required, "namespace")
	}
	token := props{
		Type: "object", Required: []string{"audiences", "name", "serviceAccountRef"},
		Description: description,
		Properties: map[string]props{
			"name": {
				Type: "string", MaxLength: ptr.To[int64](63), Pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
				Description: "Name of the token. In arguments, $(tokenFile.NAME) stands for the path of the file with the token.",
			},
			"serviceAccountRef": account,
			"audiences": {
				Type: "array", Items: stringItems(), XListType: &atomic, MinItems: ptr.To[int64](1), MaxItems: ptr.To[int64](16),
				Description: "Whom the token is for, such as sts.amazonaws.com.",
			},
			"expirationSeconds": {
				Type: "integer", Format: "int64", Minimum: ptr.To[float64](600), Maximum: ptr.To[float64](86400),
				Description: "How long the token is valid, in seconds. It is renewed after four fifths of that time. Default: 3600.",
			},
			"fileEnv": variable("Environment variable of the provider's process with the path of the file."),
			"env": variable("Environment variable of the provider's process with the token itself, for providers that read no file. " +
				"There is no file then, and the process is replaced before the token expires."),
		},
	}
	return props{
		Type: "array", XListType: &byName, XListMapKeys: []string{"name"}, MaxItems: ptr.To[int64](16),
		Items:       &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &token},
		Description: "Short-lived tokens of ServiceAccounts, which the provider's process gets as files or environment variables.",
	}
}

func providerKind(
	p *model.Provider, name string, scope apiextensionsv1.ResourceScope, top props,
	columns []apiextensionsv1.CustomResourceColumnDefinition,
) *apiextensionsv1.CustomResourceDefinition {
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
