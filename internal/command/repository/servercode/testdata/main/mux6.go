//go:build ignore

package main

import (
	"context"
	"log"
	"os"
	"os/signal"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-mux/tf5to6server"
	"github.com/hashicorp/terraform-plugin-mux/tf6muxserver"

	"example.org/terraform-provider-cloud/internal/provider"
	"example.org/terraform-provider-cloud/internal/sdk"
)

var (
	Version string
	commit  = "none"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	upgraded, err := tf5to6server.UpgradeServer(ctx, sdk.Provider().GRPCProvider)
	if err != nil {
		log.Fatal(err)
	}
	var providers []func() tfprotov6.ProviderServer
	providers = append(providers, func() tfprotov6.ProviderServer { return upgraded })
	providers = append(providers, providerserver.NewProtocol6(provider.WithVersion(Version+"+"+commit)()))
	mux, err := tf6muxserver.NewMuxServer(ctx, providers...)
	if err != nil {
		log.Fatal(err)
	}
	if err = tf6server.Serve("registry.terraform.io/acme/cloud", mux.ProviderServer); err != nil {
		log.Fatal(err)
	}
}
