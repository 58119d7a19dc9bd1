// Package server makes the servers of a Terraform provider, as example.org/terraform-provider-cloud/internal/sdk.Factory does.
package server

import (
	"context"

	"example.org/terraform-provider-cloud/internal/sdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
)

// New returns a new server. Each provider configuration has one, so servers must share nothing.
func New(version string) (tfprotov5.ProviderServer, error) {
	made1, _, err := sdk.Factory(context.Background())
	if err != nil {
		return nil, err
	}
	return made1(), nil
}
