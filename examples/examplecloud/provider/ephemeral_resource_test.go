package provider_test

import (
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/landbridge-io/landbridge/examples/examplecloud/api"
	"github.com/landbridge-io/landbridge/examples/examplecloud/client"
)

// opened is an ephemeral resource that is open.
type opened struct {
	values  map[string]tftypes.Value
	private []byte
	renewAt time.Time
}

func (o opened) text(t *testing.T, name string) (text string) {
	t.Helper()
	if err := o.values[name].As(&text); err != nil {
		t.Fatal(err)
	}
	return text
}

func (c *core) open(arguments values) (opened, error) {
	c.t.Helper()
	s := c.schema().EphemeralResourceSchemas["examplecloud_token"]
	config := c.encode(block(s.Block, arguments))
	validated, err := c.server.ValidateEphemeralResourceConfig(c.t.Context(),
		&tfprotov6.ValidateEphemeralResourceConfigRequest{TypeName: "examplecloud_token", Config: config})
	if err := failed(err, validated.Diagnostics); err != nil {
		return opened{}, err
	}
	answer, err := c.server.OpenEphemeralResource(c.t.Context(), &tfprotov6.OpenEphemeralResourceRequest{
		TypeName: "examplecloud_token", Config: config,
	})
	if err := failed(err, answer.Diagnostics); err != nil {
		return opened{}, err
	}
	v, err := answer.Result.Unmarshal(s.ValueType())
	if err != nil {
		c.t.Fatal(err)
	}
	out := opened{private: answer.Private, renewAt: answer.RenewAt}
	return out, v.As(&out.values)
}

func (c *core) renew(o opened) (opened, error) {
	c.t.Helper()
	answer, err := c.server.RenewEphemeralResource(c.t.Context(), &tfprotov6.RenewEphemeralResourceRequest{
		TypeName: "examplecloud_token", Private: o.private,
	})
	if err := failed(err, answer.Diagnostics); err != nil {
		return o, err
	}
	return opened{values: o.values, private: answer.Private, renewAt: answer.RenewAt}, nil
}

func (c *core) closeToken(o opened) error {
	c.t.Helper()
	answer, err := c.server.CloseEphemeralResource(c.t.Context(), &tfprotov6.CloseEphemeralResourceRequest{
		TypeName: "examplecloud_token", Private: o.private,
	})
	return failed(err, answer.Diagnostics)
}

func (c *core) wantTokens(want int) {
	c.t.Helper()
	tokens, err := client.List(c.t.Context(), c.client, api.Tokens, nil)
	if err != nil || len(tokens) != want {
		c.t.Errorf("there are %d tokens, want %d; %v", len(tokens), want, err)
	}
}

func TestToken(t *testing.T) {
	t.Run("opened, renewed and closed", func(t *testing.T) {
		frameworkForms(t, func(t *testing.T, c *core) {
			o, err := c.open(values{"name": "a", "lifetime": "10m"})
			if err != nil {
				t.Fatal(err)
			}
			expires, err := time.Parse(time.RFC3339Nano, o.text(t, "expires_at"))
			if err != nil || !o.renewAt.Equal(expires.Add(-2*time.Minute)) || o.text(t, "secret") == "" || o.text(t, "lifetime") != "10m" {
				t.Errorf("it expires at %s, and is renewed at %s: %v", expires, o.renewAt, err)
			}
			renewed, err := c.renew(o)
			if err != nil || !renewed.renewAt.After(o.renewAt) {
				t.Errorf("it is renewed at %s, and then at %s: %v", o.renewAt, renewed.renewAt, err)
			}
			c.wantTokens(1)
			if err := c.closeToken(renewed); err != nil {
				t.Error(err)
			}
			c.wantTokens(0)
			if err := c.closeToken(renewed); err != nil {
				t.Errorf("closed again: %v", err)
			}
		})
	})
	t.Run("one hour", func(t *testing.T) {
		frameworkForms(t, func(t *testing.T, c *core) {
			o, err := c.open(values{"name": "a"})
			if err != nil || o.text(t, "lifetime") != "1h0m0s" {
				t.Errorf("got %v, %v", o, err)
			}
		})
	})
	for name, test := range map[string]struct {
		arguments values
		open      api.Fault
		renew     api.Fault
		close     api.Fault
		openErr   string
		renewErr  string
		closeErr  string
		left      int
	}{
		"invalid":                {arguments: values{"name": "a", "lifetime": "soon"}, openErr: "Invalid lifetime"},
		"open is refused":        {open: api.Fault{On: api.OnCreate, Status: 403}, openErr: "Cannot open"},
		"open fails halfway":     {open: api.Fault{On: api.OnCreate, TaskOutcome: api.OutcomeFail}, openErr: "Cannot open"},
		"opened and not seen":    {open: api.Fault{On: api.OnRead, Status: 403}, openErr: "Cannot open"},
		"not renewable":          {arguments: values{"name": "a", "renewable": false}, renewErr: "It is not renewable"},
		"renewal is refused":     {renew: api.Fault{On: api.OnUpdate, Status: 403}, renewErr: "Cannot renew"},
		"expired before renewal": {renew: api.Fault{On: api.OnUpdate, Clock: api.Duration(24 * time.Hour)}, renewErr: "it has expired"},
		"close is refused":       {close: api.Fault{On: api.OnDelete, Status: 403}, closeErr: "Cannot close", left: 1},
	} {
		t.Run(name, func(t *testing.T) {
			frameworkForms(t, func(t *testing.T, c *core) {
				with := func(f api.Fault) {
					c.cloud.ClearFaults()
					if f.On == "" {
						return
					}
					f.Collection = "tokens"
					c.fault(f)
				}
				want := func(err error, text string) {
					t.Helper()
					if text != "" {
						wantError(t, err, text)
					} else if err != nil {
						t.Error(err)
					}
				}
				if test.arguments == nil {
					test.arguments = values{"name": "a"}
				}
				with(test.open)
				o, err := c.open(test.arguments)
				want(err, test.openErr)
				if test.openErr == "" {
					with(test.renew)
					_, err = c.renew(o)
					want(err, test.renewErr)
					with(test.close)
					want(c.closeToken(o), test.closeErr)
				}
				with(api.Fault{})
				c.wantTokens(test.left)
			})
		})
	}
}
