package vectors_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/terraform"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// ephemeralConfig is a configuration of an ephemeral resource of the raw provider.
func ephemeralConfig(name cty.Value) cty.Value {
	return cty.ObjectVal(map[string]cty.Value{"name": name, "label": cty.NullVal(cty.String), "password": cty.NullVal(cty.String)})
}

func TestVectorsEphemeralOpen(t *testing.T) {
	const invalid = "Provider produced invalid ephemeral resource instance"
	named := ephemeralConfig(cty.StringVal("sensitive-value"))
	all := []string{"validate", "open"}
	closed := []string{"validate", "open", "close"}
	for name, test := range map[string]struct {
		kind     string
		config   cty.Value
		want     []string
		calls    []string
		deferral terraform.Deferral
		opens    bool
	}{
		"open validates, and returns result, private bytes and renewal (V301)": {kind: "works", calls: all, opens: true},
		"warnings are kept (V302)": {
			kind: "warns", want: []string{"Odd name", "Opened in an odd way"}, calls: all, opens: true,
		},
		"an invalid configuration is not opened (V303)": {
			kind: "invalid", want: []string{"Invalid name"}, calls: []string{"validate"},
		},
		"an error opens nothing that could be closed (V304)": {kind: "fails", want: []string{"Cannot open"}, calls: all},
		"a deferral waits, and nothing is closed (V305)": {
			kind: "deferred", want: []string{"Deferred by the provider: ABSENT_PREREQ"}, calls: all,
			deferral: terraform.DeferredAbsentPrereq,
		},
		"an unknown value is not sent (V306)": {
			kind: "works", config: ephemeralConfig(cty.UnknownVal(cty.String)), want: []string{
				"Configuration contains unknown value",
			},
		},
		"an absent result is refused, and closed (V307)":         {kind: "absent", want: []string{invalid}, calls: closed},
		"a null result is refused, and closed (V307)":            {kind: "null", want: []string{invalid}, calls: closed},
		"an unknown result is refused, and closed (V308)":        {kind: "unknown", want: []string{invalid}, calls: closed},
		"a result of another type is refused, and closed (V309)": {kind: "misfits", want: []string{invalid}, calls: closed},
		"a result that contradicts the configuration is refused, and closed (V310)": {
			kind: "contradicts", want: []string{invalid}, calls: closed,
		},
		"a result for what is neither computed nor configured is refused (V311)": {
			kind: "adds", config: ephemeralConfig(cty.NullVal(cty.String)), want: []string{invalid}, calls: closed,
		},
		"an error of the close of what is refused is reported, too (V312)": {
			kind: "refuses_close", want: []string{invalid, "Cannot close"}, calls: closed,
		},
		"a crash is an error, and nothing is known of what was opened (V313)": {
			kind: "crashes", want: []string{"Plugin did not respond"}, calls: all,
		},
		"an ephemeral resource type that the schema does not have is not sent (V314)": {
			kind: "other", want: []string{"Unknown ephemeral resource type"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEachWay(t, func(t *testing.T, e *engine.Engine, c *calls) {
				config := test.config
				if config == cty.NilVal {
					config = named
				}
				opened, diags := e.OpenEphemeral(t.Context(), test.kind, config)
				wantDiagnostics(t, diags, test.want...)
				wantCalls(t, c, test.calls...)
				wantEqual(t, "deferral", terraform.DeferralOf(diags), test.deferral)
				if c.open != nil {
					wantSent(t, c.open.Config, config)
					wantEqual(t, "deferral allowed", c.open.ClientCapabilities.DeferralAllowed, true)
				}
				if c.close != nil {
					wantEqual(t, "private bytes of the close", string(c.close.Private), "opened")
				}
				if !test.opens {
					return
				}
				values := config.AsValueMap()
				values["password"] = cty.StringVal("opened")
				wantValue(t, "result", opened.Result, cty.ObjectVal(values))
				wantEqual(t, "private bytes", string(opened.Private), "opened")
				wantEqual(t, "renewal", opened.RenewAt.UTC(), rawRenewAt)
			})
		})
	}
	t.Run("a configuration with an unknown value is validated (V315)", func(t *testing.T) {
		onEachWay(t, func(t *testing.T, e *engine.Engine, c *calls) {
			wantDiagnostics(t, e.ValidateEphemeral(t.Context(), "works", ephemeralConfig(cty.UnknownVal(cty.String))))
			wantCalls(t, c, "validate")
		})
	})
}

func TestVectorsEphemeralLife(t *testing.T) {
	for name, test := range map[string]struct {
		kind string
		// private bytes and renewal after a renewal, and errors of it.
		private string
		renewAt time.Time
		want    []string
	}{
		"a renewal replaces private bytes and the next renewal (V316)": {
			kind: "works", private: "opened+renewed", renewAt: rawRenewAt.Add(time.Hour),
		},
		"the last renewal tells no next one (V317)":                     {kind: "once", private: "opened+renewed"},
		"a renewal without private bytes keeps the earlier ones (V318)": {kind: "forgets", private: "opened", renewAt: rawRenewAt.Add(time.Hour)},
		"a renewal that fails changes nothing (V319)": {
			kind: "renew_fails", private: "opened", renewAt: rawRenewAt, want: []string{"Cannot renew"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEachWay(t, func(t *testing.T, e *engine.Engine, c *calls) {
				opened, diags := e.OpenEphemeral(t.Context(), test.kind, ephemeralConfig(cty.StringVal("n")))
				wantNoErrors(t, diags)
				renewed, diags := e.RenewEphemeral(t.Context(), test.kind, opened.Open)
				wantDiagnostics(t, diags, test.want...)
				wantEqual(t, "sent", string(c.renew.Private), "opened")
				wantEqual(t, "private bytes", string(renewed.Private), test.private)
				wantEqual(t, "renewal", renewed.RenewAt.UTC(), test.renewAt)
				// Terraform sends those of the open.
				wantDiagnostics(t, e.CloseEphemeral(t.Context(), test.kind, renewed))
				wantEqual(t, "sent", string(c.close.Private), test.private)
			})
		})
	}
	t.Run("a close that fails is reported (V320)", func(t *testing.T) {
		onEachWay(t, func(t *testing.T, e *engine.Engine, _ *calls) {
			wantDiagnostics(t, e.CloseEphemeral(t.Context(), "close_fails", terraform.Open{Private: []byte("opened")}), "Cannot close")
		})
	})
	t.Run("another server renews and closes what one has opened (V321)", func(t *testing.T) {
		for name, launcher := range ways(t) {
			t.Run(name, func(t *testing.T) {
				var open terraform.Open
				for _, step := range []func(*engine.Engine){
					func(e *engine.Engine) {
						opened, diags := e.OpenEphemeral(t.Context(), "works", ephemeralConfig(cty.StringVal("n")))
						wantNoErrors(t, diags)
						open = opened.Open
					},
					func(e *engine.Engine) {
						renewed, diags := e.RenewEphemeral(t.Context(), "works", open)
						wantNoErrors(t, diags)
						open = renewed
					},
					func(e *engine.Engine) { wantNoErrors(t, e.CloseEphemeral(t.Context(), "works", open)) },
				} {
					server, err := launcher.Launch(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					step(engine.New(server))
					if err := server.Close(context.Background()); err != nil {
						t.Error(err)
					}
				}
				wantEqual(t, "private bytes", string(open.Private), "opened+renewed")
			})
		}
	})
	t.Run("without permission nothing is opened, renewed or closed (V322)", func(t *testing.T) {
		onEachWay(t, func(t *testing.T, e *engine.Engine, c *calls) {
			ctx := provider.WithFence(t.Context(), func() error { return errors.New("the lease is lost") })
			_, diags := e.OpenEphemeral(ctx, "works", ephemeralConfig(cty.StringVal("n")))
			wantDiagnostics(t, diags, "Ephemeral resource not opened")
			open := terraform.Open{Private: []byte("opened"), RenewAt: rawRenewAt}
			_, diags = e.RenewEphemeral(ctx, "works", open)
			wantDiagnostics(t, diags, "Ephemeral resource not renewed")
			wantDiagnostics(t, e.CloseEphemeral(ctx, "works", open), "Ephemeral resource not closed")
			wantCalls(t, c, "validate")
		})
	})
}
