package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/program"
)

func newControllerCommand() *cobra.Command {
	var flags program.Flags
	var mirror, cacheDir string
	line := &terraformprovider.CommandLine{}
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Serve Terraform providers as Kubernetes APIs in a cluster",
		Long: `Serve Terraform providers as Kubernetes APIs in a cluster.

The controller installs the providers that TerraformProvider objects name, makes a kind of
custom resource for each of their resource types, and keeps the remote objects as those
resources declare them. It runs inside a cluster or outside; several may run at once, of
which one works and the others wait (--leader-elect).`,
		Example: `  # Against the cluster of your kubeconfig, with provider binaries from a mirror
  landbridge controller --provider-mirror /var/lib/terraform/mirror

  # Then, with kubectl:
  kubectl apply -f - <<EOF
  apiVersion: landbridge.io/v1alpha1
  kind: TerraformProvider
  metadata: {name: random}
  spec: {source: hashicorp/random, version: "~> 3.7", activate: ["random_*"]}
  EOF`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cacheDir == "" {
				var err error
				if cacheDir, err = os.UserCacheDir(); err != nil {
					cacheDir = os.TempDir()
				}
				cacheDir = filepath.Join(cacheDir, "landbridge", "providers")
			}
			return flags.Run(cmd.Context(), func(o *controller.Options) error {
				o.CommandLine = line
				o.Installer = &install.Installer{CacheDir: cacheDir}
				if mirror != "" {
					o.Installer.Mirrors = []string{mirror}
				}
				return nil
			})
		},
	}
	flags.Add(cmd)
	cmd.Flags().StringVar(&mirror, "provider-mirror", os.Getenv("LANDBRIDGE_PROVIDER_MIRROR"), "directory with provider binaries in the layout of Terraform's filesystem mirrors")
	cmd.Flags().StringVar(&cacheDir, "provider-cache", "", "directory for unpacked providers (default: the user's cache directory)")
	cmd.Flags().StringVar(&line.Program, "cli", "tofu", "OpenTofu or Terraform, a path or a name in PATH, for TerraformProviders with spec.execution: CLI")
	cmd.Flags().StringVar(&line.Dir, "cli-workspaces", "", "directory for the time of its runs, best on a file system in memory, with a short path (default: the system's temporary directory)")
	cmd.Flags().IntVar(&line.Parallelism, "cli-runs", 0, "how many of its runs there may be at once; 0 is as many as there are processors, and at least 4")
	cmd.Flags().IntVar(&line.Changes, "cli-changes", 0, "how many of its runs may wait for a provider's change, beside those; each takes some 100 MB of memory (default 32)")
	return cmd
}
