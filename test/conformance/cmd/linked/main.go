package main

import (
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/framework"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/program"
	"github.com/landbridge-io/landbridge/test/conformance"
)

func main() {
	if err := conformance.Quiet(); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
	program.Controller{
		Linked: []program.Linked{{
			Source:    "landbridge-io/examplecloud",
			Version:   release.Latest.String(),
			Protocol6: func() tfprotov6.ProviderServer { return framework.Server6(release.Latest) },
		}},
	}.Main()
}
