package main

import (
	"fmt"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

func newAdoptDriftCommand() *cobra.Command {
	var flags clusterFlags
	var serverSide bool
	cmd := &cobra.Command{
		Use:   "adopt-drift KIND NAME",
		Short: "Change a resource to match the drift of its remote object",
		Long: `Print a patch with which a resource asks for what its remote object has in the fields of status.drift,
so that nothing is changed back. It is a merge patch, for the manifest in Git or for kubectl patch.
With --server-side, it is applied to the resource at once, by server-side apply.

Sensitive values are not in the status, and cannot be adopted: change the Secret. With driftPolicy
Repair there is mostly nothing to adopt, since drift is changed back when it is found. KIND/NAME is
accepted too.`,
		Example: `  landbridge adopt-drift instance web -n team-a
  landbridge adopt-drift instance web -n team-a | kubectl patch instance web -n team-a --type=merge --patch-file=/dev/stdin
  landbridge adopt-drift instance web -n team-a --server-side`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, k, namespace, name, err := flags.find(args)
			if err != nil {
				return err
			}
			a, err := c.Adopt(cmd.Context(), k, namespace, name)
			if err != nil {
				return err
			}
			if serverSide {
				if err := c.Apply(cmd.Context(), a, k); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: adopted\n", a.Title())
			} else {
				b, err := yaml.Marshal(a.Patch)
				if err != nil {
					return err
				}
				fmt.Fprint(cmd.OutOrStdout(), string(b))
			}
			if len(a.Left) == 0 {
				return nil
			}
			for _, left := range a.Left {
				fmt.Fprintln(cmd.ErrOrStderr(), "Not adopted:", left)
			}
			return exit{1}
		},
		ValidArgsFunction: flags.completeOne,
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&serverSide, "server-side", false, "apply it to the resource, by server-side apply")
	return cmd
}
