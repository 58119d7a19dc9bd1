// Package server makes the servers of a Terraform provider, as example.org/terraform-provider-cloud/internal/sdk.WithVersion does.
package server

import (
	"example.org/terraform-provider-cloud/internal/sdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

// New returns a new server. Each provider configuration has one, so servers must share nothing.
func New(version string) (tfprotov5.ProviderServer, error) {
	made1 := sdk.WithVersion(version)
	return made1().GRPCProvider(), nil
}
