package main

import (
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"

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
	return tf5server.Serve("registry.terraform.io/landbridge-io/examplecloud",
		func() tfprotov5.ProviderServer { return framework.Server5(current) })
}
