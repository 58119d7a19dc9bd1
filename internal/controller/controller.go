package controller

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/controller/admission"
	"github.com/landbridge-io/landbridge/internal/controller/conversion"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/packaged"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/history"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
)

// Name is the default name of the program.
const Name = "landbridge"

// Options of Run.
type Options struct {
	// Namespace has Landbridge's own objects: the stored state, and the lease of leader election.
	// It is created if it does not exist.
	Namespace string
	// Installer finds provider binaries.
	Installer *install.Installer
	// CacheKeep is how long the Installer's cache keeps what no provider uses. 0 keeps it forever.
	CacheKeep time.Duration
	// Attached are providers that run already, such as in a debugger. They are used instead of
	// binaries and of Linked ones.
	Attached sources.Attached
	// Linked are providers that are linked into this program. They are used instead of binaries.
	Linked []terraformprovider.Linked
	// Packaged, unless it is nil, is the only provider that is served. Then there are no
	// TerraformProviders, and Installer, Attached and Linked are not used.
	Packaged *packaged.Provider
	// Conversions, unless it is nil, are served for the kinds of the Packaged provider.
	Conversions *conversion.Options
	// Admission, unless it is nil, is where plans are served to the API server.
	Admission *admission.Options
	// Name of the program in its lease and events. Programs with different names run independently.
	// Defaults to Name.
	Name string
	// CommandLine finds the program for spec.execution: CLI. Defaults to tofu in PATH.
	CommandLine *kinds.CommandLine
	// RequireAllowedNamespaces lets no namespace use a ClusterProviderConfig without
	// spec.allowedNamespaces. By default, all may.
	RequireAllowedNamespaces bool
	// Sandbox is whether the processes of providers and the command line are restricted. Defaults
	// to BestEffort.
	Sandbox child.Mode
	// Poll is the interval at which unchanged resources are reconciled.
	Poll time.Duration
	// Workers is the maximum number of concurrent reconciles per kind.
	Workers int
	// StartTimeout bounds the start of a provider's process. Defaults to one minute.
	StartTimeout time.Duration
	// ReconcileTimeout bounds one reconcile, which reads remote objects and plans changes.
	ReconcileTimeout time.Duration
	// OperationTimeout bounds creates, updates and deletes.
	OperationTimeout time.Duration
	// CreationGracePeriod is that of scheduler.Options.
	CreationGracePeriod time.Duration
	// OperationsPerConfiguration bounds concurrent creates, updates and deletes per provider
	// configuration.
	OperationsPerConfiguration int
	// HistorySize is that of scheduler.Options.
	HistorySize int
	// Recorded is called with each entry of all change records, and each attempt of an action,
	// after it is stored. It may be nil.
	Recorded func(store.Key, history.Entry)
	// DestroysPerMinute is how many remote objects of an account may be destroyed within a minute;
	// 0 for no limit.
	DestroysPerMinute int
	// GracePeriod is how long a stopping program waits for running operations.
	GracePeriod time.Duration
	// EventsPerSecond bounds how many events are written. Up to a thousand more are queued.
	EventsPerSecond float32
	// LeaderElection lets only one of several processes work.
	LeaderElection bool
	// LeaseDuration is how long other processes wait after the leader's last renewal before one of
	// them takes over. Defaults to 15s.
	LeaseDuration time.Duration
	// Shards divides the resources by their provider configurations among all processes. 0 does
	// not. It needs LeaderElection.
	Shards int
	// MetricsAddress and HealthAddress are addresses to listen on. "0" disables them.
	MetricsAddress, HealthAddress string
	// SecureMetrics serves metrics by HTTPS, to those whom the API server permits to get /metrics.
	SecureMetrics bool
	// MetricsCertificates is the directory with tls.crt and tls.key. Defaults to a certificate of
	// its own.
	MetricsCertificates string
	// ProfileAddress serves Go's profiles. "0" disables it.
	ProfileAddress string
	// Pool are the options for provider processes.
	Pool   pool.Options
	Logger logr.Logger
}

// Run runs the controllers until ctx is done, and then stops them in order.
func Run(ctx context.Context, config *rest.Config, o Options) error {
	o.Logger = discreet(o.Logger)
	if err := child.NoCoreDumps(); err != nil {
		o.Logger.Info("Core dumps cannot be prevented", "error", err.Error())
	}
	for _, dir := range slices.Compact([]string{os.TempDir(), "/tmp"}) {
		child.RemoveLeft(dir, child.Prefix, child.Lock) // tokens of a controller that was killed
	}
	if o.Name == "" {
		o.Name = Name
	}
	config = rest.CopyConfig(config)
	// The API server's priority and fairness is the limit. A second one here would cause conflicts.
	config.QPS, config.Burst = -1, 0
	config.DisableCompression = true // it costs the API server and this process more than the network
	config.WarningHandlerWithContext = warnings{o.Logger.WithName("kubernetes")}

	if o.LeaseDuration == 0 {
		o.LeaseDuration = 15 * time.Second
	}
	scheme := newScheme()
	recorder, stopEvents, err := newRecorder(config, o.Name, o.EventsPerSecond, scheme)
	if err != nil {
		return err
	}
	defer stopEvents()
	p := &process{Options: o, config: config, scheme: scheme, recorder: recorder}
	if o.Shards > 0 {
		return runShards(ctx, p)
	}
	return p.run(ctx, p.runUndivided)
}

// warnings logs warnings of the API server, for debugging only: most are repeated for each
// resource, like the one about the name of Crossplane's finalizer.
type warnings struct{ log logr.Logger }

// HandleWarningHeaderWithContext implements rest.WarningHandlerWithContext.
func (w warnings) HandleWarningHeaderWithContext(_ context.Context, _ int, _, text string) {
	w.log.V(1).Info("API server warning", "warning", text)
}

func protobuf(config *rest.Config) *rest.Config {
	out := rest.CopyConfig(config)
	out.ContentType = "application/vnd.kubernetes.protobuf"
	out.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
	return out
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(apiextensionsv1.AddToScheme(scheme))
	utilruntime.Must(v1alpha1.AddToScheme(scheme))
	return scheme
}

// makeNamespace creates the namespace of Landbridge's own objects. If neither creating nor reading
// it is permitted, it must exist already.
func makeNamespace(ctx context.Context, namespaces typedcorev1.NamespaceInterface, namespace string) error {
	_, err := namespaces.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	if err == nil || kerrors.IsAlreadyExists(err) {
		return nil
	}
	if _, getErr := namespaces.Get(ctx, namespace, metav1.GetOptions{}); getErr != nil && !kerrors.IsForbidden(getErr) {
		return fmt.Errorf("cannot create the namespace %s: %w", namespace, err)
	}
	return nil
}

// makeCRDs creates or updates the CRDs of Landbridge's own kinds.
func makeCRDs(ctx context.Context, extensions apiextensionsclient.Interface) error {
	// Several replicas that start at once may write the same CRD.
	raced := func(err error) bool { return kerrors.IsConflict(err) || kerrors.IsAlreadyExists(err) }
	var all errgroup.Group
	for _, read := range []func() (*apiextensionsv1.CustomResourceDefinition, error){
		v1alpha1.EstateCustomResourceDefinition, v1alpha1.PolicyCustomResourceDefinition, v1alpha1.QueryCustomResourceDefinition,
		v1alpha1.ModuleCustomResourceDefinition, v1alpha1.CustomResourceDefinition,
	} {
		all.Go(func() error {
			crd, err := read()
			if err != nil {
				return err
			}
			return retry.OnError(retry.DefaultBackoff, raced, func() error {
				_, err := kinds.EnsureCRD(ctx, extensions.ApiextensionsV1().CustomResourceDefinitions(), kinds.OwnCRDs, crd)
				return err
			})
		})
	}
	return all.Wait()
}
