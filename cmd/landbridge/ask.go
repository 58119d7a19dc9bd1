package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/status"
)

// newAskCommand returns the command that asks the controller for something.
func newAskCommand(what status.Request, short, long string, told func(status.Row) string) *cobra.Command {
	var flags clusterFlags
	wait, timeout := true, time.Minute
	cmd := &cobra.Command{
		Use:   what.Verb + " KIND NAME",
		Short: short,
		Long: long + `

It sets the annotation ` + what.Annotation + ` to a value that was not there before, which is what
GitOps would do: the controller acts once for each new value, and writes it to
status.lastHandled.` + what.Verb + `. KIND is a kind, its plural or a short name, with its group where
several have the name; KIND/NAME will do, too.`,
		Example: `  landbridge ` + what.Verb + ` password db -n team-a
  kubectl annotate --overwrite password.random.landbridge.io/db -n team-a ` + what.Annotation + `="$(date)"`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			kind, name, err := kindAndName(args)
			if err != nil {
				return err
			}
			c, namespace, err := flags.open()
			if err != nil {
				return err
			}
			kinds, err := c.Kinds()
			if err != nil {
				return err
			}
			k, err := status.Find(kinds, kind)
			if err != nil {
				return err
			}
			asked, err := c.Ask(cmd.Context(), k, namespace, name, what)
			if err != nil {
				return err
			}
			title := k.String() + "/" + name
			if !wait {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: asked to %s\n", title, what.Verb)
				return nil
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			waiting := ""
			row, err := c.Wait(ctx, asked, func(r status.Row) {
				if op := r.Operation; op != nil && waiting != op.Kind {
					waiting = op.Kind
					fmt.Fprintf(cmd.ErrOrStderr(), "Waiting for the end of the %s that has been going on for %s.\n", op.Kind, status.Elapsed(op.StartedAt, time.Now()))
				}
			})
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", title, told(row))
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			switch len(args) {
			case 0:
				return flags.completeKinds(), cobra.ShellCompDirectiveNoFileComp
			case 1:
				return flags.completeNames(cmd, args[0]), cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&wait, "wait", wait, "wait until the controller has acted upon it")
	cmd.Flags().DurationVar(&timeout, "timeout", timeout, "how long to wait")
	return cmd
}

func kindAndName(args []string) (kind, name string, err error) {
	if len(args) == 2 {
		return args[0], args[1], nil
	}
	kind, name, ok := strings.Cut(args[0], "/")
	if !ok || kind == "" || name == "" {
		return "", "", errors.New("give KIND NAME, such as: password db")
	}
	return kind, name, nil
}

func newTaintCommand() *cobra.Command {
	return newAskCommand(status.Taint, "Have a remote object destroyed and created anew",
		`Have a remote object destroyed and created anew, though nothing about it has changed: because it
was damaged, say. Its resource becomes Tainted, and is replaced as its spec.lifecycle says:
with taintPolicy Keep or replacePolicy Never nothing is destroyed until that is allowed, and with
createBeforeDestroy the new object is created first. untaint takes it back, as long as the
replacement has not begun.`,
		func(r status.Row) string {
			if r.State == "Tainted" && r.Message != "" {
				return "tainted. " + r.Message
			}
			return "tainted, and going to be replaced"
		})
}

func newUntaintCommand() *cobra.Command {
	return newAskCommand(status.Untaint, "Keep a remote object whose creation did not end well",
		`Keep a remote object whose creation did not end well, or that somebody tainted, instead of having
it destroyed and created anew. Its resource becomes Partial, and the object is read: if it is
there the resource is Full, and differences from its spec are made good as ever; if it is not,
the resource is Empty, and the object is created. If it cannot be read, the resource stays
Partial until it can.`,
		func(r status.Row) string {
			if r.State == "Partial" {
				return "not tainted any more. It is Partial until it can be read: " + r.Message
			}
			return "not tainted any more. Its state is " + r.State
		})
}

func newRetryCommand() *cobra.Command {
	return newAskCommand(status.Retry, "Try now what has failed, instead of waiting",
		`Try now what has failed, instead of waiting: after each failure in a row the controller waits twice
as long, up to minutes, before it tries again. A changed resource is tried at once in any case. An
operation of which nobody knows whether it created something is not tried again by this; the
resource's message says what can be done.`,
		func(status.Row) string { return "being tried again" })
}
