package engine_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/schema"
)

// An object is Full after its create if the answer shows that the provider has read it, and Partial
// if not (contract § 3.7).
func TestCreateComplete(t *testing.T) {
	warn := func(text string) []*tfprotov6.Diagnostic {
		return []*tfprotov6.Diagnostic{{Severity: tfprotov6.DiagnosticSeverityWarning, Summary: text, Detail: "Look."}}
	}
	nested := cty.Object(map[string]cty.Type{"a": cty.String})
	nothing := map[string]cty.Value{"o": str("a"), "c": null, "oc": null, "n": cty.NullVal(nested), "set": cty.NullVal(cty.Set(cty.String))}
	with := func(values map[string]cty.Value) map[string]cty.Value {
		out := map[string]cty.Value{}
		for _, all := range []map[string]cty.Value{nothing, values} {
			for name, v := range all {
				out[name] = v
			}
		}
		return out
	}
	left := with(map[string]cty.Value{"c": unknown, "oc": unknown})
	tests := map[string]struct {
		planned, answered            map[string]cty.Value
		validated, plannedWith, with []*tfprotov6.Diagnostic
		want                         instance.Status
	}{
		"every value": {
			planned: left, answered: with(map[string]cty.Value{"c": str("1"), "oc": str("2")}), want: instance.Full,
		},
		"one value":         {planned: left, answered: with(map[string]cty.Value{"oc": str("2")}), want: instance.Full},
		"no value":          {planned: left, answered: nothing, want: instance.Partial},
		"no value was left": {planned: nothing, answered: nothing, want: instance.Full},
		"a value inside": {
			planned:  with(map[string]cty.Value{"n": cty.ObjectVal(map[string]cty.Value{"a": unknown})}),
			answered: with(map[string]cty.Value{"n": cty.ObjectVal(map[string]cty.Value{"a": str("1")})}),
			want:     instance.Full,
		},
		"no value inside": {
			planned:  with(map[string]cty.Value{"n": cty.ObjectVal(map[string]cty.Value{"a": unknown})}),
			answered: with(map[string]cty.Value{"n": cty.ObjectVal(map[string]cty.Value{"a": null})}),
			want:     instance.Partial,
		},
		"elements of a set prove nothing": {
			planned:  with(map[string]cty.Value{"set": cty.SetVal([]cty.Value{unknown})}),
			answered: with(map[string]cty.Value{"set": cty.SetVal([]cty.Value{str("1")})}), want: instance.Full,
		},
		"a warning": {
			planned: left, answered: with(map[string]cty.Value{"c": str("1")}), with: warn("Not read"),
			want: instance.Partial,
		},
		"a warning, and nothing left": {planned: nothing, answered: nothing, with: warn("Not read"), want: instance.Partial},
		"the plan's warning": {
			planned: left, answered: with(map[string]cty.Value{"c": str("1")}), plannedWith: warn("Old"),
			with: warn("Old"), want: instance.Full,
		},
		"the validation's warning": {
			planned: left, answered: with(map[string]cty.Value{"c": str("1")}), validated: warn("Old"),
			with: warn("Old"), want: instance.Full,
		},
		"another warning than the plan's": {
			planned: left, answered: with(map[string]cty.Value{"c": str("1")}), plannedWith: warn("Old"),
			with: warn("Not read"), want: instance.Partial,
		},
		"an error": {
			planned: left, answered: with(map[string]cty.Value{"c": str("1")}), with: providerError("It failed", ""),
			want: instance.Tainted,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := &schema.Resource{Type: "test_thing", Block: &schema.Block{Attributes: map[string]*schema.Attribute{
				"o": {Type: cty.String, Optional: true}, "oc": {Type: cty.String, Optional: true, Computed: true},
				"c": {Type: cty.String, Computed: true},
				"n": {Type: nested, Optional: true, Computed: true}, "set": {Type: cty.Set(cty.String), Optional: true, Computed: true},
			}}}
			f := newFixture(t, r)
			f.Validate = func(*tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
				return &tfprotov6.ValidateResourceConfigResponse{Diagnostics: test.validated}, nil
			}
			f.Plan = func(*tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
				return &tfprotov6.PlanResourceChangeResponse{PlannedState: f.enc(cty.ObjectVal(test.planned)), Diagnostics: test.plannedWith}, nil
			}
			f.Apply = func(*tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
				return &tfprotov6.ApplyResourceChangeResponse{NewState: f.enc(cty.ObjectVal(test.answered)), Diagnostics: test.with}, nil
			}
			out, _ := f.create(cty.ObjectVal(nothing))
			wantEqual(t, "status", out.Status, test.want)
			if test.want != instance.Partial {
				return
			}
			f.Read = func(*tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
				return &tfprotov6.ReadResourceResponse{NewState: f.enc(cty.ObjectVal(test.answered))}, nil
			}
			read, diags := f.refresh(out)
			wantNoErrors(t, diags)
			wantEqual(t, "status after a read", read.Instance.Status, instance.Full)
			wantEqual(t, "unchanged", read.Unchanged, false)
		})
	}
}
