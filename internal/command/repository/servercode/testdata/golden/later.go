// Package server makes the servers of a Terraform provider, as example.org/terraform-provider-cloud/cmd/later does.
package server

import (
	cloud "example.org/terraform-provider-cloud/internal/sdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

// New returns a new server. Each provider configuration has one, so servers must share nothing.
func New(version string) (tfprotov5.ProviderServer, error) {
	return cloud.WithVersion("1.2.3")().GRPCProvider(), nil
}
