// Package server makes the servers of a Terraform provider, as example.org/terraform-provider-cloud/internal/sdk.Provider and example.org/terraform-provider-cloud/internal/provider.WithVersion and example.org/terraform-provider-cloud/exported.Server does.
package server

import (
	"context"

	"example.org/terraform-provider-cloud/exported"
	"example.org/terraform-provider-cloud/internal/provider"
	"example.org/terraform-provider-cloud/internal/sdk"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"
	"github.com/hashicorp/terraform-plugin-mux/tf6muxserver"
)

// New returns a new server. Each provider configuration has one, so servers must share nothing.
func New(version string) (tfprotov6.ProviderServer, error) {
	made1 := sdk.Provider()
	lifted1, err := tf5to6server.UpgradeServer(context.Background(), made1.GRPCProvider)
	if err != nil {
		return nil, err
	}
	made2 := provider.WithVersion(version)
	made3, err := exported.Server(context.Background())
	if err != nil {
		return nil, err
	}
	mux, err := tf6muxserver.NewMuxServer(context.Background(), func() tfprotov6.ProviderServer { return lifted1 }, providerserver.NewProtocol6(made2()), made3)
	if err != nil {
		return nil, err
	}
	return mux.ProviderServer(), nil
}
