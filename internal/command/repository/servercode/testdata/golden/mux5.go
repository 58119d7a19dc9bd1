// Package server makes the servers of a Terraform provider, as example.org/terraform-provider-cloud/cmd/mux5 does.
package server

import (
	"context"

	"example.org/terraform-provider-cloud/internal/provider"
	"example.org/terraform-provider-cloud/internal/sdk"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-mux/tf5muxserver"
)

// New returns a new server. Each provider configuration has one, so servers must share nothing.
func New(version string) (tfprotov5.ProviderServer, error) {
	ctx := context.Background()
	primary := sdk.Provider()
	providers := []func() tfprotov5.ProviderServer{
		primary.GRPCProvider,
		providerserver.NewProtocol5(provider.Beside(primary)),
	}
	mux, err := tf5muxserver.NewMuxServer(ctx, providers...)
	if err != nil {
		return nil, err
	}
	return mux.ProviderServer(), nil
}
