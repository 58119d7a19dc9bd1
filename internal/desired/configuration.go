package desired

import (
	"github.com/landbridge-io/landbridge/internal/diagnostic"
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
	return &terraform.Config{
		Value: c.Value, SensitivePaths: c.SensitivePaths, CreateBeforeDestroy: s.createBeforeDestroy,
		IgnoreChanges: terraform.IgnoreChanges{
			All: all,
			// A field that only initProvider has applies at creation. Afterwards it belongs to others.
			Paths: append(translate.InitOnly(s.Model, s.Subject.ForProvider, s.Subject.InitProvider), paths...),
		},
	}, diags
}
