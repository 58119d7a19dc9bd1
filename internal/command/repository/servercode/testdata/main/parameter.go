//go:build ignore

package main

import (
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"

	"example.org/terraform-provider-cloud/internal/sdk"
)

func main() { serve(sdk.Provider().GRPCProvider) }

func serve(factory func() tfprotov5.ProviderServer) {
	_ = tf5server.Serve("registry.terraform.io/acme/cloud", factory)
}
