package diagnostic

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

// FromProtocol converts the diagnostics of an answer. An unknown severity counts as
// an error, so that no diagnostic is dropped.
func FromProtocol(in []*tfprotov6.Diagnostic) Diagnostics {
	var out Diagnostics
	for _, d := range in {
		if d == nil {
			continue
		}
		x := Diagnostic{Severity: Error, Summary: d.Summary, Detail: d.Detail, Attribute: PathFromProtocol(d.Attribute)}
		if d.Severity == tfprotov6.DiagnosticSeverityWarning {
			x.Severity = Warning
		}
		out = append(out, x)
	}
	return out
}

// PathFromProtocol converts an attribute path. The protocol cannot name an element of
// a set; the path ends before such a step (contract § 5).
func PathFromProtocol(in *tftypes.AttributePath) cty.Path {
	if in == nil {
		return nil
	}
	var out cty.Path
	for _, step := range in.Steps() {
		switch s := step.(type) {
		case tftypes.AttributeName:
			out = out.GetAttr(string(s))
		case tftypes.ElementKeyString:
			out = out.IndexString(string(s))
		case tftypes.ElementKeyInt:
			out = out.IndexInt(int(s))
		default:
			return out
		}
	}
	return out
}
