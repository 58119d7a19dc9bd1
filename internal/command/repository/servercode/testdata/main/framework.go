//go:build ignore

package main

import (
	"context"
	"flag"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"example.org/terraform-provider-cloud/internal/provider"
)

// The linker sets it.
var version = "dev"

func main() {
	var debug bool
	flag.BoolVar(&debug, "debug", false, "debug")
	flag.Parse()
	opts := providerserver.ServeOpts{Address: "registry.terraform.io/acme/cloud", Debug: debug}
	err := providerserver.Serve(context.Background(), provider.WithVersion(version), opts)
	if err != nil {
		log.Fatal(err.Error())
	}
}
