package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	commandupgrade "github.com/landbridge-io/landbridge/internal/command/upgrade"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

// upgradePlanFlags are the flags of upgrade plan.
type upgradePlanFlags struct {
	remote remoteFlags
	output string
	sample int
}

// upgradePlanOutputs are the formats of upgrade plan.
var upgradePlanOutputs = []string{"text", "json", "yaml"}

func newUpgradePlanCommand() *cobra.Command {
	var flags upgradePlanFlags
	cmd := &cobra.Command{
		Use:   "plan [PROVIDER...]",
		Short: "Show which newer versions the providers of a cluster have",
		Long: `Show which newer versions the providers of a cluster have where the controller finds them, how far the
installed ones are behind, where the changelog of the newest is, and which resources use what is
deprecated in the installed version. PROVIDER is the name of a TerraformProvider (default: all).

The installed versions run on this machine to tell their schemas. They are not configured, and nothing
is written. You need the permission to read the resources.`,
		Example: `  landbridge upgrade plan
  landbridge upgrade plan examplecloud -o yaml`,
		RunE: func(cmd *cobra.Command, args []string) error {
			plan, err := flags.run(cmd, args)
			if err != nil {
				return err
			}
			if flags.output == "text" {
				return plan.Text(cmd.OutOrStdout())
			}
			return writeDocument(cmd.OutOrStdout(), flags.output, plan)
		},
	}
	flags.remote.clusterFlags.add(cmd)
	flags.remote.addSources(cmd)
	f := cmd.Flags()
	f.Lookup("namespace").Usage = "namespace of the resources (default: each whose resources you may list)"
	f.IntVar(&flags.sample, "sample", defaultExamples, "how many resources are named that use the same deprecated field")
	f.DurationVar(&flags.remote.timeout, "timeout", time.Minute, "how long a provider may take to start and to return its schema")
	f.StringVarP(&flags.output, "output", "o", "text", "output format: "+strings.Join(upgradePlanOutputs, ", "))
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(upgradePlanOutputs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// run plans the upgrades of TerraformProviders; all without names.
func (f *upgradePlanFlags) run(cmd *cobra.Command, names []string) (*commandupgrade.Plan, error) {
	if err := checkFormat(f.output, upgradePlanOutputs); err != nil {
		return nil, err
	}
	r := &remote{flags: &f.remote, err: cmd.ErrOrStderr()}
	if err := r.connect(); err != nil {
		return nil, err
	}
	found, err := r.cluster.Providers(cmd.Context(), names...)
	if err != nil {
		return nil, err
	}
	done := showProgress(cmd, "Searching versions")
	defer done()
	out := &commandupgrade.Plan{Providers: []commandupgrade.ProviderPlan{}}
	for i := range found {
		one, err := f.provider(cmd.Context(), r, &found[i])
		if err != nil {
			return nil, fmt.Errorf("TerraformProvider %s: %w", found[i].Name, err)
		}
		out.Providers = append(out.Providers, one)
	}
	return out, nil
}

// provider plans the upgrade of a TerraformProvider. What cannot be found out is a note.
func (f *upgradePlanFlags) provider(ctx context.Context, r *remote, p *v1alpha1.TerraformProvider) (commandupgrade.ProviderPlan, error) {
	out := commandupgrade.ProviderPlan{Provider: p.Name, Source: p.Spec.Source, Newer: []string{}, Deprecated: []upgrade.Row{}}
	is := p.Status.Installed
	if is == nil {
		out.Notes = append(out.Notes, "The provider is not installed.")
		return out, nil
	}
	out.Installed = is.Version
	findNewer(ctx, r, p, &out)
	was, _, err := versionsOf(p, "any")
	if err != nil {
		return out, err
	}
	installed, err := openVersion(ctx, r.cluster, p, was)
	if err != nil {
		out.Notes = append(out.Notes, fmt.Sprintf("Whether resources use what is deprecated is not known: %s.",
			strings.TrimSuffix(err.Error(), ".")))
		return out, nil
	}
	rows, notes, err := commandupgrade.Deprecations(ctx, commandupgrade.Options{
		Client: r.client, Installed: installed, Namespace: f.remote.namespace, Examples: f.sample,
	})
	if err != nil {
		return out, err
	}
	out.Deprecated, out.Notes = rows, append(out.Notes, notes...)
	return out, nil
}

// findNewer finds the newer versions of a TerraformProvider. If its sources cannot be searched from
// this machine, they are those that the controller has found.
func findNewer(ctx context.Context, r *remote, p *v1alpha1.TerraformProvider, out *commandupgrade.ProviderPlan) {
	if _, err := install.ParseAddress(p.Spec.Source); err != nil || out.Installed == "" {
		out.Notes = append(out.Notes, "Newer versions are not searched: the provider is given by its path, or is part of the controller.")
		return
	}
	sources, err := r.cluster.Sources(p)
	var all []string
	if err == nil {
		all, err = sources.Versions(ctx, p.Spec.Source)
	}
	if err != nil {
		out.Notes = append(out.Notes,
			fmt.Sprintf("The versions are those that the controller has found, since they cannot be searched from "+
				"this machine: %s.", strings.TrimSuffix(err.Error(), ".")))
		all = p.Status.Available
	}
	out.Newer = append(out.Newer, install.Newer(out.Installed, all)...)
	if err == nil || p.Status.VersionsBehind != nil {
		behind := install.BehindOf(out.Installed, out.Newer)
		if err != nil && int(*p.Status.VersionsBehind) > len(out.Newer) { // the list is cut
			behind = install.Behind{Versions: int(*p.Status.VersionsBehind)}
		}
		out.Behind = &behind
	}
	if i := slices.IndexFunc(out.Newer, func(v string) bool { return install.Meets(p.Spec.Version, v) }); i >= 0 {
		out.Permitted = out.Newer[i]
	}
	if err != nil || len(out.Newer) == 0 {
		return
	}
	if out.Changelog, err = sources.Changelog(ctx, p.Spec.Source, out.Newer[0]); err != nil {
		out.Notes = append(out.Notes, fmt.Sprintf("The changelog of %s is not known: %s.", out.Newer[0], strings.TrimSuffix(err.Error(), ".")))
	}
}
