package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/landbridge-io/landbridge/playground"
)

// readyMessage is the one line that serve prints.
type readyMessage struct {
	Ready      bool    `json:"ready"`
	Kubeconfig string  `json:"kubeconfig"`
	Host       string  `json:"host"`
	Log        string  `json:"log"`
	PID        int     `json:"pid"`
	Seconds    float64 `json:"seconds"` // from start to ready
}

type serveOptions struct {
	dir, kubeconfig, log string
	port                 int
	noFsync, stdin       bool
	noControllers        bool
	noCacheChecks        bool
}

func newServeCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the control plane and print one line of JSON when it is ready",
		Long: `serve runs the control plane until it gets SIGINT or SIGTERM. When it is ready it
prints one line of JSON with the path of a kubeconfig, and nothing after that.`,
		Example: `  playground serve --data /tmp/playground
  kubectl --kubeconfig /tmp/playground/kubeconfig get namespaces`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dir, "data", "", "directory for data, certificates and log; kept (default: a temporary one, removed at the end)")
	f.IntVar(&o.port, "port", 0, "port on 127.0.0.1 (default: a free one)")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "where to write the kubeconfig (default: kubeconfig in the data directory)")
	f.StringVar(&o.log, "log", "", "where to write the log (default: playground.log in the data directory)")
	f.BoolVar(&o.noFsync, "no-fsync", false, "faster on slow disks; a crash of the machine may lose data")
	f.BoolVar(&o.noCacheChecks, "no-cache-checks", false, "leave out that the API server compares its caches with "+
		"etcd every five minutes, for which it reads all objects")
	f.BoolVar(&o.noControllers, "no-controllers", false, "only the API server: namespaces are not emptied, and nothing is garbage-collected")
	f.BoolVar(&o.stdin, "stop-on-stdin-close", false, "also stop when standard input ends, as it does when the parent process is gone")
	return cmd
}

func (o serveOptions) run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	start := time.Now()
	tuneCollector()
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "landbridge-playground-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.dir = dir
	}
	if o.log == "" {
		o.log = filepath.Join(o.dir, "playground.log")
	}
	closeLog, err := logTo(o.log)
	if err != nil {
		return err
	}
	defer closeLog()

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if o.stdin {
		go func() {
			_, _ = io.Copy(io.Discard, stdin)
			cancel()
		}()
	}
	c, err := playground.Start(ctx, playground.Options{
		Dir: o.dir, Port: o.port, Kubeconfig: o.kubeconfig, LogFile: o.log, NoFsync: o.noFsync,
		NoCacheChecks: o.noCacheChecks, NoControllers: o.noControllers,
	})
	if err != nil {
		return err
	}
	defer c.Stop()
	if err := json.NewEncoder(stdout).Encode(readyMessage{
		Ready: true, Kubeconfig: c.Kubeconfig, Host: c.Config.Host, Log: o.log,
		PID: os.Getpid(), Seconds: time.Since(start).Round(time.Millisecond).Seconds(),
	}); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case <-c.Done():
		return c.Err()
	}
}
