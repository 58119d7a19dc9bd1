package controller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/child"
	"github.com/landbridge-io/landbridge/internal/controller/admission"
	"github.com/landbridge-io/landbridge/internal/controller/checkpoint"
	"github.com/landbridge-io/landbridge/internal/controller/conversion"
	"github.com/landbridge-io/landbridge/internal/controller/halt"
	"github.com/landbridge-io/landbridge/internal/controller/informer"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/packaged"
	"github.com/landbridge-io/landbridge/internal/controller/planpolicy"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/controller/sharding"
	"github.com/landbridge-io/landbridge/internal/controller/terraformmodule"
	"github.com/landbridge-io/landbridge/internal/controller/terraformprovider"
	"github.com/landbridge-io/landbridge/internal/policy"
	"github.com/landbridge-io/landbridge/internal/provider/install"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/provider/sources"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// Name is the default name of the program.
const Name = "landbridge"

// Options of Run.
type Options struct {
	// Namespace has Landbridge's own objects: the stored state, and the lease of leader election. It is created if it
	// does not exist.
	Namespace string
	// Installer finds provider binaries.
	Installer *install.Installer
	// CacheKeep is how long the Installer's cache keeps what no provider uses. 0 keeps it forever.
	CacheKeep time.Duration
	// Attached are providers that run already, such as in a debugger. They are used instead of binaries and of Linked ones.
	Attached sources.Attached
	// Linked are providers that are linked into this program. They are used instead of binaries.
	Linked []terraformprovider.Linked
	// Packaged, unless it is nil, is the only provider that is served. Then there are no TerraformProviders, and
	// Installer, Attached and Linked are not used.
	Packaged *packaged.Provider
	// Conversions, unless it is nil, are served for the kinds of the Packaged provider.
	Conversions *conversion.Options
	// Admission, unless it is nil, is where plans are served to the API server.
	Admission *admission.Options
	// Name of the program in its lease and events. Programs with different names run independently. Defaults to Name.
	Name string
	// CommandLine finds the program for spec.execution: CLI. Defaults to tofu in PATH.
	CommandLine *kinds.CommandLine
	// RequireAllowedNamespaces lets no namespace use a ClusterProviderConfig without spec.allowedNamespaces. By default,
	// all may.
	RequireAllowedNamespaces bool
	// Sandbox is whether the processes of providers and the command line are restricted. Defaults to BestEffort.
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
	// OperationsPerConfiguration bounds concurrent creates, updates and deletes per provider configuration.
	OperationsPerConfiguration int
	// DestroysPerMinute is how many remote objects of an account may be destroyed within a minute; 0 for no limit.
	DestroysPerMinute int
	// GracePeriod is how long a stopping program waits for running operations.
	GracePeriod time.Duration
	// EventsPerSecond bounds how many events are written. Up to a thousand more are queued.
	EventsPerSecond float32
	// LeaderElection lets only one of several processes work.
	LeaderElection bool
	// LeaseDuration is how long other processes wait after the leader's last renewal before one of them takes over.
	// Defaults to 15s.
	LeaseDuration time.Duration
	// Shards divides the resources by their provider configurations among all processes. 0 does not. It needs LeaderElection.
	Shards int
	// MetricsAddress and HealthAddress are addresses to listen on. "0" disables them.
	MetricsAddress, HealthAddress string
	// SecureMetrics serves metrics by HTTPS, to those whom the API server permits to get /metrics.
	SecureMetrics bool
	// MetricsCertificates is the directory with tls.crt and tls.key. Defaults to a certificate of its own.
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
	if o.Shards > 0 {
		return runShards(ctx, config, scheme, recorder, o)
	}
	lock, err := newLease(config, recorder, o, leaseName(o))
	if err != nil {
		return err
	}
	return runPart(ctx, config, scheme, recorder, lock, nil, o)
}

// runPart runs the controllers of one shard, or of everything if w is nil, while the lease is held.
func runPart(ctx context.Context, config *rest.Config, scheme *runtime.Scheme, recorder record.EventRecorder, lock *lease, w *worker, o Options) error {
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return fence{next: next, lease: lock, secrets: "/api/v1/namespaces/" + o.Namespace + "/secrets/"}
	})
	follows := w != nil && w.Number != sharding.Leader
	if follows {
		config.Wrap(func(next http.RoundTripper) http.RoundTripper { return follower{next} })
	}
	kube, err := newClients(protobuf(config))
	if err != nil {
		return err
	}
	extensions, err := apiextensionsclient.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := makeNamespace(ctx, kube.core.Namespaces(), o.Namespace); err != nil {
		return err
	}
	if o.Packaged == nil && w == nil {
		if err := makeCRDs(ctx, extensions); err != nil {
			return err
		}
	}

	m, err := newManager(config, scheme, lock, o)
	if err != nil {
		return err
	}

	if o.CommandLine == nil {
		o.CommandLine = &kinds.CommandLine{}
	}
	o.CommandLine.Sandbox = o.Sandbox
	o.CommandLine.Logger = o.Logger.WithName("cli")
	o.Pool.Called = countCall
	providers := pool.New(o.Pool)
	registry := &kinds.Registry{}
	resourceMetrics, err := resourceMetrics()
	if err != nil {
		return err
	}
	key, err := planKey(ctx, kube.core.Secrets(o.Namespace))
	if err != nil {
		return err
	}
	secrets := &store.Secrets{Client: kube.core.Secrets(o.Namespace), Refused: countRefused}
	if w != nil {
		secrets.Shard = store.Shard{Number: w.Number, Count: o.Shards}
	}
	operations := scheduler.New(scheduler.Options{
		Store:                      countedStore{secrets},
		Told:                       countEvent,
		Logger:                     o.Logger.WithName("scheduler"),
		Wake:                       registry.Wake,
		Exists:                     registry.Exists,
		Lease:                      lock.duration,
		Leads:                      lock.leads,
		OperationTimeout:           o.OperationTimeout,
		CreationGracePeriod:        o.CreationGracePeriod,
		OperationsPerConfiguration: int64(o.OperationsPerConfiguration),
		PlanKey:                    key,
	})
	// Several controllers in one process, as in tests, have the same metrics; the first one's are served.
	metricsOf := prometheus.Registerer(metrics.Registry)
	if w != nil {
		metricsOf = prometheus.WrapRegistererWith(prometheus.Labels{"shard": strconv.Itoa(w.Number)}, metricsOf)
	}
	if now := (snapshot{operations, providers, registry}); metricsOf.Register(now) == nil {
		defer metricsOf.Unregister(now)
	}
	kubeMetadata, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	referred := &referredSecrets{metadata: kubeMetadata, allowed: mayWatchSecrets(kube.authorization), wake: registry.SecretChanged}
	reconciling, stopReconciling := context.WithCancel(ctx)
	defer stopReconciling()
	marks := &checkpoint.Checkpoint{
		Secrets: kube.core.Secrets(o.Namespace), Name: checkpointName(o, w), Marks: registry.Marks, Clock: clock.RealClock{}, Logger: o.Logger.WithName("checkpoint"),
	}
	if err := m.Add(marks); err != nil {
		return err
	}
	accountKey, _ := providerconfig.SharedAccountKey(derived(key))
	rt := &kinds.Runtime{
		Manager:   m,
		CRDs:      extensions.ApiextensionsV1().CustomResourceDefinitions(),
		Policies:  kube.admission,
		Roles:     kube.rbac.ClusterRoles(),
		OpenAPI:   kube.discovery.OpenAPIV3(),
		Pool:      providers,
		Admission: &providerconfig.Admission{Live: m.GetAPIReader(), Listed: o.RequireAllowedNamespaces}, AccountKey: accountKey,
		Scheduler: operations,
		Registry:  registry,
		Managed: managed.Options{
			Poll: o.Poll, Workers: o.Workers, Timeout: o.ReconcileTimeout,
			MinBackoff: 500 * time.Millisecond, MaxBackoff: 5 * time.Minute,
			Recorder: event.NewAPIRecorder(recorder), Metrics: resourceMetrics, Logger: o.Logger, Secrets: referred,
			EachStored: func(ctx context.Context, gk runtimeschema.GroupKind, some func([]store.Key)) error {
				return secrets.Each(ctx, gk.Group, gk.Kind, some)
			},
			Naming: func(ctx context.Context, gk runtimeschema.GroupKind, of scheduler.Sought, most int) ([]store.Key, bool, error) {
				return secrets.Naming(ctx, gk.Group, gk.Kind, of.By, of.Objects, most)
			},
			Marked: marks.Has, Since: marks.Since,
		},
		Recorder: event.NewAPIRecorder(recorder),
		Logger:   o.Logger.WithName("kinds"),
		Lifetime: reconciling, DestroysPerMinute: o.DestroysPerMinute,
		Follows: follows,
	}
	pauses := &halt.Watch{Client: kube.core.ConfigMaps(o.Namespace), Changed: operations.WakePending, Logger: o.Logger.WithName("pause")}
	if err := m.Add(pauses); err != nil {
		return err
	}
	rt.Managed.Paused, rt.Managed.DestroysOf = pauses.Why, rt.DestroysOf
	releases := &halt.Releases{Client: kube.core.ConfigMaps(o.Namespace), Released: operations.ReleaseBrake, Logger: o.Logger.WithName("brake")}
	if err := m.Add(releases); err != nil {
		return err
	}
	previews := o.Admission != nil
	if follows {
		rt.Recorder, o.Admission, o.CacheKeep = event.NewNopRecorder(), nil, 0
	}
	// Not the scheduler's, which remembers what it has loaded and saved.
	stored := &store.Secrets{Client: kube.core.Secrets(o.Namespace)}
	rt.Managed.Stored = func(ctx context.Context, k store.Key, r *schema.Resource) (store.Record, error) {
		defer stored.Forget(k)
		return stored.Load(ctx, k, r)
	}
	if w != nil {
		rt.Managed.Shards = w.Worker
	}
	if o.Packaged == nil {
		if err := errors.Join(setupPolicies(rt, operations.WakePending), setupAdmission(rt, kube, o)); err != nil {
			return err
		}
	}
	if o.Packaged != nil {
		err = setupPackaged(reconciling, rt, kube, o)
	} else {
		err = errors.Join(setupInstalled(rt, o, previews), m.Add(&cacheCleaner{installer: o.Installer, keep: o.CacheKeep, log: o.Logger}))
	}
	if err != nil {
		return err
	}
	probes := checks(kube.discovery, m.GetCache(), lock, registry.Settled(), providers)
	if w != nil {
		defer w.probes(probes)()
	} else if o.HealthAddress != "0" {
		if err := m.Add(health(o.HealthAddress, func() []check { return probes })); err != nil {
			return err
		}
	}
	stop := &stopper{reconcilers: stopReconciling, operations: operations, providers: providers, grace: o.GracePeriod, log: o.Logger}
	if err := m.Add(stop); err != nil {
		return err
	}
	if !follows {
		if err := m.Add(&sweeper{store: secrets, live: m.GetAPIReader(), mapper: m.GetRESTMapper(), log: o.Logger}); err != nil {
			return err
		}
	}
	lost := &lostSecrets{metadata: kubeMetadata, namespace: o.Namespace, report: operations.Lost, shard: secrets.Shard}
	if err := m.Add(lost); err != nil {
		return err
	}
	if w != nil && !follows {
		if err := m.Add(&kinds.Ending{Runtime: rt, Placement: w.Placement}); err != nil {
			return err
		}
	}
	if w != nil {
		w.Records = lost.ofShard
		defer w.Placement.Hear(w.Number, func(units []shard.Unit) {
			registry.Forget(units)
			go registry.Moved(reconciling, units)
		})()
	}
	if err := m.Add(referred); err != nil {
		return err
	}

	runErr := m.Start(ctx)
	return errors.Join(runErr, stop.stop(ctx), o.CommandLine.Close())
}

// checkpointName returns the name of the Secrets of a checkpoint, before their numbers.
func checkpointName(o Options, w *worker) string {
	if w == nil {
		return o.Name + "-checkpoint"
	}
	return fmt.Sprintf("%s-checkpoint-shard-%d", o.Name, w.Number)
}

// setupPolicies sets up what reads PlanPolicies.
func setupPolicies(rt *kinds.Runtime, changed func()) error {
	library := &policy.Library{List: func(ctx context.Context) ([]v1alpha1.PlanPolicy, error) {
		list := &v1alpha1.PlanPolicyList{}
		err := rt.Manager.GetClient().List(ctx, list, client.UnsafeDisableDeepCopy)
		return list.Items, err
	}}
	rt.Managed.Policies = library.Policies
	return (&planpolicy.Reconciler{Client: rt.Manager.GetClient(), Changed: changed}).SetupWithManager(rt.Manager)
}

// setupAdmission sets up what shows plans at admission.
func setupAdmission(rt *kinds.Runtime, kube clients, o Options) error {
	if o.Admission == nil {
		return nil
	}
	return (&admission.Webhooks{
		Options: *o.Admission, Client: rt.Manager.GetClient(), Secrets: kube.core.Secrets(o.Admission.Service.Namespace),
		Configurations: kube.admission.ValidatingWebhookConfigurations(),
		Endpoints:      kube.endpoints.EndpointSlices(o.Admission.Service.Namespace),
		Groups: func(ctx context.Context, provider string) (groups []string, _ error) {
			crds, err := kinds.ListCRDs(ctx, rt.Manager.GetClient(), client.MatchingLabels{v1alpha1.LabelProvider: provider})
			for _, d := range crds {
				if g := admission.GroupOf(d.Name); !slices.Contains(groups, g) {
					groups = append(groups, g)
				}
			}
			return groups, err
		},
		Preview: rt.Registry.Preview, Logger: o.Logger.WithName("admission"),
	}).SetupWithManager(rt.Manager)
}

// setupInstalled sets up what serves TerraformProviders and TerraformModules. previews is set if plans are shown at admission.
func setupInstalled(rt *kinds.Runtime, o Options, previews bool) error {
	for _, a := range o.Attached {
		o.Logger.Error(nil, "A provider is attached: its version and checksum are not checked, and no sandbox restricts it. This is for development alone",
			"provider", a.Source, "pid", a.PID)
	}
	installed := &terraformprovider.Reconciler{
		Runtime: rt, Installer: o.Installer, Attached: o.Attached, Linked: o.Linked, CommandLine: o.CommandLine,
		Logger: o.Logger.WithName("terraformprovider"), StartTimeout: o.StartTimeout, Limits: o.Pool.Limits,
		Sandbox: o.Sandbox, Previews: previews,
	}
	modules := &terraformmodule.Reconciler{
		Runtime: rt, Namespace: o.Namespace, CommandLine: o.CommandLine, Providers: installed,
		Logger: o.Logger.WithName("terraformmodule"), Resync: min(30*time.Second, 10*o.Poll), CreationGracePeriod: o.CreationGracePeriod, Artifacts: o.Installer.Registry,
	}
	rt.OtherUsers, rt.OthersBeingDeleted = modules.Users, modules.BeingDeleted
	return errors.Join(installed.SetupWithManager(rt.Manager), modules.SetupWithManager(rt.Manager),
		settle(rt, installed.Expected, modules.Expected))
}

// setupPackaged sets up what serves the provider that this program is made for.
func setupPackaged(ctx context.Context, rt *kinds.Runtime, kube clients, o Options) error {
	p := &packaged.Reconciler{Runtime: rt, Provider: o.Packaged, Logger: o.Logger.WithName("packaged")}
	if o.Conversions != nil {
		p.Conversions = &conversion.Conversions{
			Options: *o.Conversions, Definitions: rt.CRDs, Secrets: kube.core.Secrets(o.Conversions.Service.Namespace),
			Logger: o.Logger.WithName("conversion"),
		}
	}
	return errors.Join(p.SetupWithManager(ctx, rt.Manager), settle(rt, p.Expected))
}

// settle ends the startup when the expected kinds are served again.
func settle(rt *kinds.Runtime, expected ...func(context.Context) ([]kinds.Source, error)) error {
	return rt.Manager.Add(manager.RunnableFunc(func(ctx context.Context) error { return rt.Registry.Settle(ctx, expected...) }))
}

// warnings logs warnings of the API server, for debugging only: most are repeated for each resource, like the one about
// the name of Crossplane's finalizer.
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

func newManager(config *rest.Config, scheme *runtime.Scheme, lock *lease, o Options) (ctrl.Manager, error) {
	options := ctrl.Options{
		Scheme:                        scheme,
		Logger:                        o.Logger,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &o.LeaseDuration,
		RenewDeadline:                 ptr.To(o.renewDeadline()),
		RetryPeriod:                   ptr.To(o.LeaseDuration * 2 / 15),
		Metrics:                       metricsOptions(o),
		HealthProbeBindAddress:        "0", // see health
		PprofBindAddress:              o.ProfileAddress,
		// Longer than the grace period of operations.
		GracefulShutdownTimeout: ptr.To(o.GracePeriod + 10*time.Second),
		NewCache:                informer.NewCache,
		NewClient:               newClient,
		Client: client.Options{Cache: &client.CacheOptions{
			Unstructured: true,
			// Secrets are never cached, whoever reads them.
			DisableFor: []client.Object{&corev1.Secret{}},
		}},
	}
	if o.LeaderElection {
		options.LeaderElection, options.LeaderElectionResourceLockInterface = true, lock
		options.LeaderElectionID = lock.name // only for the metric
	}
	return ctrl.NewManager(config, options)
}

// makeNamespace creates the namespace of Landbridge's own objects. If neither creating nor reading it is permitted, it
// must exist already.
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
	for _, read := range []func() (*apiextensionsv1.CustomResourceDefinition, error){v1alpha1.PolicyCustomResourceDefinition, v1alpha1.ModuleCustomResourceDefinition, v1alpha1.CustomResourceDefinition} {
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
