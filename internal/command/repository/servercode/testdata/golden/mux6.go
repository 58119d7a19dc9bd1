// Package server makes the servers of a Terraform provider, as example.org/terraform-provider-cloud/cmd/mux6 does.
package server

import (
	"context"

	"example.org/terraform-provider-cloud/internal/provider"
	"example.org/terraform-provider-cloud/internal/sdk"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"
	"github.com/hashicorp/terraform-plugin-mux/tf6muxserver"
)

// New returns a new server. Each provider configuration has one, so servers must share nothing.
func New(version string) (tfprotov6.ProviderServer, error) {
	ctx := context.Background()
	upgraded, err := tf5to6server.UpgradeServer(ctx, sdk.Provider().GRPCProvider)
	if err != nil {
		return nil, err
	}
	var providers []func() tfprotov6.ProviderServer
	providers = append(providers, func() tfprotov6.ProviderServer { return upgraded })
	providers = append(providers, providerserver.NewProtocol6(provider.WithVersion(version+"+"+"none")()))
	mux, err := tf6muxserver.NewMuxServer(ctx, providers...)
	if err != nil {
		return nil, err
	}
	return mux.ProviderServer(), nil
}
