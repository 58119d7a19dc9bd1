//go:build ignore

package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/plugin"

	"example.org/terraform-provider-cloud/internal/sdk"
)

var provider = sdk.Provider()

func main() { plugin.Serve(&plugin.ServeOpts{GRPCProviderFunc: provider.GRPCProvider}) }
