package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	commandupgrade "github.com/landbridge-io/landbridge/internal/command/upgrade"
	"github.com/landbridge-io/landbridge/internal/upgrade"
)

// rollbackFlags are the flags of upgrade rollback.
type rollbackFlags struct {
	remote      remoteFlags
	to, output  string
	dryRun, yes bool
}

// rollbackOutputs are the output formats of upgrade rollback.
var rollbackOutputs = []string{"text", "json"}

func newUpgradeRollbackCommand() *cobra.Command {
	var flags rollbackFlags
	cmd := &cobra.Command{
		Use:   "rollback PROVIDER --to VERSION",
		Short: "Go back to an earlier version of a provider",
		Long: `Go back to an earlier version of a provider. PROVIDER is the name of a TerraformProvider.

A version cannot read what a later one has upgraded. So the controller keeps each object as it was stored before the upgrade,
until a change of the object begins, or the upgrade is confirmed: with landbridge upgrade confirm, or after spec.upgrade.confirmAfter.
The earlier version goes on with what was stored before. Resources whose objects it cannot read are held as they are, until a
version runs that can.

The command shows both, asks, and sets spec.version of the TerraformProvider: setting it in another way does the same. The
earlier version runs on this machine for its schema. You need the permissions to read the Secrets in which Landbridge stores
states, and to change the TerraformProvider.

With --dry-run, the exit code is 1 if resources would be held, and 2 on errors.`,
		Example: `  landbridge upgrade rollback examplecloud --to 1.0.0 --dry-run
  landbridge upgrade rollback examplecloud --to 1.0.0`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.dryRun {
				return compared(flags.run)(cmd, args)
			}
			_, err := flags.run(cmd, args)
			return err
		},
	}
	flags.remote.clusterFlags.add(cmd)
	flags.remote.addSources(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.to, "to", "", "the earlier version; required")
	f.BoolVar(&flags.dryRun, "dry-run", false, "show what would become of the resources, and change nothing")
	f.BoolVar(&flags.yes, "yes", false, "do not ask")
	f.StringVar(&flags.remote.system, "system-namespace", "landbridge-system",
		"namespace of Landbridge's own objects, where states are stored")
	f.DurationVar(&flags.remote.timeout, "timeout", time.Minute, "how long a provider may take to start and to return its schema")
	f.StringVarP(&flags.output, "output", "o", "text", "output format: "+strings.Join(rollbackOutputs, ", "))
	_ = cmd.MarkFlagRequired("to")
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(rollbackOutputs, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// run shows what an earlier version can go on with, and has it take over. held is set if resources
// would be held.
func (f *rollbackFlags) run(cmd *cobra.Command, args []string) (held bool, _ error) {
	if err := checkFormat(f.output, rollbackOutputs); err != nil {
		return false, err
	}
	r := &remote{flags: &f.remote, err: cmd.ErrOrStderr()}
	p, err := r.terraformProvider(cmd.Context(), args[0])
	if err != nil {
		return false, err
	}
	if p.Spec.Version == "" && !f.dryRun {
		return false, fmt.Errorf("TerraformProvider %s is installed by path, so it has no versions: give --dry-run, and set spec.source", p.Name)
	}
	was, to, err := versionsOf(p, f.to)
	if err != nil {
		return false, err
	}
	done := showProgress(cmd, "Reading what is stored")
	defer done()
	earlier, err := openVersion(cmd.Context(), r.cluster, p, to)
	if err != nil {
		return false, err
	}
	plan, err := commandupgrade.PlanRollback(cmd.Context(), r.client, r.cluster.Stored, earlier)
	if err != nil {
		return false, err
	}
	done()
	plan.Installed, plan.To = was, to
	if u := p.Spec.Upgrade; len(plan.Held) > 0 && u != nil && u.Preview == v1alpha1.UpgradePreviewRequired &&
		!slices.Contains(u.Accept, string(upgrade.NotUpgraded)) {
		plan.Notes = append(plan.Notes, "The preview that spec.upgrade.preview requires holds the version because of "+
			"resources that it cannot read, unless spec.upgrade.accept has NotUpgraded.")
	}
	if f.output == "json" {
		err = writeJSON(cmd.OutOrStdout(), plan)
	} else {
		err = plan.Text(cmd.OutOrStdout())
	}
	if err != nil || f.dryRun {
		return len(plan.Held) > 0, err
	}
	if !f.yes {
		if ok, err := answered(cmd, "Do you want the earlier version to take over?"); !ok || err != nil {
			return false, err
		}
	}
	before := p.DeepCopy()
	p.Spec.Version, p.Spec.Checksums = to, nil
	if err := r.client.Patch(cmd.Context(), p, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
		return false, fmt.Errorf("spec.version of the TerraformProvider %s cannot be set: %w", p.Name, err)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "spec.version of TerraformProvider %s is %s now.\n", p.Name, to)
	return false, nil
}

func newUpgradeConfirmCommand() *cobra.Command {
	var flags clusterFlags
	cmd := &cobra.Command{
		Use:   "confirm PROVIDER",
		Short: "Confirm an upgrade, so that nothing is kept for going back",
		Long: `Confirm the upgrades of a provider until now. PROVIDER is the name of a TerraformProvider.

What was stored of objects before they were upgraded is removed with the next write of each record. An earlier version cannot
go on with these objects afterwards. Without the command, upgrades are confirmed after spec.upgrade.confirmAfter.

It sets the annotation ` + v1alpha1.AnnotationUpgradesConfirmed + ` to the time, as GitOps can do too.`,
		Example: `  landbridge upgrade confirm examplecloud`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r := &remote{flags: &remoteFlags{clusterFlags: flags}, err: cmd.ErrOrStderr()}
			p, err := r.terraformProvider(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			before := p.DeepCopy()
			if p.Annotations == nil {
				p.Annotations = map[string]string{}
			}
			p.Annotations[v1alpha1.AnnotationUpgradesConfirmed] = time.Now().UTC().Format(time.RFC3339Nano)
			if err := r.client.Patch(cmd.Context(), p, client.MergeFrom(before)); err != nil {
				return fmt.Errorf("TerraformProvider %s cannot be annotated: %w", p.Name, err)
			}
			fmt.Fprintf(cmd.OutOrStdout(), "The upgrades of TerraformProvider %s until now are confirmed.\n", p.Name)
			return nil
		},
	}
	flags.add(cmd)
	return cmd
}
