// Package server makes the servers of a Terraform provider, as example.org/terraform-provider-cloud/internal/sdk.Server and example.org/terraform-provider-cloud/internal/provider.New does.
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
	made1, err := sdk.Server(context.Background())
	if err != nil {
		return nil, err
	}
	made2 := provider.New()
	mux, err := tf5muxserver.NewMuxServer(context.Background(), func() tfprotov5.ProviderServer { return made1 }, providerserver.NewProtocol5(made2))
	if err != nil {
		return nil, err
	}
	return mux.ProviderServer(), nil
}
