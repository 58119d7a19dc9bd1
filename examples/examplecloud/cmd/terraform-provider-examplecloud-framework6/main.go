package main

import (
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/framework"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	current, err := release.Current()
	if err != nil {
		return err
	}
	return tf6server.Serve("registry.terraform.io/landbridge-io/examplecloud",
		func() tfprotov6.ProviderServer { return framework.Server6(current) })
}
