package desired

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/model"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/translate"
)

// Import is the request of spec.import. The zero value requests nothing.
type Import struct {
	// Target is the object to import; nil if there is no request, or if it is invalid.
	Target *terraform.ImportTarget
	// Invalid explains why spec.import cannot be read; Target is nil then. It only matters
	// while nothing is stored: an object that was imported by an identity of an older schema is
	// not imported again.
	Invalid diagnostic.Diagnostics
}

// Asked reports whether an import is requested, even if the request is invalid.
func (i Import) Asked() bool { return i.Target != nil || i.Invalid != nil }

// importOf reads spec.import.
func importOf(m *model.Resource, in map[string]any) Import {
	if in == nil {
		return Import{}
	}
	if id, ok := in["id"].(string); ok && id != "" {
		return Import{Target: &terraform.ImportTarget{ID: id, Identity: cty.NilVal}}
	}
	identity, ok := in["identity"].(map[string]any)
	if !ok {
		return Import{Invalid: diagnostic.Errorf("Invalid spec.import", "Give exactly one of spec.import.id and spec.import.identity.")}
	}
	v, diags := translate.ImportIdentity(m, identity)
	if !diags.HasErrors() {
		return Import{Target: &terraform.ImportTarget{Identity: v}}
	}
	var invalid diagnostic.Diagnostics
	for _, d := range diags.Errors() {
		invalid = append(invalid, diagnostic.Errorf(d.Summary, "%s: %s", translate.IdentityPath(m, d.Attribute), d.Detail)...)
	}
	return Import{Invalid: invalid}
}
