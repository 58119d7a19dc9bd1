// Package server makes the servers of a Terraform provider, as example.org/terraform-provider-cloud/internal/provider.Concrete does.
package server

import (
	"context"

	"example.org/terraform-provider-cloud/internal/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// New returns a new server. Each provider configuration has one, so servers must share nothing.
func New(version string) (tfprotov6.ProviderServer, error) {
	made1, err := provider.Concrete(context.Background(), version)
	if err != nil {
		return nil, err
	}
	return providerserver.NewProtocol6(made1)(), nil
}
