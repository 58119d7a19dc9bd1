package controller

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/crossplane/crossplane-runtime/v2/pkg/event"
	"github.com/prometheus/client_golang/prometheus"
	corev1 "k8s.io/api/core/v1"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/landbridge-io/landbridge/internal/controller/action"
	"github.com/landbridge-io/landbridge/internal/controller/checkpoint"
	"github.com/landbridge-io/landbridge/internal/controller/halt"
	"github.com/landbridge-io/landbridge/internal/controller/informer"
	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/managed"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/query"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/controller/sharding"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/scheduler"
	"github.com/landbridge-io/landbridge/internal/scheduler/store"
	"github.com/landbridge-io/landbridge/schema"
)

// controllers are those of one shard, with its lease, memory and provider processes.
type controllers struct {
	Options
	process *process
	lock    *lease
	number  int
	// worker has the division of the work; nil if it is not divided.
	worker *sharding.Worker
	// reconciling is done when reconcilers stop.
	reconciling context.Context

	config     *rest.Config
	kube       clients
	metadata   metadata.Interface
	extensions apiextensionsclient.Interface
	manager    ctrl.Manager
	registry   *kinds.Registry
	providers  *pool.Pool
	secrets    *store.Secrets
	operations *scheduler.Scheduler
	runs       *action.Runs
	runtime    *kinds.Runtime
	referred   *referredSecrets
	stop       *stopper
	queries    *query.Reconciler
	registerer prometheus.Registerer
	// ends are called in reverse order when the controllers have ended.
	ends []func()
}

// runShard runs the controllers of a shard while its lease is held. w is nil if the work is not
// divided.
func (p *process) runShard(ctx context.Context, lock *lease, number int, w *sharding.Worker) error {
	c := &controllers{Options: p.Options, process: p, lock: lock, number: number, worker: w}
	if w != nil {
		c.Logger = p.Logger.WithValues("shard", number)
	}
	defer func() {
		for _, end := range slices.Backward(c.ends) {
			end()
		}
	}()
	reconciling, stopReconciling := context.WithCancel(ctx)
	c.reconciling = reconciling
	c.end(stopReconciling)
	c.stop = &stopper{reconcilers: stopReconciling, grace: c.GracePeriod, log: c.Logger}
	for _, step := range []func() error{c.connect, c.schedule, c.manage, c.reconcile, c.watch} {
		if err := step(); err != nil {
			return err
		}
	}
	c.end(p.probe(number, checks(c.kube.discovery, c.manager.GetCache(), lock, c.registry.Settled(), c.providers)))
	p.serve()
	err := c.manager.Start(ctx)
	return errors.Join(err, c.stop.stop(ctx), c.CommandLine.Close())
}

// end has a function called when the controllers have ended.
func (c *controllers) end(f func()) { c.ends = append(c.ends, f) }

// follows reports whether another shard's controllers write what is not of one shard.
func (c *controllers) follows() bool { return c.number != sharding.Leader }

// connect makes the clients, which write only while the lease is held, and the manager.
func (c *controllers) connect() (err error) {
	c.config = rest.CopyConfig(c.process.config)
	c.config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return fence{next: next, lease: c.lock, secrets: "/api/v1/namespaces/" + c.Namespace + "/secrets/"}
	})
	if c.follows() {
		c.config.Wrap(func(next http.RoundTripper) http.RoundTripper { return follower{next} })
	}
	if c.kube, err = newClients(protobuf(c.config)); err != nil {
		return err
	}
	if c.extensions, err = apiextensionsclient.NewForConfig(c.config); err != nil {
		return err
	}
	if c.metadata, err = metadata.NewForConfig(c.config); err != nil {
		return err
	}
	c.manager, err = c.newManager()
	return err
}

func (c *controllers) newManager() (ctrl.Manager, error) {
	options := ctrl.Options{
		Scheme:                        c.process.scheme,
		Logger:                        c.Logger,
		LeaderElectionReleaseOnCancel: true,
		LeaseDuration:                 &c.LeaseDuration,
		RenewDeadline:                 ptr.To(c.renewDeadline()),
		RetryPeriod:                   ptr.To(c.retryPeriod()),
		// The process serves those of all shards.
		Metrics:                metricsserver.Options{BindAddress: "0"},
		HealthProbeBindAddress: "0",
		PprofBindAddress:       "0",
		// Longer than the grace period of operations.
		GracefulShutdownTimeout: ptr.To(c.GracePeriod + 10*time.Second),
		NewCache:                informer.NewCache,
		NewClient:               newClient,
		Client: client.Options{Cache: &client.CacheOptions{
			Unstructured: true,
			// Secrets are never cached, whoever reads them.
			DisableFor: []client.Object{&corev1.Secret{}},
		}},
	}
	if c.LeaderElection {
		options.LeaderElection, options.LeaderElectionResourceLockInterface = true, c.lock
		options.LeaderElectionID = c.lock.name // only for the metric
	}
	return ctrl.NewManager(c.config, options)
}

// schedule makes what carries out operations, and its metrics.
func (c *controllers) schedule() error {
	c.CommandLine = c.process.CommandLine.Apart()
	c.CommandLine.Sandbox = c.Sandbox
	c.CommandLine.Logger = c.Logger.WithName("cli")
	c.Pool.Called = func(call pool.Call) { providerCalls.count(call, time.Now()) }
	c.providers = pool.New(c.Pool)
	c.registry = &kinds.Registry{}
	c.secrets = &store.Secrets{
		Client: c.kube.core.Secrets(c.Namespace), Refused: countRefused, Shard: store.Shard{Number: c.number, Count: c.Shards},
	}
	var others scheduler.Elsewhere
	if c.worker != nil {
		others = elsewhere{c.registry, &store.Secrets{Client: c.kube.core.Secrets(c.Namespace)}, c.secrets.Shard}
	}
	c.operations = scheduler.New(scheduler.Options{
		Elsewhere:                  others,
		Recorded:                   c.Recorded,
		HistorySize:                c.HistorySize,
		Store:                      countedStore{c.secrets},
		Told:                       countEvent,
		Logger:                     c.Logger.WithName("scheduler"),
		Wake:                       c.registry.Wake,
		Exists:                     c.registry.Exists,
		Lease:                      c.lock.duration,
		Leads:                      c.lock.leads,
		OperationTimeout:           c.OperationTimeout,
		CreationGracePeriod:        c.CreationGracePeriod,
		OperationsPerConfiguration: int64(c.OperationsPerConfiguration),
		PlanKey:                    c.process.key,
	})
	c.runs = &action.Runs{
		Leads: c.lock.leads, Timeout: c.OperationTimeout, Grace: interruptGrace, PerConfiguration: c.OperationsPerConfiguration,
	}
	c.stop.operations, c.stop.runs, c.stop.providers = c.operations, c.runs, c.providers
	// Several controllers in one process, as in tests, have the same metrics; the first one's are
	// served.
	c.registerer = metrics.Registry
	if c.worker != nil {
		c.registerer = prometheus.WrapRegistererWith(prometheus.Labels{"shard": strconv.Itoa(c.number)}, metrics.Registry)
	}
	if now := (snapshot{c.operations, c.providers, c.registry}); c.registerer.Register(now) == nil {
		c.end(func() { c.registerer.Unregister(now) })
	}
	return nil
}

// manage makes what the controllers of all kinds have in common.
func (c *controllers) manage() error {
	resourceMetrics, err := resourceMetrics()
	if err != nil {
		return err
	}
	c.referred = &referredSecrets{metadata: c.metadata, allowed: mayWatchSecrets(c.kube.authorization), wake: c.registry.SecretChanged}
	marks := &checkpoint.Checkpoint{
		Secrets: c.kube.core.Secrets(c.Namespace), Name: c.checkpointName(), Marks: c.registry.Marks, Clock: clock.RealClock{},
		Logger: c.Logger.WithName("checkpoint"),
	}
	pauses := &halt.Watch{Client: c.kube.core.ConfigMaps(c.Namespace), Changed: c.wakePending, Logger: c.Logger.WithName("pause")}
	releases := &halt.Releases{
		Client: c.kube.core.ConfigMaps(c.Namespace), Released: c.operations.ReleaseBrake,
		Logger: c.Logger.WithName("brake"),
	}
	// Not the scheduler's, which remembers what it has loaded and saved.
	stored := &store.Secrets{Client: c.kube.core.Secrets(c.Namespace)}
	accountKey, _ := providerconfig.SharedAccountKey(derived(c.process.key))
	c.runtime = &kinds.Runtime{
		Manager:   c.manager,
		CRDs:      c.extensions.ApiextensionsV1().CustomResourceDefinitions(),
		Policies:  c.kube.admission,
		Roles:     c.kube.rbac.ClusterRoles(),
		OpenAPI:   c.kube.discovery.OpenAPIV3(),
		Pool:      c.providers,
		Admission: &providerconfig.Admission{Live: c.manager.GetAPIReader(), Listed: c.RequireAllowedNamespaces}, AccountKey: accountKey,
		Scheduler: c.operations, OwnedElsewhere: c.operations.OwnedElsewhere, Leases: c.kube.core.Secrets(c.Namespace),
		Registry: c.registry, Runs: c.runs, PlanKey: c.process.key, Recorded: c.Recorded,
		Managed: managed.Options{
			Poll: c.Poll, Workers: c.Workers, Timeout: c.ReconcileTimeout,
			MinBackoff: 500 * time.Millisecond, MaxBackoff: 5 * time.Minute,
			Recorder: event.NewAPIRecorder(c.process.recorder), Metrics: resourceMetrics, Logger: c.Logger, Secrets: c.referred,
			EachStored: func(ctx context.Context, gk runtimeschema.GroupKind, some func([]store.Key)) error {
				return c.secrets.Each(ctx, gk.Group, gk.Kind, some)
			},
			Naming: func(ctx context.Context, gk runtimeschema.GroupKind, of scheduler.Sought, most int) ([]store.Key, bool, error) {
				return c.secrets.Naming(ctx, gk.Group, gk.Kind, of.By, of.Objects, most)
			},
			Stored: func(ctx context.Context, k store.Key, r *schema.Resource) (store.Record, error) {
				defer stored.Forget(k)
				return stored.Load(ctx, k, r)
			},
			Marked: marks.Has, Since: marks.Since, Paused: pauses.Why,
		},
		Recorder: event.NewAPIRecorder(c.process.recorder),
		Logger:   c.Logger.WithName("kinds"),
		Lifetime: c.reconciling, DestroysPerMinute: c.DestroysPerMinute,
		Follows: c.follows(),
	}
	c.runtime.Managed.DestroysOf = c.runtime.DestroysOf
	if c.worker != nil {
		c.runtime.Managed.Shards = c.worker
	}
	return c.add(marks, pauses, releases)
}

// interruptGrace is how long an action that is interrupted may take to end by itself.
const interruptGrace = 2 * time.Minute

// wakePending wakes the resources and actions that wait because of policies or pauses.
func (c *controllers) wakePending() {
	c.operations.WakePending()
	c.registry.WakePending(c.reconciling)
}

// add adds what the manager runs.
func (c *controllers) add(all ...manager.Runnable) error {
	for _, r := range all {
		if err := c.manager.Add(r); err != nil {
			return err
		}
	}
	return nil
}

// checkpointName returns the name of the Secrets of a checkpoint, before their numbers.
func (c *controllers) checkpointName() string {
	if c.worker == nil {
		return c.Name + "-checkpoint"
	}
	return fmt.Sprintf("%s-checkpoint-shard-%d", c.Name, c.number)
}

// reconcile sets the controllers up.
func (c *controllers) reconcile() error {
	o, previews := c.Options, c.Admission != nil
	if c.follows() {
		c.runtime.Recorder, o.Admission, o.CacheKeep = event.NewNopRecorder(), nil, 0
	}
	if o.Packaged != nil {
		return setupPackaged(c.reconciling, c.runtime, c.kube, o)
	}
	if err := c.setupQueries(); err != nil {
		return err
	}
	return errors.Join(setupPolicies(c.runtime, c.wakePending), setupAdmission(c.runtime, c.queries, c.kube, o),
		setupInstalled(c.runtime, o, previews), c.add(&cacheCleaner{installer: o.Installer, keep: o.CacheKeep, log: o.Logger}))
}

// watch adds what stops the controllers in order, and what watches and removes Secrets.
func (c *controllers) watch() error {
	if err := c.add(c.stop); err != nil {
		return err
	}
	if !c.follows() {
		if err := c.add(&sweeper{
			store: c.secrets, live: c.manager.GetAPIReader(), mapper: c.manager.GetRESTMapper(), log: c.Logger,
		}); err != nil {
			return err
		}
	}
	lost := &lostSecrets{metadata: c.metadata, namespace: c.Namespace, report: c.operations.Lost, shard: c.secrets.Shard}
	if err := c.add(lost); err != nil {
		return err
	}
	if w := c.worker; w != nil {
		w.Records = lost.ofShard
		if !c.follows() {
			if err := c.add(&kinds.Ending{Runtime: c.runtime, Placement: w.Placement}); err != nil {
				return err
			}
		}
		c.end(w.Placement.Hear(c.number, func(units []shard.Unit) {
			c.registry.Forget(units)
			go c.registry.Moved(c.reconciling, units)
		}))
	}
	return c.add(c.referred)
}
