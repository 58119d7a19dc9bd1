// Package server makes the servers of a Terraform provider, as example.org/terraform-provider-cloud/exported.Server does.
package server

import (
	"context"

	"example.org/terraform-provider-cloud/exported"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// New returns a new server. Each provider configuration has one, so servers must share nothing.
func New(version string) (tfprotov6.ProviderServer, error) {
	made1, err := exported.Server(context.Background())
	if err != nil {
		return nil, err
	}
	return made1(), nil
}
