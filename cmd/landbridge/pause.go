package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/util/retry"

	"github.com/landbridge-io/landbridge/internal/controller/halt"
)

// pauseFlags are the flags of the commands that pause operations, and have them go on.
type pauseFlags struct {
	clusterFlags
	system, provider, account string
	all                       bool
}

func (f *pauseFlags) add(cmd *cobra.Command) {
	f.clusterFlags.add(cmd)
	flags := cmd.Flags()
	_ = flags.MarkHidden("namespace")
	flags.StringVar(&f.system, "system-namespace", "landbridge-system", "namespace of Landbridge's own objects, where the controller runs")
	flags.BoolVar(&f.all, "all", false, "all operations of the installation")
	flags.StringVar(&f.provider, "provider", "", "operations of this TerraformProvider or TerraformModule")
	flags.StringVar(&f.account, "account", "", "operations in this account, as landbridge.io/account declares it, "+
		"or of a provider configuration:\nClusterProviderConfig/NAME or ProviderConfig/NAMESPACE/NAME")
	cmd.MarkFlagsMutuallyExclusive("all", "provider")
	cmd.MarkFlagsMutuallyExclusive("all", "account")
}

// open returns the ConfigMaps of Landbridge's own namespace.
func (f *pauseFlags) open() (typedcorev1.ConfigMapInterface, error) {
	config, _, err := f.config()
	if err != nil {
		return nil, err
	}
	c, err := typedcorev1.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return c.ConfigMaps(f.system), nil
}

func newPauseCommand() *cobra.Command {
	var flags pauseFlags
	var reason string
	cmd := &cobra.Command{
		Use:   "pause (--all | --provider NAME | --account NAME)",
		Short: "Stop operations of an installation, a provider or an account",
		Long: `Stop operations: nothing is created, changed or destroyed from now on, by any replica. What runs is finished,
and its outcome is recorded. Remote objects are still looked at, so the status shows what would be done.
A replacement of which only the first half was done waits, too.

With --provider and --account, only what both are true of is stopped. landbridge resume has it go on, and
landbridge status shows what is stopped. To stop a single resource, set its annotation crossplane.io/paused.

It writes the ConfigMap ` + halt.PauseConfigMap + ` in the controller's namespace. The Role of that name permits it.`,
		Example: `  # Everything, at once
  landbridge pause --all --reason "a prune deletes the wrong things"

  # One provider, and one account
  landbridge pause --provider aws
  landbridge pause --account prod
  landbridge pause --account ClusterProviderConfig/default --provider aws`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !flags.all && flags.provider == "" && flags.account == "" {
				return errors.New("specify what to pause with --all, --provider or --account")
			}
			p := halt.Pause{Provider: flags.provider, Account: flags.account, Reason: reason, Since: metav1.Now()}
			configMaps, err := flags.open()
			if err != nil {
				return err
			}
			if _, err := changePauses(cmd.Context(), configMaps, func(all []halt.Pause) []halt.Pause {
				if slices.ContainsFunc(all, p.Same) {
					return all
				}
				return append(all, p)
			}); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s. They resume after %s.\n", p, p.Resume())
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&reason, "reason", "", "why, for those who look at what waits")
	return cmd
}

func newResumeCommand() *cobra.Command {
	var flags pauseFlags
	cmd := &cobra.Command{
		Use:   "resume (--all | --provider NAME | --account NAME)",
		Short: "Resume operations that landbridge pause has stopped",
		Long: `Resume operations. --provider and --account are those of landbridge pause, and end that pause alone.
--all ends all pauses.

It writes the ConfigMap ` + halt.PauseConfigMap + ` in the controller's namespace. The Role of that name permits it.`,
		Example: `  landbridge resume --provider aws
  landbridge resume --all`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !flags.all && flags.provider == "" && flags.account == "" {
				return errors.New("specify what to resume with --all, --provider or --account")
			}
			configMaps, err := flags.open()
			if err != nil {
				return err
			}
			var ended []halt.Pause
			left, err := changePauses(cmd.Context(), configMaps, func(all []halt.Pause) []halt.Pause {
				ended = nil
				return slices.DeleteFunc(all, func(p halt.Pause) bool {
					over := flags.all || p.Same(halt.Pause{Provider: flags.provider, Account: flags.account})
					if over {
						ended = append(ended, p)
					}
					return over
				})
			})
			if err != nil {
				return err
			}
			for _, p := range ended {
				fmt.Fprintf(cmd.OutOrStdout(), "%s go on.\n", p.What())
			}
			for _, p := range left {
				fmt.Fprintf(cmd.OutOrStdout(), "Still in force: %s.\n", p)
			}
			if len(ended) == 0 {
				return errors.New("there is no such pause")
			}
			return nil
		},
	}
	flags.add(cmd)
	return cmd
}

// changePauses changes the pauses of an installation, and returns them.
func changePauses(
	ctx context.Context, configMaps typedcorev1.ConfigMapInterface, change func([]halt.Pause) []halt.Pause,
) (all []halt.Pause, err error) {
	err = changeConfigMap(ctx, configMaps, halt.PauseConfigMap, func(c *corev1.ConfigMap) (err error) {
		if all, err = halt.Pauses(c); err != nil {
			return err
		}
		all = change(all)
		return halt.SetPauses(c, all)
	})
	return all, err
}

// changeConfigMap changes a ConfigMap, or creates it.
func changeConfigMap(
	ctx context.Context, configMaps typedcorev1.ConfigMapInterface, name string, change func(*corev1.ConfigMap) error,
) error {
	return retry.RetryOnConflict(retry.DefaultRetry, func() error {
		c, err := configMaps.Get(ctx, name, metav1.GetOptions{})
		missing := kerrors.IsNotFound(err)
		if missing {
			c, err = &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}, nil
		}
		if err == nil {
			err = change(c)
		}
		switch {
		case err != nil:
			return err
		case missing:
			_, err = configMaps.Create(ctx, c, metav1.CreateOptions{})
		default:
			_, err = configMaps.Update(ctx, c, metav1.UpdateOptions{})
		}
		return err
	})
}

// tellPauses writes what is paused, as far as the user may read it.
func (f *clusterFlags) tellPauses(ctx context.Context, out io.Writer, system string) {
	configMaps, err := (&pauseFlags{clusterFlags: *f, system: system}).open()
	if err != nil {
		return
	}
	c, err := configMaps.Get(ctx, halt.PauseConfigMap, metav1.GetOptions{})
	if err != nil {
		return // most users may not read it. The resources that wait tell it
	}
	all, err := halt.Pauses(c)
	if err != nil {
		fmt.Fprintf(out, "All operations are paused, because %s.\n", err)
	}
	for _, p := range all {
		fmt.Fprintf(out, "%s. They resume after %s.\n", p, p.Resume())
	}
}
