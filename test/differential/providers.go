package differential

import (
	"context"
	"errors"

	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/provider"
	"github.com/landbridge-io/landbridge/provider/inprocess"
	"github.com/landbridge-io/landbridge/test/differential/internal/cloud"
)

// maker makes servers of one provider; exactly one of its fields is set.
type maker struct {
	five func() tfprotov5.ProviderServer
	six  func() tfprotov6.ProviderServer
}

// serve serves the provider to tofu.
func (m maker) serve(ctx context.Context, name string) (*plugin.ReattachConfig, error) {
	switch {
	case m.six != nil:
		return cloud.Serve6(ctx, name, m.six)
	case m.five != nil:
		return cloud.Serve5(ctx, name, m.five)
	}
	return nil, errors.New("there is no provider of that style")
}

// launch links the provider in, for the engine.
func (m maker) launch(ctx context.Context, name string) (provider.Server, error) {
	return (&inprocess.Launcher{Name: name, Protocol5: m.five, Protocol6: m.six}).Launch(ctx)
}
