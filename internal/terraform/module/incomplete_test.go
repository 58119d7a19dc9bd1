package module_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
)

func placeOf(line int) string { return fmt.Sprintf("main.tf:%d:", line) }

// refusing is a provider that refuses to change an object.
func refusing(e *estate, name string) *watched {
	return &watched{
		e.server,
		func(
			ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
		) (*tfprotov6.ApplyResourceChangeResponse, error) {
			if nameOf(q) == name {
				return &tfprotov6.ApplyResourceChangeResponse{NewState: q.PriorState, Diagnostics: []*tfprotov6.Diagnostic{
					{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Refused", Detail: "It is."},
				}}, nil
			}
			return e.server.ApplyResourceChange(ctx, q)
		},
	}
}

// An instance is incomplete from an apply that fails halfway until one succeeds, whether it is the
// first or a later one.
func TestIncomplete(t *testing.T) {
	t.Parallel()
	e := newEstate(t, commandline.Options{})
	good, bad := e.executor(e.server), e.executor(refusing(e, "b"))
	var in instance.Instance
	for _, step := range []struct {
		name string
		size int64
		fail bool
	}{{"create", 1, true}, {"create, again", 1, true}, {"the rest", 1, false}, {"update", 2, true}, {"update, again", 2, false}} {
		x := good
		if step.fail {
			x = bad
		}
		out, diags := x.Apply(t.Context(), e.plan(x, in, e.config(step.size, "a", "b")))
		if diags.HasErrors() != step.fail || out.Incomplete != step.fail || !out.Exists() {
			t.Fatalf("%s: incomplete: %t, exists: %t: %v", step.name, out.Incomplete, out.Exists(), diags)
		}
		read, diags := good.Refresh(t.Context(), e.resource(), out)
		if diags.HasErrors() || read.Instance.Incomplete != out.Incomplete {
			t.Errorf("%s: after it was read, it is incomplete: %t: %v", step.name, read.Instance.Incomplete, diags)
		}
		in = read.Instance
	}
}
