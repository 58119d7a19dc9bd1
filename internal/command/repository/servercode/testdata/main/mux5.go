//go:build ignore

package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	"github.com/hashicorp/terraform-plugin-mux/tf5muxserver"

	"example.org/terraform-provider-cloud/internal/provider"
	"example.org/terraform-provider-cloud/internal/sdk"
)

func main() {
	debug := flag.Bool("debug", false, "debug")
	flag.Parse()
	ctx := context.Background()
	// The framework uses the client of the legacy SDK.
	primary := sdk.Provider()
	providers := []func() tfprotov5.ProviderServer{
		primary.GRPCProvider,
		providerserver.NewProtocol5(provider.Beside(primary)),
	}
	mux, err := tf5muxserver.NewMuxServer(ctx, providers...)
	if err != nil {
		log.Fatalf("unable to create provider: %v", err)
	}
	var options []tf5server.ServeOpt
	if *debug {
		options = append(options, tf5server.WithManagedDebug())
	}
	if err := tf5server.Serve("registry.terraform.io/acme/cloud", mux.ProviderServer, options...); err != nil {
		log.Fatal(err)
	}
}
