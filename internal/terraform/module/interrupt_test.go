package module_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/instance/tfstate"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// TestInterrupt interrupts a module while it creates one of its objects: the object is tainted, as
// the provider answers, and the other object, which depends on it, is not begun.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	e := newEstateOf(t, racks+`
resource "examplecloud_datastore" "last" {
  name             = "last"
  hci_cluster_uuid = "c-1"
  capacity_gib     = 1
  cluster_info     = { id = "c", name = "north" }
  depends_on       = [examplecloud_datastore.rack]
}
`, commandline.Options{})
	interrupted, interrupt := context.WithCancel(t.Context())
	ctx := provider.WithInterrupt(t.Context(), interrupted)
	begun := 0
	x := e.executor(&watched{
		Server: e.server,
		apply: func(
			ctx context.Context, q *tfprotov6.ApplyResourceChangeRequest,
		) (*tfprotov6.ApplyResourceChangeResponse, error) {
			begun++
			interrupt()
			time.Sleep(300 * time.Millisecond) // the program is told to stop while it waits
			a, err := e.server.ApplyResourceChange(ctx, q)
			if err == nil {
				a.Diagnostics = append(a.Diagnostics, &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: "Stopped"})
			}
			return a, err
		},
	})
	p := e.plan(x, instance.Instance{}, e.config(1, "a"))
	journal := &recording{}
	out, diags := x.ApplyJournaled(ctx, p, journal.record)
	if begun != 1 || !diags.HasErrors() || !strings.Contains(diags.String(), "Stopped") {
		t.Errorf("%d changes began: %v", begun, diags)
	}
	state, err := module.State(out)
	if err != nil {
		t.Fatal(err)
	}
	file, err := tfstate.Read(state, nil)
	if err != nil || len(file.Resources) != 1 || file.Resources[0].Instances[0].Status != instance.Tainted {
		t.Errorf("the state is %s, %v", state, err)
	}

	// Nothing begins once it is interrupted.
	again := e.plan(x, instance.Instance{}, e.config(1, "b"))
	out, diags = x.ApplyJournaled(ctx, again, journal.record)
	if begun != 1 || out.Exists() || !strings.Contains(diags.String(), "the operation was interrupted") {
		t.Errorf("%d changes began: %s, %v", begun, out.Status, diags)
	}
}
