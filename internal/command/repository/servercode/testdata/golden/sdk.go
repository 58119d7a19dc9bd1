// Package server makes the servers of a Terraform provider, as example.org/terraform-provider-cloud/cmd/sdk does.
package server

import (
	"example.org/terraform-provider-cloud/internal/sdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// New returns a new server. Each provider configuration has one, so servers must share nothing.
func New(version string) (tfprotov5.ProviderServer, error) {
	return func() *schema.Provider {
		return sdk.Provider()
	}().GRPCProvider(), nil
}
