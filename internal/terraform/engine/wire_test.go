package engine_test

import (
	"context"
	"os"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/instance"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/testing/wireprovider"
)

func TestMain(m *testing.M) {
	wireprovider.Main() // the test binary is also this provider
	os.Exit(m.Run())
}

// onTheWire returns an engine over a process of the provider, and its resource type.
func onTheWire(t *testing.T, mode string) (*engine.Engine, terraform.ResourceType) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s, err := (&plugin.Launcher{Path: path, Env: wireprovider.Env(mode)}).Launch(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(context.Background()) })
	return engine.New(s), wireType(t, s)
}

func wireType(t *testing.T, s provider.Server) terraform.ResourceType {
	t.Helper()
	read, diags := s.Schema(t.Context())
	wantNoErrors(t, diags)
	return terraform.ResourceType{Schema: read.Resources[wireprovider.Type]}
}

func rules(ports ...int64) cty.Value {
	if len(ports) == 0 {
		return cty.ListValEmpty(cty.Object(map[string]cty.Type{"port": cty.Number}))
	}
	var all []cty.Value
	for _, port := range ports {
		all = append(all, cty.ObjectVal(map[string]cty.Value{"port": cty.NumberIntVal(port)}))
	}
	return cty.ListVal(all)
}

func wireToken(guid, rule cty.Value) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"name": str("a"), "guid": guid, "rule": rule})
}

// A plan that is made again has the private bytes of the first one, so a value that a provider
// generates stays the same.
func TestPlannedPrivate(t *testing.T) {
	for mode, same := range map[string]bool{wireprovider.Good: true, wireprovider.Forgetful: false} {
		t.Run(mode, func(t *testing.T) {
			e, r := onTheWire(t, mode)
			config := terraform.Config{Value: wireToken(null, rules(443))}
			first, diags := e.Plan(t.Context(), r, instance.Instance{}, config)
			wantNoErrors(t, diags)
			if !first.State.GetAttr("guid").IsKnown() {
				t.Fatal("the provider planned no value, so it was not told that its private bytes are sent back")
			}
			config.PlannedPrivate = first.Private
			again, diags := e.Plan(t.Context(), r, instance.Instance{}, config)
			wantNoErrors(t, diags)
			wantEqual(t, "the same GUID", again.State.GetAttr("guid").RawEquals(first.State.GetAttr("guid")), same)
			out, diags := e.Apply(t.Context(), again)
			wantNoErrors(t, diags)
			wantValue(t, "GUID", out.State.GetAttr("guid"), again.State.GetAttr("guid"))
		})
	}
}

// A computed block that is not configured is the provider's (V20).
func TestComputedBlocksOnTheWire(t *testing.T) {
	e, r := onTheWire(t, wireprovider.Good)
	if b := r.Schema.Block.Blocks["rule"]; !b.Computed {
		t.Fatal("the block is not computed")
	}
	for name, test := range map[string]struct{ config, want cty.Value }{
		"not configured": {rules(), rules(80)},
		"configured":     {rules(443, 8443), rules(443, 8443)},
	} {
		t.Run(name, func(t *testing.T) {
			config := terraform.Config{Value: wireToken(null, test.config)}
			p, diags := e.Plan(t.Context(), r, instance.Instance{}, config)
			wantNoErrors(t, diags)
			made, diags := e.Apply(t.Context(), p)
			wantNoErrors(t, diags)
			wantValue(t, "rule", made.State.GetAttr("rule"), test.want)
			refreshed, diags := e.Refresh(t.Context(), r, made)
			wantNoErrors(t, diags)
			p, diags = e.Plan(t.Context(), r, refreshed.Instance, config)
			wantNoErrors(t, diags)
			wantEqual(t, "the next plan", p.Action, terraform.NoOp)
		})
	}
}
