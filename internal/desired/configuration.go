package desired

import (
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Described reports whether the resource has a configuration. A resource that is only observed
// may leave out required fields. Then there is nothing to compare its object with.
func (s Spec) Described() bool {
	if s.Policies.Create || s.Policies.Update {
		return true
	}
	for _, f := range s.Model.Root().Object.Settable() {
		if !f.Required || !f.Input {
			continue
		}
		_, always := s.Subject.ForProvider[f.InputName()]
		_, initially := s.Subject.InitProvider[f.InputName()]
		if !always && !initially {
			return false
		}
	}
	return true
}

// Configuration returns the configuration of the object; nil with errors. It requires Described.
func (s Spec) Configuration(secrets translate.Secrets) (*terraform.Config, diagnostic.Diagnostics) {
	c, diags := translate.Desired(s.Model, s.Subject, secrets)
	all, paths, more := translate.IgnoreChanges(s.Model, s.ignoreChanges)
	if diags = append(diags, more...); diags.HasErrors() {
		return nil, diags
	}
	diags = append(diags, s.plainCredentials()...)
	return &terraform.Config{
		Value: c.Value, SensitivePaths: c.SensitivePaths, CreateBeforeDestroy: s.createBeforeDestroy,
		IgnoreChanges: terraform.IgnoreChanges{
			All: all,
			// A field that only initProvider has applies at creation. Afterwards it belongs to
			// others.
			Paths: append(translate.InitOnly(s.Model, s.Subject.ForProvider, s.Subject.InitProvider), paths...),
		},
	}, diags
}

// plainCredentials warns of values that look like credentials in plain text.
func (s Spec) plainCredentials() (out diagnostic.Diagnostics) {
	for _, part := range []struct {
		name   string
		fields map[string]any
	}{{"forProvider", s.Subject.ForProvider}, {"initProvider", s.Subject.InitProvider}} {
		for _, c := range model.PlainCredentials(s.Model.Root(), part.fields) {
			out = append(out, diagnostic.Warningf("Credential in plain text", "spec.%s.%s %s, and is not in a Secret. "+
				"Mark it as sensitive, by resources.%s.fields.%s.sensitive in the configuration of the provider or "+
				"in the variable of a module, and refer to a Secret.",
				part.name, c.Path, c.Reason(), s.Model.Schema.Type, c.Field)...)
		}
	}
	return out
}
