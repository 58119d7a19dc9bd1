// Package server makes the servers of a Terraform provider, as example.org/terraform-provider-cloud/cmd/framework does.
package server

import (
	"example.org/terraform-provider-cloud/internal/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// New returns a new server. Each provider configuration has one, so servers must share nothing.
func New(version string) (tfprotov6.ProviderServer, error) {
	return providerserver.NewProtocol6(provider.WithVersion(version)())(), nil
}
