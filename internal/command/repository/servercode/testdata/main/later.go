//go:build ignore

package main

import (
	"github.com/hashicorp/terraform-plugin-sdk/v2/plugin"

	cloud "example.org/terraform-provider-cloud/internal/sdk"
)

const (
	version = "1.2.3"
)

func main() {
	opts := &plugin.ServeOpts{}
	opts.GRPCProviderFunc = cloud.WithVersion(version)().GRPCProvider
	plugin.Serve(opts)
}
