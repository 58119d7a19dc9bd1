//go:build ignore

package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
)

func main() {
	_ = providerserver.Serve(context.Background(), newProvider, providerserver.ServeOpts{Address: "registry.terraform.io/acme/cloud"})
}

func newProvider() provider.Provider { return nil }
