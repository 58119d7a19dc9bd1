//lint:file-ignore SA1019 What the legacy SDK may do is what has to be said here.

package cli

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// Import implements terraform.Executor, with an import block. What the object is to be like is left
// to the object: the program is told that nothing has to be configured, and that nothing is to be
// changed. The provider is only asked to import and to read.
func (e *Executor) Import(ctx context.Context, r terraform.ResourceType, target terraform.ImportTarget) (instance.Instance, diagnostic.Diagnostics) {
	var nothing instance.Instance
	none := e.replay(log{})
	if _, diags := engine.New(none).Import(ctx, r, target); !none.missing {
		return nothing, diags
	}
	if p := e.runner.options.Program; target.Identity != cty.NilVal && !p.Identity {
		return nothing, diagnostic.Errorf("Import by identity not supported", "%s does not know resource identities: use version %s or later, another way of execution, or import by id.", p, needs[p.Product].identity)
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
	out, diags := e.run(ctx, job{args: applying, configuration: configuration{resource: r, target: &target}, session: s, undemanding: true})
	if diags.HasErrors() {
		return nothing, diags
	}
	said := e.replay(out.log)
	imported, diags := engine.New(said).Import(ctx, r, target)
	if diags = e.conclude(out, said, diags); diags.HasErrors() {
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
