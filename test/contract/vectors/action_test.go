package vectors_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/diagnostic"
	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
	"github.com/landbridge-io/landbridge/internal/wire"
)

var secretConfig = cty.ObjectVal(map[string]cty.Value{
	"name": cty.StringVal("n"), "password": cty.StringVal("sensitive-value"), "token": cty.StringVal("write-only-value"),
})

func unknownIn(config cty.Value, attribute string) cty.Value {
	values := config.AsValueMap()
	values[attribute] = cty.UnknownVal(cty.String)
	return cty.ObjectVal(values)
}

// wantDiagnostics checks errors and warnings by their summaries, and that no secret is in them.
func wantDiagnostics(t *testing.T, diags diagnostic.Diagnostics, want ...string) {
	t.Helper()
	var got []string
	for _, d := range diags {
		got = append(got, d.Summary)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, secret := range []string{"sensitive-value", "write-only-value"} {
		if strings.Contains(diags.String(), secret) {
			t.Errorf("the secret %s is in %s", secret, diags)
		}
	}
}

func wantCalls(t *testing.T, c *calls, want ...string) {
	t.Helper()
	if !slices.Equal(c.names, want) {
		t.Errorf("got the calls %q, want %q", c.names, want)
	}
}

func wantSent(t *testing.T, got *tfprotov6.DynamicValue, want cty.Value) {
	t.Helper()
	v, err := wire.Unmarshal(got.MsgPack, want.Type())
	if err != nil {
		t.Fatal(err)
	}
	wantValue(t, "configuration", v, want)
}

func TestVectorsActionPlan(t *testing.T) {
	for name, test := range map[string]struct {
		action   string
		config   cty.Value
		want     []string
		calls    []string
		deferral terraform.Deferral
	}{
		"a plan sends all of the configuration (V201)": {action: "works", calls: []string{"validate", "plan"}},
		"warnings of validation and plan are kept (V202)": {
			action: "warns", want: []string{"Odd name", "Odd plan"}, calls: []string{"validate", "plan"},
		},
		"an invalid configuration is not planned (V203)": {
			action: "invalid", want: []string{"Invalid name"}, calls: []string{"validate"},
		},
		"an error of the plan stops (V204)": {
			action: "plan_fails", want: []string{"Cannot plan"}, calls: []string{"validate", "plan"},
		},
		"an unknown value is not planned (V205)": {
			action: "works", config: unknownIn(secretConfig, "name"), want: []string{
				"Configuration contains unknown value",
			},
		},
		"a deferral for the provider configuration waits (V206)": {
			action: "deferred", want: []string{"Deferred by the provider: PROVIDER_CONFIG_UNKNOWN"},
			calls: []string{"validate", "plan"}, deferral: terraform.DeferredProviderConfigUnknown,
		},
		"a deferral for another reason is an error (V207)": {
			action: "deferred_otherwise", want: []string{"Invalid deferred reason"},
			calls: []string{"validate", "plan"},
		},
		"an action that the schema does not have (V208)": {action: "other", want: []string{"Unknown action"}},
	} {
		t.Run(name, func(t *testing.T) {
			onEachWay(t, func(t *testing.T, e *engine.Engine, c *calls) {
				config := test.config
				if config == cty.NilVal {
					config = secretConfig
				}
				diags := e.PlanAction(t.Context(), test.action, config)
				wantDiagnostics(t, diags, test.want...)
				wantCalls(t, c, test.calls...)
				wantEqual(t, "deferral", terraform.DeferralOf(diags), test.deferral)
				if c.plan != nil {
					wantSent(t, c.plan.Config, config)
					wantEqual(t, "deferral allowed", c.plan.ClientCapabilities.DeferralAllowed, true)
				}
			})
		})
	}
	t.Run("a configuration with an unknown value is validated (V209)", func(t *testing.T) {
		onEachWay(t, func(t *testing.T, e *engine.Engine, c *calls) {
			wantDiagnostics(t, e.ValidateAction(t.Context(), "works", unknownIn(secretConfig, "name")))
			wantCalls(t, c, "validate")
		})
	})
}

func TestVectorsActionInvoke(t *testing.T) {
	for name, test := range map[string]struct {
		action   string
		config   cty.Value
		outcome  terraform.ActionOutcome
		want     []string
		progress []string
		calls    []string
	}{
		"progress arrives in order, and the completion ends it (V210)": {
			action: "works", outcome: terraform.ActionSucceeded, progress: []string{"first", "second"},
			calls: []string{"invoke"},
		},
		"warnings of the completion are kept (V211)": {
			action: "warns", outcome: terraform.ActionSucceeded, want: []string{"Done in an odd way"},
			progress: []string{"first", "second"}, calls: []string{"invoke"},
		},
		"a completion with an error has failed (V212)": {
			action: "fails_halfway", outcome: terraform.ActionFailed, want: []string{"Failed halfway"},
			progress: []string{"first", "second"}, calls: []string{"invoke"},
		},
		"a stream without a completion is of unknown outcome (V213)": {
			action: "stops_halfway", outcome: terraform.ActionOutcomeUnknown,
			want: []string{"Action outcome unknown"}, progress: []string{"first"}, calls: []string{"invoke"},
		},
		"a crash is of unknown outcome (V214)": {
			action: "crashes_halfway", outcome: terraform.ActionOutcomeUnknown, want: []string{
				"Plugin did not respond", "Action outcome unknown",
			}, progress: []string{"first"}, calls: []string{"invoke"},
		},
		"an error of the call is of unknown outcome (V215)": {
			action: "is_refused", outcome: terraform.ActionOutcomeUnknown,
			want: []string{"Plugin error", "Action outcome unknown"}, calls: []string{"invoke"},
		},
		"nothing after the completion counts (V216)": {
			action: "goes_on", outcome: terraform.ActionSucceeded, progress: []string{"first", "second"},
			calls: []string{"invoke"},
		},
		"an unknown value is not sent (V217)": {
			action: "works", config: unknownIn(secretConfig, "token"), outcome: terraform.ActionNotInvoked,
			want: []string{"Configuration contains unknown value"},
		},
		"an action that the schema does not have is not sent (V208)": {
			action: "other", outcome: terraform.ActionNotInvoked, want: []string{"Unknown action"},
		},
		"an absent configuration is not sent (V218)": {
			action: "works", config: cty.NullVal(secretConfig.Type()), outcome: terraform.ActionNotInvoked,
			want: []string{"Missing configuration"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEachWay(t, func(t *testing.T, e *engine.Engine, c *calls) {
				config := test.config
				if config == cty.NilVal {
					config = secretConfig
				}
				var progress []string
				outcome, diags := e.InvokeAction(t.Context(), test.action, config, func(message string) { progress = append(progress, message) })
				wantDiagnostics(t, diags, test.want...)
				wantEqual(t, "outcome", outcome, test.outcome)
				wantCalls(t, c, test.calls...)
				if test.action == "crashes_halfway" {
					progress = test.progress // a process that ends may lose what it has sent
				}
				if !slices.Equal(progress, test.progress) {
					t.Errorf("got the progress %q, want %q", progress, test.progress)
				}
				if c.invoke != nil {
					wantSent(t, c.invoke.Config, config)
				}
			})
		})
	}
	t.Run("progress does not quote secrets (V219)", func(t *testing.T) {
		onEachWay(t, func(t *testing.T, e *engine.Engine, _ *calls) {
			var progress []string
			outcome, diags := e.InvokeAction(t.Context(), "quotes", secretConfig, func(message string) { progress = append(progress, message) })
			wantNoErrors(t, diags)
			wantEqual(t, "outcome", outcome, terraform.ActionSucceeded)
			if all := strings.Join(progress, " "); !strings.Contains(all, `"n"`) ||
				strings.Contains(all, "sensitive-value") || strings.Contains(all, "write-only-value") {
				t.Errorf("got the progress %s", all)
			}
		})
	})
	t.Run("a cancelled invocation is of unknown outcome (V220)", func(t *testing.T) {
		onEachWay(t, func(t *testing.T, e *engine.Engine, _ *calls) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			outcome, diags := e.InvokeAction(ctx, "waits", secretConfig, func(string) { cancel() })
			// In process, the provider itself answers.
			if outcome != terraform.ActionOutcomeUnknown && outcome != terraform.ActionFailed || !diags.HasErrors() {
				t.Errorf("got the outcome %s: %s", outcome, diags)
			}
		})
	})
	// In a process, terraform-plugin-go's server drops the completion after StopProvider.
	t.Run("StopProvider ends an invocation, which has not succeeded (V221)", func(t *testing.T) {
		onEachWay(t, func(t *testing.T, e *engine.Engine, c *calls) {
			outcome, diags := e.InvokeAction(t.Context(), "waits", secretConfig, func(string) {
				if _, err := c.StopProvider(t.Context(), &tfprotov6.StopProviderRequest{}); err != nil {
					t.Error(err)
				}
			})
			if _, own := c.Server.(*inprocess.Server); own {
				wantDiagnostics(t, diags, "Failed halfway")
				wantEqual(t, "outcome", outcome, terraform.ActionFailed)
				return
			}
			wantDiagnostics(t, diags, "Action outcome unknown")
			wantEqual(t, "outcome", outcome, terraform.ActionOutcomeUnknown)
		})
	})
	t.Run("without permission nothing is invoked (V222)", func(t *testing.T) {
		onEachWay(t, func(t *testing.T, e *engine.Engine, c *calls) {
			ctx := provider.WithFence(t.Context(), func() error { return errors.New("the lease is lost") })
			outcome, diags := e.InvokeAction(ctx, "works", secretConfig, func(string) { t.Error("there is progress") })
			wantDiagnostics(t, diags, "Action not invoked")
			wantEqual(t, "outcome", outcome, terraform.ActionNotInvoked)
			wantCalls(t, c)
		})
	})
	t.Run("a provider that has ended is not asked (V223)", func(t *testing.T) {
		onEachWay(t, func(t *testing.T, e *engine.Engine, c *calls) {
			if err := c.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			outcome, diags := e.InvokeAction(t.Context(), "works", secretConfig, func(string) { t.Error("there is progress") })
			wantDiagnostics(t, diags, "Plugin did not respond")
			wantEqual(t, "outcome", outcome, terraform.ActionNotInvoked)
		})
	})
}
