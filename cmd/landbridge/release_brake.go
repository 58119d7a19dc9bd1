package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/landbridge-io/landbridge/internal/controller/halt"
)

func newReleaseBrakeCommand() *cobra.Command {
	var flags pauseFlags
	cmd := &cobra.Command{
		Use:   "release-brake (--all | --provider NAME | --account NAME)",
		Short: "Destroy the objects that the brake has kept",
		Long: `Destroy the objects that the brake has kept, because too many were destroyed within a minute. The limits are those of
--destroys-per-minute of the controller, of spec.destroyBrake of a TerraformProvider, and of the annotation
landbridge.io/destroys-per-minute of a namespace.

It is for what waits now, and what was deleted until now. What is deleted later is counted anew. To have an object
kept instead, take the change back, or leave the object with spec.managementPolicies ["Observe"].

It writes the ConfigMap ` + halt.BrakeConfigMap + ` in the controller's namespace. The Role landbridge-release-brake permits it.`,
		Example: `  # What waits, and then all of an account
  landbridge status -A --unready
  landbridge release-brake --provider aws --account prod`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !flags.all && flags.provider == "" && flags.account == "" {
				return errors.New("specify what to release with --all, --provider or --account")
			}
			configMaps, err := flags.open()
			if err != nil {
				return err
			}
			r := halt.Release{Provider: flags.provider, Account: flags.account, At: metav1.Now()}
			if err := changeConfigMap(cmd.Context(), configMaps, halt.BrakeConfigMap,
				func(c *corev1.ConfigMap) error { return halt.AddRelease(c, r) }); err != nil {
				return err
			}
			fmt.Fprintln(cmd.OutOrStdout(), "The brake is released: what waits now is destroyed.")
			return nil
		},
	}
	flags.add(cmd)
	return cmd
}
