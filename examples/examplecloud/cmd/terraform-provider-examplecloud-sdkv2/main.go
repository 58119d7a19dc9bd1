package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/sdkv2"
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
	var server tfprotov5.ProviderServer
	if os.Getenv("EXAMPLECLOUD_LIST_RESOURCES") == "off" {
		server = sdkv2.PlainServer(current)
	} else if server, err = sdkv2.Server(context.Background(), current); err != nil {
		return err
	}
	return tf5server.Serve("registry.terraform.io/landbridge-io/examplecloud", func() tfprotov5.ProviderServer { return server })
}
