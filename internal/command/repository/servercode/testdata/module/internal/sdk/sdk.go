// Package sdk is a provider on the legacy SDK.
package sdk

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

func Provider() *schema.Provider                               { return &schema.Provider{} }
func WithVersion(string) func() *schema.Provider               { return Provider }
func Server(context.Context) (tfprotov5.ProviderServer, error) { return Provider().GRPCProvider(), nil }
func Factory(ctx context.Context) (func() tfprotov5.ProviderServer, *schema.Provider, error) {
	return Provider().GRPCProvider, nil, nil
}
