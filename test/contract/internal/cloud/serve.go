package cloud

import (
	"context"
	"errors"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

// Serve6 serves a provider over gRPC until the context ends.
func Serve6(ctx context.Context, name string, server func() tfprotov6.ProviderServer) (*plugin.ReattachConfig, error) {
	return serve(ctx, func(config chan *plugin.ReattachConfig, done chan struct{}) error {
		return tf6server.Serve(name, server, tf6server.WithDebug(ctx, config, done),
			tf6server.WithoutLogStderrOverride(), tf6server.WithGoPluginLogger(hclog.NewNullLogger()))
	})
}

// Serve5 is Serve6 for protocol 5.
func Serve5(ctx context.Context, name string, server func() tfprotov5.ProviderServer) (*plugin.ReattachConfig, error) {
	return serve(ctx, func(config chan *plugin.ReattachConfig, done chan struct{}) error {
		return tf5server.Serve(name, server, tf5server.WithDebug(ctx, config, done),
			tf5server.WithoutLogStderrOverride(), tf5server.WithGoPluginLogger(hclog.NewNullLogger()))
	})
}

func serve(ctx context.Context, run func(chan *plugin.ReattachConfig, chan struct{}) error) (*plugin.ReattachConfig, error) {
	config, done, failed := make(chan *plugin.ReattachConfig), make(chan struct{}), make(chan error, 1)
	go func() { failed <- run(config, done) }()
	select {
	case c := <-config:
		return c, nil
	case err := <-failed:
		if err == nil {
			err = errors.New("the provider ended before it was served")
		}
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
