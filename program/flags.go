package program

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/controller"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/kubeconfig"
	"github.com/landbridge-io/landbridge/internal/memory"
	"github.com/landbridge-io/landbridge/internal/scheduler"
)

// flags are the flags that all programs with controllers have.
type flags struct {
	// options are set by the flags.
	options controller.Options

	kubeconfig        string
	traces            string
	changeLog         string
	changeLogEndpoint string
	verbosity         int
	providerMemory    resource.QuantityValue
	// allMemory is the memory of all providers; 0 is a part of the container's, and a negative one
	// no limit.
	allMemory resource.QuantityValue
}

// add adds the flags to a command.
func (f *flags) add(cmd *cobra.Command) {
	f.providerMemory = resource.QuantityValue{Quantity: resource.MustParse("2Gi")}
	o, flags := &f.options, cmd.Flags()
	flags.StringVar(&f.kubeconfig, "kubeconfig", "",
		"kubeconfig file (default: $KUBECONFIG, ~/.kube/config, or the cluster the process runs in)")
	flags.StringVar(&o.Namespace, "namespace", "landbridge-system", "namespace for Landbridge's own objects")
	flags.BoolVar(&o.RequireAllowedNamespaces, "require-allowed-namespaces", false,
		"let no namespace use a ClusterProviderConfig without spec.allowedNamespaces; by default, all namespaces may")
	flags.DurationVar(&o.Poll, "poll", time.Minute, "interval at which unchanged resources are compared with their remote objects")
	flags.IntVar(&o.Workers, "workers", 10, "maximum concurrent reconciles per kind")
	flags.DurationVar(&o.ReconcileTimeout, "reconcile-timeout", 2*time.Minute,
		"timeout of one reconcile, which reads the remote object and plans")
	flags.DurationVar(&o.StartTimeout, "provider-start-timeout", time.Minute, "timeout of the start of a provider's process")
	flags.Float64Var(&o.Pool.Limits.CallsPerSecond, "provider-calls-per-second", 0,
		"maximum calls per second with one provider configuration, unless its TerraformProvider sets it; "+
			"0 means no limit")
	flags.IntVar(&o.Pool.Limits.Burst, "provider-burst", 0,
		"maximum calls at once with one provider configuration; 0 means the calls per second")
	flags.Var(&f.providerMemory, "provider-memory",
		"memory above which a provider's process is replaced, unless its TerraformProvider sets it; 0 means no limit")
	flags.Var(&f.allMemory, "max-provider-memory",
		"memory that all provider processes may use together; idle ones are stopped to make room for others; 0 "+
			"means three quarters of the container's limit, if it has one, and a negative number no limit")
	flags.IntVar(&o.Pool.MaxServers, "max-providers", 100, "maximum processes of configured providers at once; idle "+
		"ones are stopped to make room for others; 0 means no limit")
	flags.IntVar(&o.Pool.MaxServersPerNamespace, "max-providers-per-namespace", 20,
		"maximum processes for the ProviderConfigs of one namespace; 0 means no limit")
	flags.StringVar((*string)(&o.Sandbox), "sandbox", string(child.BestEffort),
		"whether the processes of providers and the --cli program are restricted, so that they read no credentials "+
			"for Kubernetes and write only a private folder: Require, BestEffort (where the kernel has Landlock, "+
			"from Linux 6.2) or Off")
	flags.DurationVar(&o.CreationGracePeriod, "creation-grace-period", scheduler.DefaultCreationGracePeriod,
		"how long an object may be missing after its create, or after an import, before it is taken for gone; "+
			"negative for not at all")
	flags.DurationVar(&o.OperationTimeout, "operation-timeout", time.Hour, "timeout of creates, updates and deletes")
	flags.IntVar(&o.OperationsPerConfiguration, "operations", 1000,
		"maximum concurrent creates, updates and deletes per provider configuration")
	flags.DurationVar(&o.GracePeriod, "grace-period", 25*time.Second, "time to wait for running operations when the process is told to stop")
	flags.IntVar(&o.DestroysPerMinute, "destroys-per-minute", 60, "maximum remote objects of an account that are "+
		"destroyed or replaced within a minute; the rest waits until landbridge release-brake; 0 for no limit")
	flags.IntVar(&o.HistorySize, "history-size", history.DefaultSize,
		"maximum bytes of the change record that is stored with each resource, compressed; old entries go first")
	flags.StringVar(&f.changeLog, "change-log", "", "file to which the entries of all change records are appended "+
		"as lines of JSON; - for standard output; empty: none")
	flags.StringVar(&f.changeLogEndpoint, "change-log-endpoint", "",
		"OpenTelemetry collector that gets the entries of all change records as logs (OTLP over gRPC), such as "+
			"http://collector:4317; empty: none. OpenTelemetry's environment variables set the rest")
	flags.Float32Var(&o.EventsPerSecond, "events-per-second", 10, "maximum events written per second; further ones are queued")
	flags.BoolVar(&o.LeaderElection, "leader-elect", true, "use leader election, so that several replicas can run and one of them is active")
	flags.DurationVar(&o.LeaseDuration, "lease-duration", 15*time.Second,
		"time after the leader's last renewal until another replica can take over")
	flags.StringVar(&o.MetricsAddress, "metrics-address", ":8080", `address of the metrics endpoint; "0" disables it`)
	flags.BoolVar(&o.SecureMetrics, "metrics-secure", true,
		"serve metrics by HTTPS, to users who may get /metrics in the cluster; otherwise by HTTP, to anybody")
	flags.StringVar(&o.MetricsCertificates, "metrics-certificates", "",
		"directory with tls.crt and tls.key of the metrics endpoint (default: a self-signed certificate)")
	flags.StringVar(&o.HealthAddress, "health-address", ":8081", `address of /healthz and /readyz; "0" disables it`)
	flags.StringVar(&o.ProfileAddress, "profile-address", "0", `address of Go's profiles, /debug/pprof; "0" disables it`)
	flags.StringVar(&f.traces, "trace-endpoint", "",
		"OpenTelemetry collector that gets traces of reconciles and operations (OTLP over gRPC), such as "+
			"http://collector:4317; empty: no traces. OpenTelemetry's environment variables set the rest")
	flags.IntVarP(&f.verbosity, "verbosity", "v", 0, "log verbosity: 0 for operators, 1 and above for debugging")
}

// run runs controllers until the process receives SIGTERM or an interrupt. prepare completes the
// options, whose logger is set.
func (f *flags) run(ctx context.Context, prepare func(*controller.Options) error) error {
	log := controller.NewLogger(os.Stderr, f.verbosity)
	ctrl.SetLogger(log)
	klog.SetLogger(log.WithName("kubernetes"))
	config, _, err := kubeconfig.Load(kubeconfig.Options{Path: f.kubeconfig})
	if err != nil {
		return err
	}
	o := f.options
	if !o.Sandbox.Valid() {
		return fmt.Errorf("--sandbox: %w", o.Sandbox.Check())
	}
	o.Logger = log
	o.Pool.Logger = log.WithName("pool")
	o.Pool.Limits.MemoryBytes = f.providerMemory.Value()
	if o.Pool.MaxMemory = max(f.allMemory.Value(), 0); f.allMemory.IsZero() {
		o.Pool.MaxMemory = memory.Limit() / 4 * 3
	}
	if o.HistorySize < 1 || o.HistorySize > maxHistorySize {
		return fmt.Errorf("--history-size is %d, and must be between 1 and %d", o.HistorySize, maxHistorySize)
	}
	if err := prepare(&o); err != nil {
		return err
	}
	if o.ProfileAddress == "0" {
		runtime.MemProfileRate = 0 // no endpoint serves the samples
	}
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	if os.Getenv("GOGC") == "" {
		// Most of the heap is resources, which live long.
		go memory.Pace(ctx, memory.Garbage{Heap: 48 << 20, Bytes: 16 << 20, Least: 30, Most: 80}, memory.Garbage{
			Heap: 76 << 20, Bytes: 28 << 20, Least: 30, Most: 200,
		})
	}
	go func() {
		// Memory such as that of the start, or of the creation of many resources.
		ticker := time.NewTicker(10 * time.Second)
		defer ticker.Stop()
		memory.KeepSmall(ctx, ticker.C, func(err error) { log.V(1).Info("Cannot give memory back", "error", err.Error()) })
	}()
	observed, err := f.observe(ctx, cmp.Or(o.Name, controller.Name), log)
	if err != nil {
		return err
	}
	defer observed.close(ctx)
	o.Recorded = observed.recorded
	return controller.Run(ctx, config, o)
}

// maxHistorySize bounds --history-size: records are kept in memory, and in Secrets.
const maxHistorySize = 64 << 10
