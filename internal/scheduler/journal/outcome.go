package journal

import (
	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
)

// Concluded returns the instance after the provider has answered. If a create follows an
// interrupted one and makes nothing, the outcome of the interrupted one stays unknown: the create
// may have been refused because of an object that the interrupted one made.
func Concluded(in, out instance.Instance, diags diagnostic.Diagnostics, unresolved *instance.Operation) instance.Instance {
	op := in.Operation
	if len(op.Journal) > 0 && terraform.OutcomeUnknown(diags) {
		return in // the rest has to be recovered
	}
	in.Operation = nil
	if op.Kind == instance.Delete && op.Deposed != "" {
		return in.WithDeposed(op.Deposed, out)
	}
	out.Operation, out.Deposed = nil, in.Deposed
	if op.Kind == instance.Create && !out.Exists() {
		if out.Operation = unresolved; terraform.OutcomeUnknown(diags) {
			out.Operation = op
		}
		if out.Operation != nil {
			return out
		}
	}
	return out.FallBack(op.Deposed)
}

// Repeated returns the outcome of a create. If it repeats an interrupted one, whose configuration
// was another, the remote side answers with an object of that configuration. It is complete, and
// the next plan changes it.
func Repeated(
	unresolved, op *instance.Operation, out instance.Instance, diags diagnostic.Diagnostics,
) (instance.Instance, diagnostic.Diagnostics) {
	if unresolved == nil || op.CreateToken == "" || unresolved.CreateToken != op.CreateToken || !out.Exists() ||
		!terraform.Inconsistent(diags) {
		return out, diags
	}
	out.Status = instance.Full
	return out, diags.Warnings()
}
