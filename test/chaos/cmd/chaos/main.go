package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/faultpoint"
	"github.com/landbridge-io/landbridge/test/chaos"
)

func main() {
	klog.SetLogger(logr.Discard()) // outages of the API server are intended
	var (
		o            chaos.Options
		points, only string
		execution    string
		verbose      bool
	)
	flag.IntVar(&o.Operations, "ops", 1000, "minimum number of user operations")
	flag.Uint64Var(&o.Seed, "seed", 1, "seed of the operations and faults")
	flag.StringVar(&points, "points", "", "fault points to try, as comma-separated name prefixes; all by default, - for none")
	flag.StringVar(&only, "faults", "", "other faults to try, as comma-separated name prefixes; all by default, - for none")
	flag.StringVar(&execution, "execution", string(v1alpha1.ExecutionPlugin), "way of execution: Plugin, or CLI with OpenTofu")
	flag.IntVar(&o.Replicas, "replicas", 1, "number of replicas that share the work; with several, fault points are not tried")
	flag.BoolVar(&o.Race, "race", false, "build the controller with the race detector")
	flag.DurationVar(&o.Limit, "limit", 2*time.Minute, "maximum time of the recovery at the end")
	flag.BoolVar(&verbose, "v", false, "log what is done")
	flag.Parse()
	switch o.Execution = v1alpha1.Execution(execution); o.Execution {
	case v1alpha1.ExecutionPlugin, v1alpha1.ExecutionCLI:
	default:
		fmt.Fprintf(os.Stderr, "chaos: -execution is %s or %s\n", v1alpha1.ExecutionPlugin, v1alpha1.ExecutionCLI)
		os.Exit(2)
	}
	for _, p := range faultpoint.All() {
		if p.Process == faultpoint.CommandLine && o.Execution != v1alpha1.ExecutionCLI {
			continue
		}
		if points == "" && o.Replicas < 2 || points != "" && begins(p.String(), points) {
			o.Points = append(o.Points, p)
		}
	}
	if only != "" {
		o.Only = strings.Split(only, ",")
	}
	if verbose {
		o.Log = os.Stderr
	} else {
		o.Progress = func(text string) { fmt.Fprintln(os.Stderr, "chaos:", text) }
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fmt.Fprintf(os.Stderr, "chaos: seed %d\n", o.Seed)
	r, err := run(ctx, o, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		fmt.Fprintf(os.Stderr, "chaos: to repeat: make chaos OPS=%d SEED=%d EXECUTION=%s REPLICAS=%d\n", o.Operations,
			o.Seed, o.Execution, o.Replicas)
	}
	if r != nil {
		fmt.Println(r.Line())
	}
	if err != nil {
		os.Exit(1)
	}
}

func begins(name, list string) bool {
	for prefix := range strings.SplitSeq(list, ",") {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func run(ctx context.Context, o chaos.Options, out io.Writer) (r *chaos.Report, err error) {
	if o.Dir, err = os.MkdirTemp("", "landbridge-chaos-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("%w\nlogs are in %s", err, o.Dir)
			return
		}
		_ = os.RemoveAll(o.Dir)
	}()
	// Killed programs leave their sockets behind.
	if err := os.Setenv("TMPDIR", o.Dir); err != nil {
		return nil, err
	}
	if r, err = chaos.Run(ctx, o); err != nil {
		return nil, err
	}
	fmt.Fprint(out, r)
	if !r.OK() {
		return r, fmt.Errorf("seed %d found failures", o.Seed)
	}
	return r, nil
}
