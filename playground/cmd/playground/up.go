package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/playground/internal/demo"
)

func newUpCommand() *cobra.Command {
	var (
		o         sessionOptions
		dir       string
		port      int
		providers bool
	)
	cmd := &cobra.Command{
		Use:   "up",
		Short: "Run the control plane with Landbridge and example providers, until Ctrl-C",
		Long: `up runs the control plane and Landbridge's controller, installs the example
providers, and says how to use them with kubectl. What you make is kept in the
data directory: the next up continues there.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return up(cmd.Context(), dir, port, providers, o, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	o.addFlags(f)
	f.StringVar(&dir, "data", ".playground", "directory for data, kubeconfig and logs")
	f.IntVar(&port, "port", 0, "port of the API server on 127.0.0.1 (default: a free one)")
	f.BoolVar(&providers, "install-providers", true, "install the example providers")
	return cmd
}

func up(ctx context.Context, dir string, port int, install bool, o sessionOptions, out io.Writer) (err error) {
	start := time.Now()
	line := func(format string, args ...any) {
		fmt.Fprintf(out, "  %6.1fs  %s\n", time.Since(start).Seconds(), fmt.Sprintf(format, args...))
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	s, err := startSession(ctx, dir, port, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	line("Kubernetes and Landbridge run, with their data and logs in %s", dir)

	running, cancel := s.watch(ctx)
	defer cancel(nil)
	if install {
		providers, err := demo.Manifests(filepath.Join(o.examples, "providers.yaml"), dir)
		if err != nil {
			return err
		}
		if err := demo.InstallProviders(running, s.controlPlane.Config, providers, line); err != nil {
			return because(running, err)
		}
	}
	fmt.Fprintf(out, `
In another terminal:

  export KUBECONFIG=%s
  kubectl get terraformproviders
  kubectl apply -f %s
  kubectl get managed
  kubectl explain password.spec.forProvider --api-version=random.landbridge.io/v1alpha1

Ctrl-C stops everything; what you made is kept for the next time.
`, s.controlPlane.Kubeconfig, filepath.Join(o.examples, "resources.yaml"))

	<-running.Done()
	if ctx.Err() != nil {
		fmt.Fprintln(out, "\nstopping")
		return nil
	}
	return fmt.Errorf("%w\n%s", context.Cause(running), tail(s.log))
}
