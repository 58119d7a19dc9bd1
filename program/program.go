package program

import (
	"context"
	"fmt"
	"os"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/controller/conversion"
	"github.com/landbridge-io/landbridge/internal/controller/packaged"
	"github.com/landbridge-io/landbridge/internal/crd"
)

// Program serves the generated kinds of one provider. It runs the provider's binary, which it finds
// in its own directory as terraform-provider-NAME, unless the provider is linked into the program
// by Protocol5 or Protocol6.
type Program struct {
	// Name of the program and of its lease, such as provider-random.
	Name string
	// Provider is the provider's name, such as random, and Version its version.
	Provider, Version string
	// SchemaSum is the checksum of the schema that the kinds were generated from
	// (schema.Provider.Sum). The program refuses a provider with another schema.
	SchemaSum string
	// Config is the configuration of the provider's kinds.
	Config config.Provider
	// Protocol5 or Protocol6 links the provider into the program, where it runs unless --provider
	// names a binary. The function makes a new server each time, one for each provider
	// configuration: of a mux, the whole mux. At most one of them may be set.
	Protocol5 func() (tfprotov5.ProviderServer, error)
	Protocol6 func() (tfprotov6.ProviderServer, error)
}

// Main runs the program with the arguments of the process, and exits.
func (p Program) Main() { execute(p.Command()) }

// execute runs a command with the arguments of the process, and exits.
func execute(cmd *cobra.Command) {
	if err := cmd.ExecuteContext(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Command returns the program as a command.
func (p Program) Command() *cobra.Command {
	var flags flags
	var process processFlags
	var conversions conversion.Options
	cmd := &cobra.Command{
		Use:   p.Name,
		Short: fmt.Sprintf("Serve the kinds of the Terraform provider %s in a cluster", p.Provider),
		Long: fmt.Sprintf(`Serve the kinds of the Terraform provider %s in a cluster.

Install their CRDs first, from package/crds or with Crossplane. A kind is served while its CRD exists.
The program keeps the remote objects as their resources declare them.`, p.Provider),
		Version: p.Version,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			launch, err := p.launcher(cmd.Flags(), &process, flags.options.Sandbox)
			if err != nil {
				return err
			}
			return flags.run(cmd.Context(), func(o *controller.Options) error {
				launcher, err := launch(o)
				if err != nil {
					return err
				}
				o.Name = p.Name
				if conversions.Port != 0 {
					conversions.Service.Namespace = o.Namespace
					o.Conversions = &conversions
				}
				o.Packaged = &packaged.Provider{Name: p.Provider, Config: p.Config, Launcher: launcher, SchemaSum: p.SchemaSum}
				return nil
			})
		},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	flags.add(cmd)
	if ours := os.Getenv("POD_NAMESPACE"); ours != "" {
		f := cmd.Flags().Lookup("namespace")
		f.DefValue = ours
		flags.options.Namespace = ours
	}
	p.addProcessFlags(cmd.Flags(), &process)
	cmd.Flags().IntVar(&conversions.Port, "webhook-port", crd.ConversionPort,
		"port of the conversion webhook, for kinds with several API versions; 0 disables it")
	cmd.Flags().StringVar(&conversions.CertDir, "webhook-cert-dir", os.Getenv(certDirVariable),
		"directory with tls.crt and tls.key for the webhook; its owner, such as Crossplane, also configures the "+
			"webhook in the CRDs (default: $"+certDirVariable+"; if empty, the program creates its own certificates)")
	cmd.Flags().StringVar(&conversions.Service.Name, "webhook-service", p.Name,
		"name of the Service in --namespace through which the API server calls the webhook")
	return cmd
}

// certDirVariable is the environment variable in which Crossplane passes the directory of
// certificates.
const certDirVariable = "TLS_SERVER_CERTS_DIR"
