package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/status"
)

// newAskCommand returns a command that makes a request to the controller.
func newAskCommand(what *status.Request, short, long string, told func(status.Row) string) *cobra.Command {
	var flags clusterFlags
	wait, timeout := true, time.Minute
	cmd := &cobra.Command{
		Use:   what.Verb + " KIND NAME",
		Short: short,
		Long: long + `

It sets the annotation ` + what.Annotation + ` to a new value, as GitOps can do too. The
controller acts once for each new value, and writes it to status.lastHandled.` + what.Verb + `.
KIND is a kind, its plural or a short name, with its group if several kinds have the name.
KIND/NAME is accepted too.`,
		Example: `  landbridge ` + what.Verb + ` password db -n team-a
  kubectl annotate --overwrite password.random.landbridge.io/db -n team-a ` + what.Annotation + `="$(date)"`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, k, namespace, name, err := flags.find(args)
			if err != nil {
				return err
			}
			asked, err := c.Ask(cmd.Context(), k, namespace, name, *what)
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
			done := showProgress(cmd, "Waiting for the controller")
			row, err := c.Wait(ctx, asked, func(r status.Row) {
				if op := r.Operation; op != nil && waiting != op.Kind {
					waiting = op.Kind
					done()
					defer func() { done = showProgress(cmd, "Waiting for the running "+op.Kind) }()
					fmt.Fprintf(cmd.ErrOrStderr(), "Waiting for the running %s, which began %s ago.\n", op.Kind, status.Elapsed(op.StartedAt, time.Now()))
				}
			})
			done()
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", title, told(row))
			return nil
		},
		ValidArgsFunction: flags.completeOne,
	}
	flags.add(cmd)
	cmd.Flags().BoolVar(&wait, "wait", wait, "wait until the controller has handled the request")
	cmd.Flags().DurationVar(&timeout, "timeout", timeout, "how long to wait")
	return cmd
}

// find returns the kind, the namespace and the name of the resource that the arguments KIND NAME or
// KIND/NAME are about.
func (f *clusterFlags) find(args []string) (c *status.Client, k status.Kind, namespace, name string, err error) {
	return f.findIn(args, (*status.Client).Kinds)
}

// findAny is find for all kinds, also of what resources need.
func (f *clusterFlags) findAny(args []string) (c *status.Client, k status.Kind, namespace, name string, err error) {
	return f.findIn(args, (*status.Client).AllKinds)
}

func (f *clusterFlags) findIn(
	args []string, list func(*status.Client) ([]status.Kind, error),
) (c *status.Client, k status.Kind, namespace, name string, err error) {
	kind, name, err := kindAndName(args)
	if err != nil {
		return nil, k, "", "", err
	}
	c, namespace, err = f.open()
	if err != nil {
		return nil, k, "", "", err
	}
	kinds, err := list(c)
	if err == nil {
		k, err = status.Find(kinds, kind)
	}
	return c, k, namespace, name, err
}

// completeOne completes the arguments KIND NAME.
func (f *clusterFlags) completeOne(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return f.completeNamed(cmd, args, (*status.Client).Kinds)
}

// completeAny is completeOne for all kinds, also of what resources need.
func (f *clusterFlags) completeAny(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return f.completeNamed(cmd, args, (*status.Client).AllKinds)
}

func (f *clusterFlags) completeNamed(
	cmd *cobra.Command, args []string, list func(*status.Client) ([]status.Kind, error),
) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch len(args) {
	case 0:
		return f.completeKindsOf(list), cobra.ShellCompDirectiveNoFileComp
	case 1:
		return f.completeNames(cmd, args[0]), cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveNoFileComp
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
	return newAskCommand(&status.Taint, "Have a remote object replaced",
		`Have a remote object destroyed and created again although its configuration has not changed, for
example because it is damaged. Its resource becomes Tainted and is replaced as spec.lifecycle
permits: with taintPolicy Keep or replacePolicy Never nothing is destroyed, and with
createBeforeDestroy the new object is created first. untaint reverts it until the replacement
begins.`,
		func(r status.Row) string {
			if r.State == "Tainted" && r.Message != "" {
				return "tainted. " + r.Message
			}
			return "tainted, and going to be replaced"
		})
}

func newUntaintCommand() *cobra.Command {
	return newAskCommand(&status.Untaint, "Keep a tainted remote object",
		`Keep a tainted remote object instead of replacing it. An object is tainted if its creation failed
or if taint was requested. Its resource becomes Partial, and the object is read. If it exists, the
resource becomes Full, and differences from its spec are applied; if not, the resource becomes
Empty, and the object is created. If it cannot be read, the resource stays Partial until it can.`,
		func(r status.Row) string {
			if r.State == "Partial" {
				return "not tainted any more. It is Partial until it can be read: " + r.Message
			}
			return "not tainted any more. Its state is " + r.State
		})
}

func newReapplyCommand() *cobra.Command {
	return newAskCommand(&status.Reapply, "Set the arguments of a remote object again",
		`Update a remote object although it is as its spec asks for, as far as its provider can see: for example
because its password was changed from outside, which the provider cannot read. Nothing is destroyed: the
provider is asked to set all arguments of simple types (texts, numbers, booleans) that it can change
without replacing the object. Use taint for the others.

With driftPolicy Report, it also changes back what was changed outside of the resource, once. What
needs approval waits for it. Modules, and providers with execution CLI, do not support it.`,
		func(status.Row) string { return "being applied again, or nothing could be: its events tell" })
}

func newRetryCommand() *cobra.Command {
	var many askMany
	cmd := newAskCommand(&status.Retry, "Retry a failed operation now",
		`Retry a failed operation now. The controller retries by itself, with a delay that doubles after
each consecutive failure, up to minutes, and at once when the resource changes. A create whose
outcome is unknown is not retried; the resource's message describes what to do.

With --all or --selector, all resources of the namespace that are not ready or not synced are
retried, of the kinds KIND... if any are given. The command does not wait for them then.`,
		func(status.Row) string { return "being tried again" })
	one := cmd.RunE
	cmd.Use, cmd.Args = "retry KIND NAME | --all [KIND...]", nil
	cmd.Example += "\n  landbridge retry --all -n team-a\n  landbridge retry -A -l app=shop"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !many.asked() {
			if err := cobra.RangeArgs(1, 2)(cmd, args); err != nil {
				return err
			}
			return one(cmd, args)
		}
		return many.run(cmd, args, status.Retry)
	}
	flags := cmd.Flags()
	flags.BoolVar(&many.all, "all", false, "retry all resources of the namespace that are not ready or not synced")
	flags.StringVarP(&many.selector, "selector", "l", "", "retry those whose labels match")
	flags.BoolVarP(&many.everywhere, "all-namespaces", "A", false, "of all namespaces, with --all or --selector")
	return cmd
}

// askMany makes a request for all resources in trouble.
type askMany struct {
	all, everywhere bool
	selector        string
}

func (m *askMany) asked() bool { return m.all || m.everywhere || m.selector != "" }

func (m *askMany) run(cmd *cobra.Command, names []string, what status.Request) error {
	text := func(name string) string { return cmd.Flag(name).Value.String() }
	flags := clusterFlags{kubeconfig: text("kubeconfig"), context: text("context"), namespace: text("namespace")}
	c, namespace, err := flags.open()
	if err != nil {
		return err
	}
	if m.everywhere {
		namespace = ""
	}
	view := statusView{cluster: c, names: splitNames(names)}
	kinds, err := view.kinds()
	if err != nil {
		return err
	}
	kinds = slices.DeleteFunc(kinds, func(k status.Kind) bool { return k.Supporting }) // they take no requests
	rows, err := c.Select(cmd.Context(), kinds, namespace, m.selector)
	errs := []error{err}
	n := 0
	for _, r := range rows {
		if r.Paused || r.Ready == "True" && r.Synced == "True" {
			continue
		}
		k, err := status.KindOf(kinds, r)
		if err == nil {
			_, err = c.Ask(cmd.Context(), k, r.Namespace, r.Name, what)
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		n++
		fmt.Fprintf(cmd.OutOrStdout(), "%s in %s: asked to %s\n", r.Title(), r.Namespace, what.Verb)
	}
	if n == 0 && errors.Join(errs...) == nil {
		fmt.Fprintln(cmd.ErrOrStderr(), "No resource is in trouble.")
	}
	return errors.Join(errs...)
}

func newInterruptCommand() *cobra.Command {
	what, abandon := status.Interrupt, false
	cmd := newAskCommand(&what, "Interrupt the running operation of a resource",
		`Interrupt the running create, update or delete of a resource, as Control-C does with Terraform: its
provider is told to stop, and what it answers is recorded. An object that is only partly created is
Tainted. Other operations go on: a provider can only stop all operations of its process, so it is
told when the others of this process have ended; new ones get a fresh process.

Nothing begins afterwards until the spec changes, or until retry is requested. A deletion waits, too:
the resource keeps its finalizer. If nothing is running, nothing is changed.

With --abandon, an operation that was interrupted before is cancelled without waiting for its
provider's answer, which is lost. A create is looked up by its identity then, as after a crash. If
its type has none, the resource's message describes what to do.`,
		func(r status.Row) string {
			switch {
			case r.Reason == "Interrupted":
				return "interrupted. Its state is " + r.State + ". " + r.Message
			case r.Trouble() && r.Message != "":
				return "its operation has ended. Its state is " + r.State + ". " + r.Message
			default:
				return "its operation has ended before it could be interrupted. Its state is " + r.State
			}
		})
	cmd.Flags().BoolVar(&abandon, "abandon", abandon, "cancel an operation that was interrupted before, without its provider's answer")
	cmd.PreRun = func(*cobra.Command, []string) {
		if abandon {
			what = status.Abandon
		}
	}
	return cmd
}
