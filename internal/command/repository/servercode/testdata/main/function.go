//go:build ignore

package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"example.org/terraform-provider-cloud/internal/provider"
)

func main() {
	_ = providerserver.Serve(context.Background(), provider.New, providerserver.ServeOpts{ProtocolVersion: 5})
}
