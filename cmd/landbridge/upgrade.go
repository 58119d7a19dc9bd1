package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/command/cluster"
	commandupgrade "github.com/landbridge-io/landbridge/internal/command/upgrade"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

func newUpgradeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Find, preview, confirm and undo new versions of providers",
		Long: "Find which newer versions the providers of a cluster have, preview what one would do to the " +
			"resources before it is installed, and go back.",
	}
	cmd.AddCommand(newUpgradePlanCommand(), newUpgradePreviewCommand(), newUpgradeRollbackCommand(), newUpgradeConfirmCommand())
	return cmd
}

const previewHelp = `For every live resource of the provider, with its own provider configuration, the new version upgrades
the stored state and identity, validates the configuration and plans. What the installed version
would plan or report, too, is told apart. Resources with the same change or the same error are one row.

Both versions run on this machine. Nothing is written: neither to the cluster, nor to what is stored,
nor to remote objects. Remote objects are read only with --refresh. A provider that calls its API
while it is configured or while it validates or plans does so here, too. You need the permissions to
read the resources, the Secrets of provider configurations, and the Secrets in which Landbridge
stores states. Sensitive values are not shown.`

// defaultExamples is how many resources each row of a report names.
const defaultExamples = 3

// upgradeFlags are the flags of upgrade preview.
type upgradeFlags struct {
	remote   remoteFlags
	files    ofFiles
	to       string
	selector string
	output   string
	refresh  bool
	sample   int
}

func newUpgradePreviewCommand() *cobra.Command {
	var flags upgradeFlags
	cmd := &cobra.Command{
		Use:   "preview (PROVIDER | -f MANIFEST --from VERSION) [--to VERSION]",
		Short: "Show what a new version of a provider would do to live resources",
		Long: `Show what a new version of a provider would do to live resources. PROVIDER is the name of a
TerraformProvider.

` + previewHelp + `

With --filename, it works without a cluster: for the resources of a manifest, with the state file that
landbridge apply keeps. Values that come from resources that do not exist yet are unknown.

The exit code is 0 if nothing would change, 1 if something would, and 2 on errors, or if a resource is
refused, cannot be upgraded or was not previewed.`,
		Example: `  landbridge upgrade preview examplecloud --to 2.0.0
  landbridge upgrade preview examplecloud --to 2.0.0 -n team-a -o markdown > comment.md
  landbridge upgrade preview -f examples/ --state recorded.tfstate --from ./terraform-provider-random_v3.8.0 \
    --to hashicorp/random@3.9.0`,
		Args: cobra.MaximumNArgs(1),
		RunE: compared(func(cmd *cobra.Command, args []string) (bool, error) {
			report, err := flags.run(cmd, args)
			if err != nil {
				return false, err
			}
			if err := writeReport(cmd.OutOrStdout(), report, flags.output); err != nil {
				return false, err
			}
			if report.Failed() {
				return false, exit{2}
			}
			return report.HasChanges(), nil
		}),
	}
	flags.remote.clusterFlags.add(cmd)
	flags.remote.addSources(cmd)
	f := cmd.Flags()
	f.Lookup("namespace").Usage = "namespace of the resources (default: each whose resources you may list)"
	f.StringVar(&flags.to, "to", "", "the new version, or the path of its program or of a directory that has it, "+
		"such as ./program (default: spec.version, if the installed version is another one)")
	f.StringVarP(&flags.selector, "selector", "l", "", "labels of the resources")
	f.BoolVar(&flags.refresh, "refresh", false, "read the remote objects first, by both versions")
	f.IntVar(&flags.sample, "sample", defaultExamples, "how many resources each row names")
	f.StringVar(&flags.remote.system, "system-namespace", "landbridge-system",
		"namespace of Landbridge's own objects, where states are stored")
	f.DurationVar(&flags.remote.timeout, "timeout", time.Minute, "how long a provider may take to start and to return its schema")
	f.StringVarP(&flags.output, "output", "o", "text", "output format: "+strings.Join(diffOutputs, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(diffOutputs, cobra.ShellCompDirectiveNoFileComp))
	flags.addFiles(cmd)
	return cmd
}

// run previews the new version of a TerraformProvider.
func (f *upgradeFlags) run(cmd *cobra.Command, args []string) (*upgrade.Report, error) {
	switch withoutCluster := len(f.files.manifests) > 0; {
	case withoutCluster && len(args) > 0:
		return nil, fmt.Errorf("%s is a TerraformProvider of a cluster, and --filename is for previews without one: "+
			"leave one of them out", args[0])
	case withoutCluster:
		return f.runFiles(cmd)
	case len(args) == 0:
		return nil, errors.New("name a TerraformProvider, or a manifest with --filename")
	}
	if err := checkFormat(f.output, diffOutputs); err != nil {
		return nil, err
	}
	selector, err := labels.Parse(f.selector)
	if err != nil {
		return nil, fmt.Errorf("--selector: %w", err)
	}
	r := &remote{flags: &f.remote, err: cmd.ErrOrStderr()}
	p, err := r.terraformProvider(cmd.Context(), args[0])
	if err != nil {
		return nil, err
	}
	return previewUpgrade(cmd, r.cluster, p, f.to, commandupgrade.Options{
		Client: r.client, Stored: r.cluster.Stored, Namespace: f.remote.namespace, Selector: selector, Refresh: f.refresh, Examples: f.sample,
	})
}

// previewUpgrade previews another version of a TerraformProvider that was read.
func previewUpgrade(
	cmd *cobra.Command, c *cluster.Reader, p *v1alpha1.TerraformProvider, to string, o commandupgrade.Options,
) (*upgrade.Report, error) {
	was, to, err := versionsOf(p, to)
	if err != nil {
		return nil, err
	}
	done := showProgress(cmd, "Previewing "+to)
	defer done()
	if o.Installed, err = openVersion(cmd.Context(), c, p, was); err != nil {
		return nil, err
	}
	if o.New, err = openVersion(cmd.Context(), c, p, to); err != nil {
		return nil, err
	}
	report, err := commandupgrade.Preview(cmd.Context(), o)
	if err != nil {
		return nil, err
	}
	report.Installed, report.New = was, to
	return report, nil
}

// openVersion opens a version of a TerraformProvider. The installed one may run already.
func openVersion(
	ctx context.Context, c *cluster.Reader, p *v1alpha1.TerraformProvider, version string,
) (*cluster.InstalledProvider, error) {
	if version == cmp.Or(p.Spec.Version, p.Spec.Source) {
		return c.Open(ctx, p)
	}
	return c.OpenVersion(ctx, p, version)
}

// versionsOf returns the installed version of a TerraformProvider, and the new one. They are paths
// if it is installed by path.
func versionsOf(p *v1alpha1.TerraformProvider, to string) (was, new string, _ error) {
	was = cmp.Or(p.Spec.Version, p.Spec.Source)
	if is := p.Status.Installed; is != nil {
		was = cmp.Or(is.Version, is.Source, was)
	}
	wanted := cmp.Or(p.Spec.Version, p.Spec.Source)
	switch {
	case to != "":
		return was, to, nil
	case wanted == was || p.Spec.Version != "" && strings.ContainsAny(p.Spec.Version, "<>~=!, "):
		return "", "", fmt.Errorf("TerraformProvider %s has version %s, and spec.version asks for no other one: "+
			"name the new version with --to", p.Name, was)
	}
	return was, wanted, nil
}

// writeReport writes a report in a format.
func writeReport(w io.Writer, report *upgrade.Report, output string) error {
	switch output {
	case "json":
		return writeJSON(w, report)
	case "markdown":
		return report.Markdown(w)
	}
	return report.Text(w)
}
