package program

import (
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/controller/admission"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
)

// Controller is Landbridge's controller. It installs and serves the providers that
// TerraformProviders and TerraformModules name.
type Controller struct {
	// Name of the program, for its help. Defaults to the name of the running program.
	Name string
	// Linked are the providers that are linked into the program.
	Linked []Linked
}

// Main runs the program with the arguments of the process, and exits.
func (c Controller) Main() { execute(c.Command()) }

// Command returns the program as a command.
func (c Controller) Command() *cobra.Command {
	var flags flags
	var providers sources.Flags
	var cacheKeep time.Duration
	line := &kinds.CommandLine{}
	var plans admission.Options
	name := c.Name
	if name == "" {
		name = filepath.Base(os.Args[0])
	}
	cmd := &cobra.Command{
		Use:   name,
		Short: "Serve Terraform providers as Kubernetes APIs in a cluster",
		Long: `Serve Terraform providers as Kubernetes APIs in a cluster.

The controller installs the providers that TerraformProvider objects name, serves a kind of
custom resource for each of their resource types, and keeps the remote objects as those
resources declare them. It runs inside or outside a cluster. Of several replicas, one is
active and the others are on standby (--leader-elect), unless they share the work (--shards).`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			linked, err := link(c.Linked)
			if err != nil {
				return err
			}
			attached, err := providers.Attached()
			if err != nil {
				return err
			}
			return flags.run(cmd.Context(), func(o *controller.Options) error {
				o.Linked = linked
				o.Attached = attached
				o.CacheKeep = cacheKeep
				o.CommandLine = line
				if plans.Port != 0 {
					plans.Service.Namespace = o.Namespace
					o.Admission = &plans
				}
				if o.Installer, err = providers.Installer(); err != nil {
					return err
				}
				o.Installer.Private = true
				return nil
			})
		},
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	flags.add(cmd)
	providers.Add(cmd.Flags())
	cmd.Flags().IntVar(&flags.options.Shards, "shards", 0,
		"number of shards that the replicas divide among each other, by provider configurations; the same for all "+
			"replicas, and at least one for each. 0: one replica works, and the others are on standby")
	cmd.Flags().DurationVar(&cacheKeep, "provider-cache-keep", 30*24*time.Hour,
		"how long --provider-cache keeps what no TerraformProvider uses; at least two days, or 0 to keep it forever")
	cmd.Flags().IntVar(&plans.Port, "webhook-port", 0, "port of the webhook that shows plans at admission, for "+
		"TerraformProviders with spec.admission; 0 disables it")
	cmd.Flags().StringVar(&plans.Host, "webhook-host", "", "name of the host by which the API server calls the "+
		"webhook of a controller outside its cluster, instead of a Service")
	cmd.Flags().StringVar(&plans.Service.Name, "webhook-service", "landbridge",
		"name of the Service in --namespace through which the API server calls the webhook, at the same port; it "+
			"has to lead to the active replica")
	cmd.Flags().StringVar(&plans.Address, "webhook-address", "",
		"IP address at which the Service reaches this replica, whose EndpointSlice the active replica writes; the "+
			"Service must have no selector (default: the Service leads to the active replica by other means)")
	cmd.Flags().StringVar(&line.Program, "cli", "tofu", "OpenTofu or Terraform, as a path or a name in PATH, for "+
		"modules and for TerraformProviders with spec.execution: CLI")
	cmd.Flags().StringVar(&line.Dir, "cli-workspaces", "", "directory for the working directories of the --cli "+
		"program, preferably in memory and with a short path (default: the system's temporary directory)")
	cmd.Flags().IntVar(&line.Parallelism, "cli-runs", 0,
		"maximum concurrent runs of the --cli program; 0 means the number of processors, and at least 4")
	cmd.Flags().IntVar(&line.Changes, "cli-changes", 0, "maximum additional runs of the --cli program that wait for "+
		"a provider's change; each takes about 100 MB of memory (default 32)")
	return cmd
}
