package crd

import (
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/model"
)

// permitNull makes null a value of the required variables that may be null. In Terraform, a required variable is given if it is
// null. CEL cannot tell null from absent, so such a variable is required by the schema instead of a rule.
func (a ModuleArguments) permitNull(t *model.Type, spec *props) {
	for _, f := range t.Object.Settable() {
		name := f.InputName()
		if !f.Input || !f.Required || !a.Nullable[f.Name] {
			continue
		}
		for _, part := range []string{"forProvider", "initProvider"} {
			if p, ok := spec.Properties[part].Properties[name]; ok {
				p.Nullable = true
				spec.Properties[part].Properties[name] = p
			}
		}
		message := requiredMessage(name)
		rules := slices.DeleteFunc(spec.XValidations, func(v apiextensionsv1.ValidationRule) bool { return v.Message == message })
		if len(rules) < len(spec.XValidations) {
			spec.XValidations = rules
			spec.AllOf = append(spec.AllOf, requiredOrNull(f))
		}
	}
}

// requiredOrNull returns what requiredRules has for a field that may be null.
func requiredOrNull(f *model.Field) props {
	in := func(part, name string) props {
		return props{Required: []string{part}, Properties: map[string]props{part: {Required: []string{name}}}}
	}
	names := []string{f.InputName()}
	if f.Reference != nil {
		names = append(names, f.Reference.Ref, f.Reference.Selector)
	}
	var out props
	for _, name := range names {
		out.AnyOf = append(out.AnyOf, in("forProvider", name))
	}
	harmless := props{}
	for _, policy := range []string{"Observe", "Delete", "LateInitialize"} {
		harmless.Enum = append(harmless.Enum, apiextensionsv1.JSON{Raw: []byte(`"` + policy + `"`)})
	}
	observed := props{Properties: map[string]props{"managementPolicies": {Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &harmless}}}}
	out.AnyOf = append(out.AnyOf,
		in("initProvider", f.InputName()),
		props{Required: []string{"references"}},
		// The API server tells the errors of the alternative that nearly holds. Twice negated, this one is never it.
		props{Required: []string{"managementPolicies"}, Not: &props{Not: &observed}},
	)
	return out
}

// RequiredOrNull returns the fields of forProvider that must be given and may be null, of the schema of a spec.
func RequiredOrNull(spec apiextensionsv1.JSONSchemaProps) []string {
	var out []string
	for _, all := range spec.AllOf {
		if len(all.AnyOf) > 0 {
			out = append(out, all.AnyOf[0].Properties["forProvider"].Required...)
		}
	}
	return out
}

func requiredMessage(name string) string {
	return fmt.Sprintf("spec.forProvider.%s is a required parameter", name)
}
