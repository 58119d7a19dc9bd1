//go:build ignore

package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"example.org/terraform-provider-cloud/exported"
)

func main() {
	if factory, err := newServer(context.Background()); err != nil {
		log.Fatal(err)
	} else {
		_ = tf6server.Serve("registry.terraform.io/acme/cloud", factory)
	}
}

// newServer may add more one day.
func newServer(ctx context.Context) (func() tfprotov6.ProviderServer, error) {
	return exported.Server(ctx)
}
