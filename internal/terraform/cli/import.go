//lint:file-ignore SA1019 The field that allows what the legacy SDK may do is deprecated.

package cli

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// Import implements terraform.Executor with an import block. The configuration is empty: in the
// schema that the program gets all attributes are optional, and the plan that it gets changes
// nothing. The provider is asked only to import and to read.
func (e *Executor) Import(
	ctx context.Context, r terraform.ResourceType, target terraform.ImportTarget,
) (instance.Instance, diagnostic.Diagnostics) {
	var nothing instance.Instance
	none := e.replay(log{})
	if _, diags := engine.New(none).Import(ctx, r, target); !none.missing {
		return nothing, diags
	}
	if p := e.runner.Program(); target.Identity != cty.NilVal && !p.Identity {
		return nothing, diagnostic.Errorf("Import by identity not supported",
			"%s does not support resource identities. Use version %s or later, another execution, or import by id.",
			p, commandline.Needs[p.Product].Identity)
	}
	s := &session{
		validate: func(*tfprotov6.ValidateResourceConfigRequest) *tfprotov6.ValidateResourceConfigResponse {
			return &tfprotov6.ValidateResourceConfigResponse{}
		},
		plan: func(q *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
			return &tfprotov6.PlanResourceChangeResponse{
				PlannedState: q.PriorState, PlannedPrivate: q.PriorPrivate, PlannedIdentity: q.PriorIdentity, UnsafeToUseLegacyTypeSystem: true,
			}, nil
		},
	}
	out, diags := e.run(ctx, job{args: applying, configuration: configuration{resource: r, target: &target}, session: s, allOptional: true})
	if diags.HasErrors() {
		return nothing, diags
	}
	replayed := e.replay(out.log)
	imported, diags := engine.New(replayed).Import(ctx, r, target)
	if diags = e.conclude(out, replayed, diags); diags.HasErrors() {
		return nothing, diags
	}
	file, err := readState(out.state, r.Schema)
	switch {
	case err != nil:
		return nothing, append(diags, e.unreadable(err)...)
	case !file.Exists():
		return nothing, append(diags, e.disagreement("was not imported", "was")...)
	}
	imported, _ = e.adopt(imported, file)
	return imported, diags
}
