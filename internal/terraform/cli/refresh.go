package cli

import (
	"bytes"
	"context"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// Refresh implements terraform.Executor. An instance that is packed is unpacked for the program's
// state file, and returned as it was given if the provider has sent the same bytes.
func (e *Executor) Refresh(
	ctx context.Context, r terraform.ResourceType, in instance.Instance,
) (terraform.Refreshed, diagnostic.Diagnostics) {
	whole, err := in.Unpacked(r.Schema)
	if err != nil {
		return terraform.Refreshed{Instance: in}, e.cannotRun(err)
	}
	out, diags := e.refresh(ctx, r, whole)
	if in.IsPacked() && out.Unchanged && out.Instance.Wire == in.Wire {
		out.Instance = in
	}
	return out, diags
}

func (e *Executor) refresh(
	ctx context.Context, r terraform.ResourceType, in instance.Instance,
) (terraform.Refreshed, diagnostic.Diagnostics) {
	none := e.replay(log{})
	if before, diags := engine.New(none).Refresh(ctx, r, in); !none.missing {
		return before, diags // there is no object, or it cannot be read
	}
	unread := terraform.Refreshed{Instance: in}
	out, diags := e.run(ctx, job{args: refreshing, configuration: configuration{resource: r}, state: in, session: &session{}})
	if diags.HasErrors() {
		return unread, diags
	}
	replayed := e.replay(out.log)
	refreshed, diags := engine.New(replayed).Refresh(ctx, r, in)
	gone := !replayed.missing && !diags.HasErrors() && !refreshed.Instance.Exists()
	if gone && !out.ok() {
		return refreshed, diags // the program takes the provider's warning about it for an error
	}
	if diags = e.conclude(out, replayed, diags); diags.HasErrors() {
		unread.IdentityUpgrade = refreshed.IdentityUpgrade && !replayed.missing
		return unread, diags
	}
	file, err := readState(out.state, r.Schema)
	if err != nil {
		return unread, append(diags, e.unreadable(err)...)
	}
	if !file.Exists() {
		if !gone {
			return unread, append(diags, e.disagreement("is gone", "was read")...)
		}
		return refreshed, diags
	}
	var same bool
	refreshed.Instance, same = e.adopt(refreshed.Instance, file)
	refreshed.Unchanged = refreshed.Unchanged && same
	return refreshed, diags
}

// adopt returns the instance that the answers of a run mean, with the object in the program's state
// file, and reports whether they are the same.
func (e *Executor) adopt(judged, file instance.Instance) (out instance.Instance, same bool) {
	out = judged
	out.State, out.SchemaVersion, out.RawState, out.Private = file.State, file.SchemaVersion, nil, file.Private
	if e.runner.Program().Identity {
		out.Identity, out.IdentityVersion, out.RawIdentity = file.Identity, file.IdentityVersion, file.RawIdentity
	}
	same = bytes.Equal(out.Private, judged.Private) && sameValue(out.State, judged.State) && sameValue(out.Identity, judged.Identity)
	if same {
		return judged, true
	}
	out.Wire = nil
	return out, false
}

func sameValue(a, b cty.Value) bool {
	if a == cty.NilVal || b == cty.NilVal {
		return (a == cty.NilVal || a.IsNull()) && (b == cty.NilVal || b.IsNull())
	}
	return a.RawEquals(b)
}

func (e *Executor) unreadable(err error) diagnostic.Diagnostics {
	return diagnostic.Errorf("State cannot be read", "The state file that %s wrote cannot be read: %s.", e.runner.Program(), err)
}

// disagreement is the error when the state file and the provider's answers differ.
func (e *Executor) disagreement(program, answers string) diagnostic.Diagnostics {
	return diagnostic.Errorf("Unexpected answer of the command line", "In the state file that %s wrote, the object "+
		"%s; in the provider's answers, it %s.", e.runner.Program(), program, answers)
}
