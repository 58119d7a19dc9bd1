// Package server makes the servers of a Terraform provider, as example.org/terraform-provider-cloud/cmd/helper does.
package server

import (
	"context"

	"example.org/terraform-provider-cloud/exported"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// New returns a new server. Each provider configuration has one, so servers must share nothing.
func New(version string) (tfprotov6.ProviderServer, error) {
	factory, err := newServer(context.Background())
	if err != nil {
		return nil, err
	}
	return factory(), nil
}

func newServer(ctx context.Context) (func() tfprotov6.ProviderServer, error) {
	return exported.Server(ctx)
}
