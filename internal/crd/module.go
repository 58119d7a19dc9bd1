package crd

import (
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/model"
)

// Module returns the CRD of the kind of a module. It has no spec.import, and its plans list the
// resources in the module.
func Module(r *model.Resource, args ModuleArguments) (*apiextensionsv1.CustomResourceDefinition, error) {
	out, err := Resource(r)
	if err != nil {
		return nil, err
	}
	top := out.Spec.Versions[0].Schema.OpenAPIV3Schema
	top.Description = strings.Replace(top.Description, "the Terraform resource "+r.Type, "a Terraform module", 1)
	spec, status := top.Properties["spec"], top.Properties["status"]
	delete(spec.Properties, "import")
	delete(spec.Properties["lifecycle"].Properties, "creationGracePeriod") // the module's objects have that of the controller
	spec.XValidations = slices.DeleteFunc(spec.XValidations, func(v apiextensionsv1.ValidationRule) bool {
		// Nothing is required of elements, as nullAttributes says.
		return strings.Contains(v.Rule, "__import__") || strings.HasPrefix(v.Rule, unlessReferred)
	})
	ref := spec.Properties["providerConfigRef"]
	ref.Description = "Kind and name of the configurations of the module's providers: for each provider, a " +
		"ProviderConfig in the resource's namespace, or a ClusterProviderConfig."
	spec.Properties["providerConfigRef"] = ref
	if len(args.Configurations) > 0 {
		spec.Properties["providerConfigRefs"] = providerConfigRefs(args.Configurations)
	}
	for _, name := range []string{"forProvider", "initProvider"} {
		fields := spec.Properties[name]
		args.complete(r.Root(), fields.Properties)
		spec.Properties[name] = fields
	}
	forProvider := spec.Properties["forProvider"]
	args.Defaults.describe(r.Root(), &forProvider)
	args.permitNull(r.Root(), &spec)
	plan := status.Properties["plan"]
	contained := props{
		Type:        "object",
		Description: "What the plan does with one of the module's resources.",
		Required:    []string{"address", "action"},
		Properties: map[string]props{
			"address": {Type: "string", Description: "Address of the resource in the module."},
			"action":  {Type: "string", Description: "Create, Update, Delete, DeleteThenCreate, CreateThenDelete, Import or Forget."},
			"reason":  {Type: "string", Description: "Why the resource must be replaced or destroyed."},
		},
	}
	plan.Properties["resources"] = props{
		Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &contained},
		Description: "What the plan does with the module's resources; at most 100 are listed.",
	}
	plan.Properties["summary"] = props{Type: "string", Description: "Number of resources that are added, changed and destroyed."}
	status.Properties["plan"] = plan
	top.Properties["spec"], top.Properties["status"] = spec, status
	return out, nil
}

// ModuleArguments are facts about the variables of a module that its model does not have. Names are
// Terraform's.
type ModuleArguments struct {
	// Rules are validations of variables.
	Rules map[string][]ModuleRule
	// Defaults are the defaults of variables.
	Defaults Defaults
	// Nullable are the variables to which null can be given.
	Nullable map[string]bool
	// Configurations are the names of its provider configurations.
	Configurations []string
}

// ModuleRule is a validation of a variable.
type ModuleRule struct {
	// CEL is true of values that pass; self is the value. Message describes what is wrong with
	// others.
	CEL, Message string
	// Patterns is the length of the patterns in it, which decide its costs.
	Patterns int
}

const (
	// maxPatterns is the length of the patterns in one rule, allPatterns in all rules of a kind,
	// whose costs the API server bounds: it estimates them for texts of any length.
	maxPatterns, allPatterns = 100, 350
)

// complete adds the facts to the schemas of variables. Attributes of objects may be null: in
// Terraform, an attribute is given if it is null. They may be left out, too, which is the same: the
// API server removes null from lists in patches.
func (a ModuleArguments) complete(t *model.Type, fields map[string]props) {
	patterns := 0
	for _, f := range t.Object.All {
		p, ok := fields[f.InputName()]
		if !ok || !f.Input {
			continue
		}
		if f.SecretRef == "" {
			nullAttributes(f.Type, &p)
			for _, rule := range a.Rules[f.Name] {
				if patterns += rule.Patterns; rule.Patterns > maxPatterns || patterns > allPatterns {
					continue // it is checked when the module is planned
				}
				p.XValidations = append(p.XValidations, apiextensionsv1.ValidationRule{Rule: rule.CEL, Message: rule.Message})
			}
		}
		fields[f.InputName()] = p
	}
}

// nullAttributes permits null for the attributes of objects in a schema.
func nullAttributes(t *model.Type, p *props) {
	switch {
	case t.Object != nil:
		p.Required = nil
		for _, f := range t.Object.All {
			if x, ok := p.Properties[f.InputName()]; ok && f.SecretRef == "" {
				nullAttributes(f.Type, &x)
				x.Nullable, x.Description = true, WithoutRequirement(x.Description)
				p.Properties[f.InputName()] = x
			}
		}
	case t.Element != nil && p.Items != nil:
		nullAttributes(t.Element, p.Items.Schema)
	case t.Element != nil && p.AdditionalProperties != nil:
		nullAttributes(t.Element, p.AdditionalProperties.Schema)
	}
}

func providerConfigRefs(names []string) props {
	ref := providerConfigRef()
	ref.Default = nil
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = "'" + name + "'"
	}
	most := int64(len(names))
	return props{
		Type: "object", MaxProperties: &most,
		Description: "Configurations for single providers of the module, by name: " +
			strings.Join(names, ", ") + ". Default: that of providerConfigRef.",
		AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: &ref},
		XValidations: apiextensionsv1.ValidationRules{{
			Rule:    "self.all(name, name in [" + strings.Join(quoted, ", ") + "])",
			Message: "the module has the provider configurations " + strings.Join(names, ", "),
		}},
	}
}
