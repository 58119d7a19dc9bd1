// Package server makes the servers of a Terraform provider, as example.org/terraform-provider-cloud/cmd/run does.
package server

import (
	"context"
	"os"

	"example.org/terraform-provider-cloud/internal/sdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

// New returns a new server. Each provider configuration has one, so servers must share nothing.
func New(version string) (tfprotov5.ProviderServer, error) {
	ctx := context.Background()
	var err error
	var server tfprotov5.ProviderServer
	if os.Getenv("CLOUD") == "off" {
		server = sdk.Provider().GRPCProvider()
	} else if server, err = sdk.Server(ctx); err != nil {
		return nil, err
	}
	return func() tfprotov5.ProviderServer { return server }(), nil
}
