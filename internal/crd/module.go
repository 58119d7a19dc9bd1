package crd

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/model"
)

// Module returns the CRD of the kind of a module. It has no spec.import, and its plans list the resources
// in the module.
func Module(r *model.Resource) (*apiextensionsv1.CustomResourceDefinition, error) {
	out, err := Resource(r)
	if err != nil {
		return nil, err
	}
	top := out.Spec.Versions[0].Schema.OpenAPIV3Schema
	top.Description = strings.Replace(top.Description, "the Terraform resource "+r.Type, "a Terraform module", 1)
	spec, status := top.Properties["spec"], top.Properties["status"]
	delete(spec.Properties, "import")
	spec.XValidations = slices.DeleteFunc(spec.XValidations, func(v apiextensionsv1.ValidationRule) bool { return strings.Contains(v.Rule, "__import__") })
	ref := spec.Properties["providerConfigRef"]
	ref.Description = "Kind and name of the configurations of the module's providers: for each provider, a ProviderConfig in the resource's namespace, or a ClusterProviderConfig."
	spec.Properties["providerConfigRef"] = ref
	plan := status.Properties["plan"]
	contained := props{
		Type:        "object",
		Description: "What the plan does with one of the module's resources.",
		Required:    []string{"address", "action"},
		Properties: map[string]props{
			"address": {Type: "string", Description: "Address of the resource in the module."},
			"action":  {Type: "string", Description: "Create, Update, Delete, DeleteThenCreate, CreateThenDelete or Forget."},
			"reason":  {Type: "string", Description: "Why the resource must be replaced or destroyed."},
		},
	}
	plan.Properties["resources"] = props{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &contained}, Description: "What the plan does with the module's resources; at most 100 are listed."}
	plan.Properties["summary"] = props{Type: "string", Description: "Number of resources that are added, changed and destroyed."}
	status.Properties["plan"] = plan
	top.Properties["spec"], top.Properties["status"] = spec, status
	return out, nil
}
