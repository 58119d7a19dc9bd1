package program

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/config"
	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/controller/conversion"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/packaged"
	"github.com/landbridge-io/landbridge/internal/crd"
	"github.com/landbridge-io/landbridge/internal/provider/plugin"
)

// Program serves the generated kinds of one provider. It runs the provider's binary, which it finds
// in its own directory as terraform-provider-NAME.
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

// levels are the log levels of providers.
var levels = []string{"Off", "Error", "Warn", "Info", "Debug", "Trace"}

// Command returns the program as a command.
func (p Program) Command() *cobra.Command {
	var flags flags
	var binary, level string
	var env []string
	var sandbox plugin.Sandbox
	var ports []uint
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
			launcher, err := launcher(binary, env, level)
			if err != nil {
				return err
			}
			for _, port := range ports {
				sandbox.Connect = append(sandbox.Connect, uint16(min(port, math.MaxUint16)))
			}
			return flags.run(cmd.Context(), func(o *controller.Options) error {
				launcher.StartTimeout = o.StartTimeout
				if o.Sandbox.Applies() {
					launcher.Sandbox = &sandbox
				}
				launcher.Logger = o.Logger.WithName("provider")
				launcher.MemoryLimit = kinds.MemoryLimit(o.Pool.Limits)
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
	beside := "terraform-provider-" + p.Provider
	if self, err := os.Executable(); err == nil {
		beside = filepath.Join(filepath.Dir(self), beside)
	}
	cmd.Flags().StringVar(&binary, "provider", beside, "path of the provider's binary")
	cmd.Flags().StringArrayVar(&env, "provider-env", nil, "NAME=VALUE for the provider's environment; of this program's environment it gets only PATH, HOME, TMPDIR, proxies and certificates")
	cmd.Flags().StringArrayVar(&sandbox.Read, "provider-read-path", nil, "file or folder that the provider can read from its sandbox (--sandbox)")
	cmd.Flags().StringArrayVar(&sandbox.Write, "provider-write-path", nil, "file or folder that the provider can also write")
	cmd.Flags().UintSliceVar(&ports, "provider-connect", nil, "the only TCP ports that the provider can connect to from its sandbox (default: all)")
	cmd.Flags().StringVar(&level, "provider-log-level", levels[0], "log level of the provider, whose entries go to this program's log: "+strings.Join(levels, ", "))
	cmd.Flags().IntVar(&conversions.Port, "webhook-port", crd.ConversionPort, "port of the conversion webhook, for kinds with several API versions; 0 disables it")
	cmd.Flags().StringVar(&conversions.CertDir, "webhook-cert-dir", os.Getenv(certDirVariable),
		"directory with tls.crt and tls.key for the webhook; its owner, such as Crossplane, also configures the webhook in the CRDs (default: $"+certDirVariable+"; if empty, the program creates its own certificates)")
	cmd.Flags().StringVar(&conversions.Service.Name, "webhook-service", p.Name, "name of the Service in --namespace through which the API server calls the webhook")
	return cmd
}

// certDirVariable is the environment variable in which Crossplane passes the directory of certificates.
const certDirVariable = "TLS_SERVER_CERTS_DIR"

func launcher(binary string, env []string, level string) (*plugin.Launcher, error) {
	if _, err := os.Stat(binary); err != nil {
		return nil, fmt.Errorf("--provider: %w", err)
	}
	out := &plugin.Launcher{Path: binary, Env: map[string]string{}, GOGC: 100}
	for _, e := range env {
		name, value, ok := strings.Cut(e, "=")
		if !ok || name == "" {
			return nil, errors.New("--provider-env: must be NAME=VALUE")
		}
		out.Env[name] = value
	}
	for _, l := range levels {
		if strings.EqualFold(l, level) {
			out.LogLevel = plugin.LogLevel(strings.ToUpper(l))
			return out, nil
		}
	}
	return nil, fmt.Errorf("--provider-log-level: %q is not one of %s", level, strings.Join(levels, ", "))
}
