package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/playground/internal/demo"
)

func newDemoCommand() *cobra.Command {
	var (
		o       sessionOptions
		timeout time.Duration
		keep    bool
	)
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Tell the whole story against a cluster of its own, and check every step",
		Long: `demo starts a control plane and Landbridge's controller in a temporary directory,
installs real providers, applies the example resources, changes one, lets one
drift, deletes them, and stops. It exits with 0 only if every step held.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeoutCause(cmd.Context(), timeout, fmt.Errorf("the demo did not end within %s", timeout))
			defer cancel()
			return runDemo(ctx, o, keep, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	o.addFlags(f)
	f.Lookup("poll").DefValue = "2s"
	o.poll = 2 * time.Second
	f.DurationVar(&timeout, "timeout", 15*time.Minute, "how long it may take in all")
	f.BoolVar(&keep, "keep", false, "keep the temporary directory, with the logs (it is always kept when a step fails)")
	return cmd
}

func runDemo(ctx context.Context, o sessionOptions, keep bool, out io.Writer) (err error) {
	start := time.Now()
	dir, err := os.MkdirTemp("", "landbridge-demo-")
	if err != nil {
		return err
	}
	defer func() {
		if logs, _ := os.ReadDir(dir); len(logs) == 0 || err == nil && !keep {
			os.RemoveAll(dir)
			return
		}
		fmt.Fprintf(out, "\nlogs are in %s\n", dir)
	}()
	fmt.Fprintln(out, "Starting etcd and kube-apiserver in one process, and Landbridge's controller beside it")
	s, err := startSession(ctx, dir, 0, o)
	if err != nil {
		return because(ctx, err)
	}
	fmt.Fprintf(out, "  %6.1fs  the API server answers at %s\n", time.Since(start).Seconds(), s.controlPlane.Config.Host)

	running, cancel := s.watch(ctx)
	defer cancel(nil)
	err = demo.Run(running, demo.Options{
		Config: s.controlPlane.Config, Examples: o.examples, Dir: filepath.Join(dir, "files"), Poll: o.poll, Out: out, Start: start,
	})
	if err != nil {
		err = withLog(because(running, err), s.log, demo.About(err))
	}
	cancel(nil)
	if err := errors.Join(err, s.stop()); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nEvery step held. It took %.0f s, and nothing is left of it.\n", time.Since(start).Seconds())
	return nil
}

// because returns why the context ended, or err if it did not end.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
