package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	if err := newRootCommand().ExecuteContext(ctx); err != nil {
		if errors.Is(err, context.Canceled) && ctx.Err() != nil {
			err = errors.New("interrupted")
		}
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func newRootCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "playground",
		Short: "A Kubernetes control plane on this machine, without containers",
		Long: `playground runs etcd, kube-apiserver and the few controllers that a cluster
without nodes needs, in one process. It is the real API server: whatever works
with custom resources elsewhere works here. There are no pods and no nodes.`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	// Kubernetes' libraries add flags of their own to every command line.
	pflag.CommandLine.VisitAll(func(f *pflag.Flag) { f.Hidden = true })
	cmd.AddCommand(newDemoCommand(), newServeCommand(), newUpCommand())
	return cmd
}
