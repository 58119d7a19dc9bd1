package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"go.uber.org/zap/zapcore"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/landbridge-io/landbridge/controller"
	"github.com/landbridge-io/landbridge/internal/memory"
	"github.com/landbridge-io/landbridge/provider/install"
)

// keepSmall gives back, again and again, what was only needed for a while: by the start, or by
// many resources that were made at once.
func keepSmall(ctx context.Context, log logr.Logger) {
	for t := time.NewTicker(10 * time.Second); ; {
		select {
		case <-ctx.Done():
			t.Stop()
			return
		case <-t.C:
			if err := memory.Release(); err != nil {
				log.V(1).Info("Cannot give memory back", "error", err.Error())
			}
		}
	}
}

func newControllerCommand() *cobra.Command {
	var (
		kubeconfig, mirror, cacheDir string
		verbosity                    int
		providerMemory               = resource.QuantityValue{Quantity: resource.MustParse("2Gi")}
		o                            = controller.Options{}
	)
	cmd := &cobra.Command{
		Use:   "controller",
		Short: "Serve Terraform providers as Kubernetes APIs in a cluster",
		Long: `Serve Terraform providers as Kubernetes APIs in a cluster.

The controller installs the providers that TerraformProvider objects name, makes a kind of
custom resource for each of their resource types, and keeps the remote objects as those
resources declare them. It runs inside a cluster or outside; several may run at once, of
which one works and the others wait (--leader-elect).`,
		Example: `  # Against the cluster of your kubeconfig, with provider binaries from a mirror
  landbridge controller --provider-mirror /var/lib/terraform/mirror

  # Then, with kubectl:
  kubectl apply -f - <<EOF
  apiVersion: landbridge.io/v1alpha1
  kind: TerraformProvider
  metadata: {name: random}
  spec: {source: hashicorp/random, version: "~> 3.7", activate: ["random_*"]}
  EOF`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			log := zap.New(zap.UseDevMode(false), zap.Level(zapcore.Level(-verbosity)))
			ctrl.SetLogger(log)
			klog.SetLogger(log.WithName("kubernetes"))
			rules := clientcmd.NewDefaultClientConfigLoadingRules()
			rules.ExplicitPath = kubeconfig
			config, err := clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, nil).ClientConfig()
			if err != nil {
				return fmt.Errorf("no cluster to work with: %w", err)
			}
			if cacheDir == "" {
				if cacheDir, err = os.UserCacheDir(); err != nil {
					cacheDir = os.TempDir()
				}
				cacheDir = filepath.Join(cacheDir, "landbridge", "providers")
			}
			o.Installer = &install.Installer{CacheDir: cacheDir}
			if mirror != "" {
				o.Installer.Mirrors = []string{mirror}
			}
			o.Logger = log
			o.Pool.Logger = log.WithName("pool")
			o.Pool.Limits.MemoryBytes = providerMemory.Value()
			if o.ProfileAddress == "0" {
				runtime.MemProfileRate = 0 // samples that nobody can ask for
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			if os.Getenv("GOGC") == "" {
				// Most of the heap is the resources themselves, which live long: less than half of it
				// is room enough for what does not, unless there is much to do.
				go memory.Pace(ctx, 40, 60)
			}
			go keepSmall(ctx, log)
			return controller.Run(ctx, config, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&kubeconfig, "kubeconfig", "", "kubeconfig file (default: $KUBECONFIG, ~/.kube/config, or the cluster the process runs in)")
	f.StringVar(&mirror, "provider-mirror", os.Getenv("LANDBRIDGE_PROVIDER_MIRROR"), "directory with provider binaries in the layout of Terraform's filesystem mirrors")
	f.StringVar(&cacheDir, "provider-cache", "", "directory for unpacked providers (default: the user's cache directory)")
	f.StringVar(&o.Namespace, "namespace", "landbridge-system", "namespace for Landbridge's own objects")
	f.DurationVar(&o.Poll, "poll", time.Minute, "how often an unchanged resource is compared with its remote object")
	f.IntVar(&o.Workers, "workers", 10, "how many resources of one kind are looked at at once")
	f.DurationVar(&o.ReconcileTimeout, "reconcile-timeout", 2*time.Minute, "how long reading a remote object and planning may take")
	f.DurationVar(&o.StartTimeout, "provider-start-timeout", time.Minute, "how long the start of a provider may take")
	f.Float64Var(&o.Pool.Limits.CallsPerSecond, "provider-calls-per-second", 0, "how often a provider is used with one configuration, unless its TerraformProvider says otherwise; 0 is as often as there is something to do")
	f.IntVar(&o.Pool.Limits.Burst, "provider-burst", 0, "how often a provider is used at once with one configuration; 0 is as often as in a second")
	f.Var(&providerMemory, "provider-memory", "memory that one process of a provider may hold before it is replaced, unless its TerraformProvider says otherwise; 0 is any")
	f.DurationVar(&o.OperationTimeout, "operation-timeout", time.Hour, "how long a create, update or delete may take")
	f.IntVar(&o.OperationsPerConfiguration, "operations", 1000, "how many creates, updates and deletes run at once with one provider configuration")
	f.DurationVar(&o.GracePeriod, "grace-period", 25*time.Second, "how long running operations are waited for when the process is told to stop")
	f.Float32Var(&o.EventsPerSecond, "events-per-second", 10, "how many events are written per second; more wait")
	f.BoolVar(&o.LeaderElection, "leader-elect", true, "work only while holding a lease, so that several replicas can run")
	f.DurationVar(&o.LeaseDuration, "lease-duration", 15*time.Second, "how long other replicas wait after the one that works was heard of last")
	f.StringVar(&o.MetricsAddress, "metrics-address", ":8080", `address of the metrics endpoint; "0" turns it off`)
	f.StringVar(&o.HealthAddress, "health-address", ":8081", `address of /healthz and /readyz; "0" turns it off`)
	f.StringVar(&o.ProfileAddress, "profile-address", "0", `address of Go's profiles, /debug/pprof; "0" turns it off`)
	f.IntVarP(&verbosity, "verbosity", "v", 0, "verbosity of the log: 0 is for operators, 1 and more for debugging")
	return cmd
}
