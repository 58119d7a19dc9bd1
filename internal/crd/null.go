package crd

import (
	"fmt"
	"strconv"

	"github.com/landbridge-io/landbridge/internal/model"
)

// permitNull makes null a value of the required variables that may be null. In Terraform, a
// required variable is given if it is null.
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
		for i, rule := range spec.XValidations {
			if rule.Message == requiredMessage("spec.forProvider", name) {
				spec.XValidations[i].Rule = requiredRule(f, givenOrNull)
			}
		}
	}
}

// givenOrNull returns the rule that a field is set, if only to null. To has(), null is the same as
// absent, but the names of an object's fields, as those of a map, include it.
func givenOrNull(object, name string) string {
	return fmt.Sprintf("dyn(%s).exists(k, k == %s)", object, strconv.Quote(celName(name)))
}

func requiredMessage(object, name string) string {
	return fmt.Sprintf("%s.%s is a required parameter", object, name)
}
