package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/local"
	"github.com/landbridge-io/landbridge/internal/invocation"
)

// The exit status of landbridge invoke for an action that was not successful.
const (
	exitFailed  = 1
	exitUnknown = 2
)

func newInvokeCommand() *cobra.Command {
	var flags clusterFlags
	var manifests []string
	wait, timeout := true, time.Hour
	cmd := &cobra.Command{
		Use:   "invoke --filename FILE",
		Short: "Invoke an action, and wait until it is over",
		Long: `Create the action in a manifest, which has it invoked, and wait until the invocation is over. Messages of
the provider are printed while it runs. The object stays, unless it has spec.ttlSecondsAfterFinished:
delete it to have its action interrupted.

With metadata.generateName instead of metadata.name, a manifest can be used again. Each object is one
invocation.

The exit status is 0 if the action has succeeded, ` + fmt.Sprint(exitFailed) +
			` if it has failed or was not invoked, and ` + fmt.Sprint(exitUnknown) + ` if it is not known
how it has ended. Afterwards it may have done all of it, a part or nothing.`,
		Example: `  landbridge invoke -f backup.yaml -n team-a`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			action, err := oneAction(cmd, manifests)
			if err != nil {
				return err
			}
			c, namespace, err := flags.open()
			if err != nil {
				return err
			}
			k, err := c.ActionKind(action.Unstructured)
			if err != nil {
				return err
			}
			if action.GetNamespace() == "" || flags.namespace != "" {
				action.SetNamespace(namespace)
			}
			made, err := c.Create(cmd.Context(), k, action.Unstructured)
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			fmt.Fprintf(out, "%s/%s: created in %s\n", k, made.GetName(), made.GetNamespace())
			if !wait {
				return nil
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			end, err := c.AwaitInvocation(ctx, k, made, func(line string) { fmt.Fprintln(out, printable(line)) })
			switch {
			case err != nil:
				return err
			case end.Phase == invocation.Unknown:
				return exit{exitUnknown}
			case end.Phase != invocation.Succeeded:
				return exit{exitFailed}
			}
			return nil
		},
	}
	flags.add(cmd)
	cmd.Flags().StringSliceVarP(&manifests, "filename", "f", nil, "the manifest of one action: a file, or - for standard input")
	cmd.Flags().BoolVar(&wait, "wait", wait, "wait until the invocation is over")
	cmd.Flags().DurationVar(&timeout, "timeout", timeout, "how long to wait; the action goes on afterwards")
	if err := cmd.MarkFlagRequired("filename"); err != nil {
		panic(err)
	}
	return cmd
}

// oneAction returns the only object of manifests.
func oneAction(cmd *cobra.Command, manifests []string) (local.Object, error) {
	sources, err := local.ReadSources(manifests, cmd.InOrStdin())
	if err != nil {
		return local.Object{}, err
	}
	objects, messages := local.ReadObjects(sources)
	switch {
	case messages.HasErrors():
		return local.Object{}, errors.New(messages.String())
	case len(objects) != 1:
		return local.Object{}, fmt.Errorf("the manifest has %d objects: give one action, which is invoked", len(objects))
	}
	return objects[0], nil
}
