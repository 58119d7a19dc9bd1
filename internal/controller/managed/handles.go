package managed

import (
	"bytes"
	"encoding/json"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/ownership"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// handlesOf returns the handles of objects that the configuration of a kind adds.
func handlesOf(m *model.Resource) *ownership.Handles {
	out := &ownership.Handles{}
	if len(m.Settings.Identity) > 0 {
		out.Identity = func(object cty.Value) map[string]cty.Value { return translate.MappedIdentity(m, object) }
	}
	return out
}

// listArguments returns the arguments with which the objects of a kind are listed; nil if
// interrupted creates are not recovered by listing.
func listArguments(m *model.Resource) func(cty.Value) (map[string]cty.Value, string) {
	if m.Settings.ListArguments == nil {
		return nil
	}
	return func(planned cty.Value) (map[string]cty.Value, string) {
		return translate.ListArguments(m, m.Settings.ListArguments, planned)
	}
}

// listRefresh returns how an unchanged object is looked at by listing; nil if it is read.
func (k *Kind) listRefresh(r *CustomResource) *scheduler.ListRefresh {
	s := k.Model.Settings.ListRefresh
	if s == nil {
		return nil
	}
	return &scheduler.ListRefresh{
		Arguments: func(state cty.Value) (map[string]cty.Value, string) {
			return translate.ListArguments(k.Model, s.Arguments, state)
		},
		ReadEvery: s.ReadEvery, Interval: k.interval(ownInterval(r)),
	}
}

// spellImport returns a function that formats the spec.import of an object as JSON, which is also
// YAML.
func spellImport(k *Kind) func(terraform.ImportTarget) string {
	return func(t terraform.ImportTarget) string {
		spec := map[string]any{"id": t.ID}
		if t.Identity != cty.NilVal {
			spec = map[string]any{"identity": translate.Identity(k.Model, t.Identity)}
		}
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(spec); err != nil {
			return ""
		}
		return string(bytes.TrimSpace(b.Bytes()))
	}
}
