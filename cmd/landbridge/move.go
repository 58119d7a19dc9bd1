package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/internal/command/move"
	"github.com/landbridge-io/landbridge/internal/command/state"
)

type moveFlags struct {
	stateFlags
	to               clusterFlags
	toSystem         string
	all              bool
	dryRun, undoing  bool
	stopped          bool
	operationTimeout time.Duration
}

func newMoveCommand() *cobra.Command {
	var flags moveFlags
	cmd := &cobra.Command{
		Use:   "move {[KIND | KIND/NAME]... | --all} --to-kubeconfig FILE",
		Short: "Move managed resources to another cluster",
		Long: `Move managed resources, with what is stored of their remote objects, to the namespace of the same
name in another cluster. The remote objects are not touched.

For each resource:
  1. a running operation and actions that are left to be invoked are waited for, what is stored of
     the object is locked, and the resource is paused in the source, until its controller has
     noticed that
  2. what is stored, and then the resource, are copied to the target, where it is paused too
  3. the resource is removed from the source without destroying its object, and then what is stored
  4. the resource is unpaused in the target

The clusters never reconcile a resource at the same time: while it is locked, no controller of the
source acts on it, even if it is unpaused by hand. If no controller runs in the source, give
--source-stopped. If the command is interrupted, repeat it, and it goes on. Before step 3 a move can
be undone with --undo.

Before anything is changed, it is checked that the target serves the kinds, and has the namespace,
the provider configurations and the Secrets that the resources refer to. These are not moved.
Owner references, finalizers of others, and the status are not copied.`,
		Example: `  # See what would be moved, and what is missing in the target
  landbridge move --all -n team-a --to-kubeconfig other.kubeconfig --dry-run
  # Move all resources of a namespace, all of a kind, or one
  landbridge move --all -n team-a --to-kubeconfig other.kubeconfig
  landbridge move password -n team-a --to-kubeconfig other.kubeconfig
  landbridge move password/db -n team-a --to-kubeconfig other.kubeconfig`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.all == (len(args) > 0) {
				return errors.New("give kinds or resources, as KIND or KIND/NAME, or --all for all resources of the namespace")
			}
			m, namespace, err := flags.open()
			if err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			tell, done := showSteps(cmd, "Moving")
			defer done()
			m.Tell = tell
			switch {
			case flags.dryRun:
				found, err := m.Check(cmd.Context(), namespace, args)
				done()
				if err != nil {
					return err
				}
				for _, r := range found {
					fmt.Fprintf(out, "%s: would be moved\n", r)
				}
				fmt.Fprintf(out, "%s would be moved.\n", plural(len(found), "resource"))
				return nil
			case flags.undoing:
				return m.Undo(cmd.Context(), namespace, args)
			}
			return m.Move(cmd.Context(), namespace, args)
		},
	}
	flags.add(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.to.kubeconfig, "to-kubeconfig", "", "kubeconfig file of the target")
	f.StringVar(&flags.to.context, "to-context", "", "context of the target's kubeconfig")
	f.StringVar(&flags.toSystem, "to-system-namespace", "", "namespace of Landbridge's own objects in the target (default: as in the source)")
	f.BoolVar(&flags.all, "all", false, "all managed resources of the namespace")
	f.BoolVar(&flags.dryRun, "dry-run", false, "only check what would be moved, and what is missing")
	f.BoolVar(&flags.undoing, "undo", false, "end a move that was interrupted before step 3: the resources stay in the source")
	f.BoolVar(&flags.stopped, "source-stopped", false,
		"no controller runs in the source; otherwise, it has to notice that the resources are paused")
	f.DurationVar(&flags.operationTimeout, "operation-timeout", 10*time.Minute,
		"how long to wait for the running operation and the actions of each resource, and for the controller "+
			"to notice that it is paused")
	_ = cmd.MarkFlagRequired("to-kubeconfig")
	cmd.MarkFlagsMutuallyExclusive("dry-run", "undo")
	return cmd
}

func (f *moveFlags) open() (*move.Mover, string, error) {
	source, namespace, err := f.config()
	if err != nil {
		return nil, "", fmt.Errorf("source: %w", err)
	}
	target, _, err := f.to.config()
	if err != nil {
		return nil, "", fmt.Errorf("target: %w", err)
	}
	if f.toSystem == "" {
		f.toSystem = f.system
	}
	m := &move.Mover{Patience: f.operationTimeout, Stopped: f.stopped}
	if m.Source, err = state.Open(source, f.system); err != nil {
		return nil, "", fmt.Errorf("source: %w", err)
	}
	if m.Target, err = state.Open(target, f.toSystem); err != nil {
		return nil, "", fmt.Errorf("target: %w", err)
	}
	return m, namespace, nil
}
