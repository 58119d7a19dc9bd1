//go:build ignore

package main

import (
	"flag"

	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
	"github.com/hashicorp/terraform-plugin-sdk/v2/plugin"

	"example.org/terraform-provider-cloud/internal/sdk"
)

func main() {
	debug := flag.Bool("debug", false, "debug")
	flag.Parse()
	opts := &plugin.ServeOpts{
		Debug: *debug,
		ProviderFunc: func() *schema.Provider {
			return sdk.Provider()
		},
	}
	plugin.Serve(opts)
}
