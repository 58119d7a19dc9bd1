package scheduler_test

import (
	"context"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/scheduler/decision"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/testing/examplecloudtest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// silent is an engine whose creates are not answered.
type silent struct {
	*engine.Engine
	// asks is set when the provider is asked for them.
	asks bool
}

func (s silent) Apply(ctx context.Context, p terraform.Plan) (instance.Instance, diagnostic.Diagnostics) {
	if s.asks {
		if _, diags := s.Engine.Apply(ctx, p); diags.HasErrors() {
			return p.Prior, diags
		}
	}
	return p.Prior, terraform.OutcomeUnknownError(p.Resource.Schema.Type)
}

// TestRecoverByListOfProvider finds the object of an interrupted create by the list resource of a
// real provider.
func TestRecoverByListOfProvider(t *testing.T) {
	t.Parallel()
	for name, made := range map[string]bool{"made": true, "not made": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cloud := examplecloudtest.Start(t)
			p, server := examplecloudtest.Open(t, examplecloudtest.Framework6, cloud, nil)
			// One that looks alike, and one that the list leaves out.
			cloud.Make(t, "things", map[string]any{"name": "web", "region": "us-east-1", "size": 1})
			cloud.Make(t, "things", map[string]any{"name": "web", "region": "eu-central-1", "size": 1})
			h := newHarness(t, assigned)
			h.r.Type = terraform.ResourceType{Schema: p.Resources["examplecloud_thing"].Schema}
			values := h.r.Type.Schema.Block.EmptyValue().AsValueMap()
			values["name"], values["region"] = cty.StringVal("web"), cty.StringVal("us-east-1")
			h.r.Config = &terraform.Config{Value: cty.ObjectVal(values)}
			h.r.ListArguments = func(planned cty.Value) (map[string]cty.Value, string) {
				return map[string]cty.Value{"region": planned.GetAttr("region")}, ""
			}
			h.r.Acquire = func(context.Context) (terraform.Executor, func(), diagnostic.Diagnostics) {
				return silent{Engine: engine.New(server), asks: made}, func() {}, nil
			}
			h.observe()
			h.apply()
			waittest.Eventually(t, "the operation has ended", func(context.Context) bool { return h.sched.Running() == 0 })
			op := h.stored().Instance.Operation
			if op == nil || op.Listed == nil || len(op.Listed.Objects) != 1 || op.Listed.Missing != "" {
				t.Fatalf("the intent is %+v", op)
			}
			h.restart()
			if !made {
				h.observeRefused(decision.ReasonCreateOutcomeUnknown)
				return
			}
			h.observe()
			if in := h.stored().Instance; in.Status != instance.Tainted || in.Operation != nil || in.State.GetAttr("name").AsString() != "web" {
				t.Errorf("the instance is %+v", in)
			}
			if live := cloud.Audit(t).Live; live != 3 {
				t.Errorf("%d objects", live)
			}
		})
	}
}
