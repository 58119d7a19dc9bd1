//go:build ignore

package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"

	"example.org/terraform-provider-cloud/internal/sdk"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	fmt.Println("starting")
	var server tfprotov5.ProviderServer
	var err error
	if os.Getenv("CLOUD") == "off" {
		server = sdk.Provider().GRPCProvider()
	} else if server, err = sdk.Server(ctx); err != nil {
		return err
	}
	return tf5server.Serve("registry.terraform.io/acme/cloud", func() tfprotov5.ProviderServer { return server })
}
