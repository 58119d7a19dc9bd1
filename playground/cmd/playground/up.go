package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/landbridge-io/landbridge/playground/internal/demo"
	"github.com/landbridge-io/landbridge/playground/internal/landbridge"
)

// upOptions are what to run, and where.
type upOptions struct {
	sessionOptions
	dir       string
	port      int
	providers bool
	webhook   bool
	cli       string
	cloud     cloudOptions
}

func newUpCommand() *cobra.Command {
	var o upOptions
	cmd := &cobra.Command{
		Use:   "up [flags] [-- CONTROLLER-FLAGS]",
		Short: "Run the control plane with Landbridge and example providers, until Ctrl-C",
		Long: `up runs the control plane and Landbridge's controller, installs the example
providers, and says how to use them with kubectl. What you make is kept in the
data directory: the next up continues there, and leaves providers as they are.

The controller serves plans at admission, and modules if there is OpenTofu or
Terraform. Flags after -- are the controller's, and win over those of up.`,
		Example: `  playground up
  playground up --data /tmp/mine -- --cli terraform --sandbox Require`,
		Args: func(cmd *cobra.Command, args []string) error {
			if n := cmd.ArgsLenAtDash(); n > 0 || n < 0 && len(args) > 0 {
				return fmt.Errorf("unknown argument %q; flags of the controller follow --", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.args = args
			return up(cmd.Context(), o, cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	o.addFlags(f)
	f.StringVar(&o.dir, "data", ".playground", "directory for data, kubeconfig and logs")
	f.IntVar(&o.port, "port", 0, "port of the API server on 127.0.0.1 (default: a free one)")
	f.BoolVar(&o.providers, "install-providers", true, "install the example providers, the first time with a data directory")
	f.BoolVar(&o.webhook, "webhook", true, "serve plans at admission, at a free port of 127.0.0.1")
	f.StringVar(&o.cli, "cli", "", "OpenTofu or Terraform, for modules (default: tofu beside this program, or tofu or terraform in PATH)")
	o.cloud.addFlags(f)
	return cmd
}

func up(ctx context.Context, o upOptions, out io.Writer) (err error) {
	start := time.Now()
	line := func(format string, args ...any) {
		fmt.Fprintf(out, "  %6.1fs  %s\n", time.Since(start).Seconds(), fmt.Sprintf(format, args...))
	}
	if o.dir, err = filepath.Abs(o.dir); err != nil {
		return err
	}
	if o.landbridge, err = filepath.Abs(o.landbridge); err != nil {
		return err
	}
	files, examples, err := exampleFiles(o.dir, o.examples)
	if err != nil {
		return err
	}
	if o.mirror, err = o.cloud.addMirror(o.dir, o.mirror); err != nil {
		return err
	}
	controller, err := o.controllerArgs()
	if err != nil {
		return err
	}
	o.args = append(controller, o.args...)

	s, err := startSession(ctx, o.dir, o.port, o.sessionOptions)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	line("Kubernetes and Landbridge run, with their data and logs in %s", o.dir)
	if o.cloud.wanted {
		if s.cloud, err = o.cloud.start(ctx, o.dir); err != nil {
			return err
		}
		line("the example cloud listens on http://%s", o.cloud.address)
	}

	running, cancel := s.watch(ctx)
	defer cancel(nil)
	if err := demo.InstallDeletionWarnings(running, s.controlPlane.Config); err != nil {
		return withLog(because(running, err), s.log, demo.About(err))
	}
	var providers []*unstructured.Unstructured
	if o.providers {
		if providers, err = demo.Manifests(filepath.Join(o.examples, "providers.yaml"), files); err != nil {
			return err
		}
	}
	if err := s.install(running, providers, line); err != nil {
		return withLog(because(running, err), s.log, demo.About(err))
	}
	if examples != o.examples {
		fmt.Fprintf(out, "\n%s belongs to another user of this machine, so the examples in %s make "+
			"their file in %s.\n", demo.ExamplesDir, examples, files)
	}
	var page string
	if s.page, page, err = landbridge.StartUI(running, o.landbridge, s.controlPlane.Kubeconfig, filepath.Join(o.dir, "ui.log")); err != nil {
		return err
	}
	fmt.Fprintf(out, `
In another terminal:

  export KUBECONFIG=%s PATH=%s:$PATH
  kubectl get terraformproviders
  kubectl apply -f %s
  kubectl get managed
  kubectl explain password.spec.forProvider --api-version=random.landbridge.io/v1alpha1
  landbridge status

In a browser, what landbridge ui shows:

  %s

Ctrl-C stops everything; what you made is kept for the next time.
`, s.controlPlane.Kubeconfig, filepath.Dir(o.landbridge), filepath.Join(examples, "resources.yaml"), page)

	<-running.Done()
	if ctx.Err() != nil {
		fmt.Fprintln(out, "\nstopping")
		return nil
	}
	return withLog(context.Cause(running), s.log, "")
}

// controllerArgs returns the flags that the controller gets besides those of each session.
func (o *upOptions) controllerArgs() (args []string, _ error) {
	if cli := cmp.Or(o.cli, commandLine()); cli != "" {
		args = append(args, "--cli", cli)
	}
	if o.webhook {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		args = append(args, "--webhook-host", "127.0.0.1", "--webhook-port", strconv.Itoa(port))
	}
	return args, nil
}

// commandLine returns the path of OpenTofu or Terraform; empty without one.
func commandLine() string {
	if self, err := os.Executable(); err == nil {
		if beside := existing(filepath.Join(filepath.Dir(self), "tofu")); beside != "" {
			return beside
		}
	}
	for _, name := range []string{"tofu", "terraform"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// freePort returns a port of 127.0.0.1 that is not in use.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
