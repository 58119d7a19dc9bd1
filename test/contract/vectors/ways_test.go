package vectors_test

import (
	"context"
	"os"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
	"github.com/landbridge-io/landbridge/internal/terraform/engine"
)

// ways are the ways of running the raw provider.
func ways(t *testing.T) map[string]provider.Launcher {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]provider.Launcher{
		"plugin, protocol 5":     &plugin.Launcher{Path: path, Env: map[string]string{servesVariable: "5"}},
		"plugin, protocol 6":     &plugin.Launcher{Path: path, Env: map[string]string{servesVariable: "6"}},
		"in process, protocol 5": &inprocess.Launcher{Name: "raw5", Protocol5: raw5},
		"in process, protocol 6": &inprocess.Launcher{Name: "raw6", Protocol6: func() (tfprotov6.ProviderServer, error) { return raw{}, nil }},
	}
}

// onEachWay runs a test with an engine over the raw provider, run in each way.
func onEachWay(t *testing.T, test func(*testing.T, *engine.Engine, *calls)) {
	t.Helper()
	for name, launcher := range ways(t) {
		t.Run(name, func(t *testing.T) {
			server, err := launcher.Launch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.Close(context.Background()) })
			c := &calls{Server: server}
			test(t, engine.New(c), c)
		})
	}
}

// calls keeps the calls for actions and ephemeral resources.
type calls struct {
	provider.Server
	names  []string
	plan   *tfprotov6.PlanActionRequest
	invoke *tfprotov6.InvokeActionRequest
	open   *tfprotov6.OpenEphemeralResourceRequest
	renew  *tfprotov6.RenewEphemeralResourceRequest
	close  *tfprotov6.CloseEphemeralResourceRequest
}

func (c *calls) ValidateActionConfig(
	ctx context.Context, q *tfprotov6.ValidateActionConfigRequest,
) (*tfprotov6.ValidateActionConfigResponse, error) {
	c.names = append(c.names, "validate")
	return c.Server.ValidateActionConfig(ctx, q)
}

func (c *calls) PlanAction(ctx context.Context, q *tfprotov6.PlanActionRequest) (*tfprotov6.PlanActionResponse, error) {
	c.names, c.plan = append(c.names, "plan"), q
	return c.Server.PlanAction(ctx, q)
}

func (c *calls) InvokeAction(ctx context.Context, q *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	c.names, c.invoke = append(c.names, "invoke"), q
	return c.Server.InvokeAction(ctx, q)
}

func (c *calls) ValidateEphemeralResourceConfig(
	ctx context.Context, q *tfprotov6.ValidateEphemeralResourceConfigRequest,
) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	c.names = append(c.names, "validate")
	return c.Server.ValidateEphemeralResourceConfig(ctx, q)
}

func (c *calls) OpenEphemeralResource(
	ctx context.Context, q *tfprotov6.OpenEphemeralResourceRequest,
) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	c.names, c.open = append(c.names, "open"), q
	return c.Server.OpenEphemeralResource(ctx, q)
}

func (c *calls) RenewEphemeralResource(
	ctx context.Context, q *tfprotov6.RenewEphemeralResourceRequest,
) (*tfprotov6.RenewEphemeralResourceResponse, error) {
	c.names, c.renew = append(c.names, "renew"), q
	return c.Server.RenewEphemeralResource(ctx, q)
}

func (c *calls) CloseEphemeralResource(
	ctx context.Context, q *tfprotov6.CloseEphemeralResourceRequest,
) (*tfprotov6.CloseEphemeralResourceResponse, error) {
	c.names, c.close = append(c.names, "close"), q
	return c.Server.CloseEphemeralResource(ctx, q)
}
