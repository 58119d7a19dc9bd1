package module_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/commandline"
	"github.com/landbridge-io/landbridge/internal/terraform/module"
)

// TestNamedConfiguration: a change is requested of the configuration that the module names,
// recorded with it, and its outcome is looked for there only.
func TestNamedConfiguration(t *testing.T) {
	t.Parallel()
	source := strings.NewReplacer(
		`source = "landbridge/examplecloud"`, "source = \"landbridge/examplecloud\"\n      configuration_aliases = [examplecloud.other]",
		"for_each         = var.names", "for_each         = var.names\n  provider         = examplecloud.other",
	).Replace(racks)
	e := newEstateOf(t, source, commandline.Options{})
	asked := 0
	lost := &watched{
		Server: e.server,
		apply: func(
			context.Context, *tfprotov6.ApplyResourceChangeRequest,
		) (*tfprotov6.ApplyResourceChangeResponse, error) {
			asked++
			return nil, status.Error(codes.Unavailable, "the connection is lost")
		},
	}
	over := func(servers map[string]provider.Server) *module.Executor {
		return module.New(e.runner, e.module, servers).WithCreationGracePeriod(-1)
	}
	x := over(map[string]provider.Server{"landbridge/examplecloud": e.server, "examplecloud.other": lost})
	journal := &recording{}
	if _, diags := x.ApplyJournaled(t.Context(), e.plan(x, instance.Instance{}, e.config(1, "a")),
		journal.record); !terraform.OutcomeUnknown(diags) || asked != 1 {
		t.Fatalf("%d requests, and %v", asked, diags)
	}
	now := time.Now()
	recovered := func(servers map[string]provider.Server) bool {
		op := &instance.Operation{ID: "operation-1", Kind: instance.Create, Deadline: now.Add(-time.Second), Journal: journal.last}
		_, diags := over(servers).Recover(t.Context(), e.resource(), instance.Instance{}, op, false, now)
		return !diags.HasErrors()
	}
	if recovered(map[string]provider.Server{"landbridge/examplecloud": e.server}) {
		t.Error("the object is looked for with another configuration")
	}
	if !recovered(map[string]provider.Server{"landbridge/examplecloud": e.server, "examplecloud.other": e.server}) {
		t.Error("the object is not looked for")
	}

	// The state has the configuration, so that the object is destroyed by it when it is removed
	// from the module.
	x = over(map[string]provider.Server{"landbridge/examplecloud": e.server, "examplecloud.other": e.server})
	out, diags := x.ApplyJournaled(t.Context(), e.plan(x, instance.Instance{}, e.config(1, "a")), journal.record)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	state, err := module.State(out)
	if err != nil || !strings.Contains(string(state), `/landbridge/examplecloud\"].other"`) {
		t.Errorf("%v: %s", err, state)
	}
	replayed, diags := x.Recover(t.Context(), e.resource(), instance.Instance{},
		&instance.Operation{ID: "operation-2", Kind: instance.Create, Journal: journal.last}, false, now)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if state, err = module.State(replayed); err != nil || !strings.Contains(string(state), `/landbridge/examplecloud\"].other"`) {
		t.Errorf("the state that is made of the answers: %v: %s", err, state)
	}
}
