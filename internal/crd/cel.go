package crd

import (
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/landbridge-io/landbridge/internal/model"
)

// celWords are the reserved words of CEL. The API server escapes fields with these names.
var celWords = map[string]bool{
	"true": true, "false": true, "null": true, "in": true, "as": true, "break": true, "const": true,
	"continue": true, "else": true, "for": true, "function": true, "if": true, "import": true, "let": true,
	"loop": true, "package": true, "namespace": true, "return": true, "var": true, "void": true, "while": true,
}

// celName returns a field's name in CEL.
func celName(name string) string {
	if celWords[name] {
		return "__" + name + "__"
	}
	return strings.NewReplacer("__", "__underscores__", ".", "__dot__", "-", "__dash__", "/", "__slash__").Replace(name)
}

// requiredRules returns rules for the required fields, which apply unless the object is only
// observed (Crossplane Resource Model). Dynamically typed fields are unknown to CEL; the provider
// validates them.
func requiredRules(t *model.Type, forProvider props) apiextensionsv1.ValidationRules {
	var out apiextensionsv1.ValidationRules
	for _, f := range t.Object.Settable() {
		if !f.Required || !f.Input || !celSees(forProvider.Properties[f.InputName()]) {
			continue
		}
		out = append(out, apiextensionsv1.ValidationRule{
			Rule: requiredRule(f, given), Message: requiredMessage("spec.forProvider", f.InputName()),
		})
	}
	return out
}

// requiredRule returns the rule for a required field. given returns the rule that a field of an
// object is set.
func requiredRule(f *model.Field, given func(object, name string) string) string {
	out := "!('*' in self.managementPolicies || 'Create' in self.managementPolicies || 'Update' in self.managementPolicies) || " +
		given("self.forProvider", f.InputName())
	if f.Reference != nil {
		out += " || " + referenced("self.forProvider", f.Reference)
	}
	return out + " || (has(self.initProvider) && " + given("self.initProvider", f.InputName()) + ") || has(self.references)"
}

// celSees reports whether CEL knows the type of a field.
func celSees(p props) bool {
	switch {
	case p.Type == "":
		return false
	case p.Items != nil:
		return celSees(*p.Items.Schema)
	case p.AdditionalProperties != nil:
		return celSees(*p.AdditionalProperties.Schema)
	default:
		return true
	}
}
