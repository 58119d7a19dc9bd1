package managed

import (
	"encoding/json"
	"slices"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/redact"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// describer returns the function that describes operations on a resource for the change record. It
// is called during the reconcile and after it, so it holds nothing that the reconcile may change.
func (c *connector) describer(r *CustomResource) func(before,
	after instance.Instance, diags diagnostic.Diagnostics) ([]history.Change, string) {
	secrets := slices.Clone(r.secrets)
	return func(before, after instance.Instance, diags diagnostic.Diagnostics) ([]history.Change, string) {
		m := c.kind.Model
		observed := []*scheduler.Observation{{Instance: before}, {Instance: after}}
		message := ""
		if diags.HasErrors() {
			message = c.text(&scheduler.Error{Diagnostics: diags}, secrets, observed...)
		}
		if !after.Exists() {
			return nil, message
		}
		changes := translate.Changes(m, before.State, after.State,
			translate.Concealed(m, slices.Concat(before.SensitivePaths, after.SensitivePaths))...)
		return recorded(changes, c.hidden(secrets, observed...)), message
	}
}

// driftDescriber returns the function that describes drift of a resource for the change record.
func (c *connector) driftDescriber(r *CustomResource) func(*instance.Drift, instance.Instance) []history.Change {
	secrets := slices.Clone(r.secrets)
	return func(d *instance.Drift, in instance.Instance) []history.Change {
		m := c.kind.Model
		return recorded(translate.Drift(m, d.Changes, translate.Concealed(m, in.SensitivePaths)...),
			c.hidden(secrets, &scheduler.Observation{Instance: in}))
	}
}

// recorded returns changes as the change record has them. Known secrets within other values are
// hidden.
func recorded(changes []translate.Change, hidden *redact.Redactor) []history.Change {
	encoded := func(v any) json.RawMessage {
		if v == nil {
			return nil
		}
		out, err := json.Marshal(hidden.JSON(v))
		if err != nil {
			return nil
		}
		return out
	}
	out := make([]history.Change, len(changes))
	for i, x := range changes {
		out[i] = history.Change{
			Path: hidden.Replace(x.Path), Before: encoded(x.Before), After: encoded(x.After),
			BeforeSensitive: x.BeforeSensitive, AfterSensitive: x.AfterSensitive,
		}
	}
	return out
}
