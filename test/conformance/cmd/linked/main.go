package main

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/framework"
	"github.com/landbridge-io/landbridge/examples/examplecloud/provider/release"
	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/provider/inprocess"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/program"
	"github.com/landbridge-io/landbridge/test/conformance"
)

func main() {
	var flags program.Flags
	cmd := &cobra.Command{
		Use: "linked", Short: "Serve the example cloud's provider, which is linked into this program", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.Run(cmd.Context(), func(o *controller.Options) error {
				o.Installer = &install.Installer{CacheDir: os.TempDir()}
				o.Linked = []terraformprovider.Linked{{
					Source: "landbridge-io/examplecloud", Version: release.Latest.String(),
					Launcher: &inprocess.Launcher{
						Name:      "examplecloud",
						Protocol6: func() tfprotov6.ProviderServer { return framework.Server6(release.Latest) },
					},
				}}
				return nil
			})
		},
		SilenceUsage: true, SilenceErrors: true,
	}
	flags.Add(cmd)
	err := conformance.Quiet()
	if err == nil {
		err = cmd.ExecuteContext(context.Background())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}
