package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
)

func newApproveCommand() *cobra.Command {
	var flags clusterFlags
	var hash string
	wait, timeout := true, time.Minute
	cmd := &cobra.Command{
		Use:   "approve KIND NAME",
		Short: "Approve the plan of a resource or an action",
		Long: `Show the plan of a resource or an action that waits for approval, and approve it. Which plans wait is in
spec.lifecycle.approvalPolicy of the resource or spec.approvalPolicy of the action, in spec.approvalPolicy of its TerraformProvider, and in
the annotation ` + v1alpha1.AnnotationApprovalPolicy + ` of its provider configuration.

An approval is for one plan, which its hash identifies with all values, also sensitive ones, and is used
once. If the plan is another one by the time it would be carried out, nothing is done, and the new plan
waits. Without --hash, a question has to be answered.

It sets the annotation ` + v1alpha1.AnnotationApprove + ` to the hash, as GitOps can do too. It needs the
permission for the verb approve where the policies of deploy/rbac are installed. KIND/NAME is accepted
too.`,
		Example: `  landbridge approve instance web -n team-a
  landbridge approve instance web -n team-a --hash 0af1c2…`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, k, namespace, name, err := flags.findAny(args)
			if err != nil {
				return err
			}
			p, err := c.Proposal(cmd.Context(), k, namespace, name)
			if err != nil {
				return err
			}
			fmt.Fprint(cmd.OutOrStdout(), p.Text())
			if hash == "" {
				if !isTerminal(cmd.InOrStdin()) {
					return errors.New("give the hash of the plan with --hash, or answer on a terminal")
				}
				if yes, err := answered(cmd, "Do you approve this plan?"); err != nil || !yes {
					return err
				}
				hash = p.Hash
			}
			if err := c.Approve(cmd.Context(), p, k, hash); err != nil {
				return err
			}
			if !wait {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: approved\n", p.Title())
				return nil
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			if _, err := c.AwaitApproved(ctx, p, k); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: approved, and being carried out\n", p.Title())
			return nil
		},
		ValidArgsFunction: flags.completeAny,
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&hash, "hash", "", "approve only the plan with this hash, without a question")
	cmd.Flags().BoolVar(&wait, "wait", wait, "wait until the plan is being carried out")
	cmd.Flags().DurationVar(&timeout, "timeout", timeout, "how long to wait")
	return cmd
}
