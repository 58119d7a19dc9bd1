package controller

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"

	"github.com/landbridge-io/landbridge/internal/controller/kinds"
	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/controller/sharding"
)

// maxShards bounds the number of shards: each has watches and caches of its own.
const maxShards = 64

// tableFormat names what the table of shards says. Programs that would read it otherwise do not work at the same time.
const tableFormat = "by configuration and type"

// shards runs the controllers of the shards that this replica holds. Each shard is like a controller of its own, with its own
// lease, memory and provider processes; so a shard that is given up stops as a whole controller does, and one that is taken
// over starts as after a crash.
type shards struct {
	o         Options
	members   *sharding.Members
	placement *sharding.Placement
	run       func(ctx context.Context, number int) error
	log       logr.Logger

	mu sync.Mutex
	// running are the shards that this replica works on, waits for, or gives up.
	running map[int]*running
	ended   sync.WaitGroup
	// checks are those of the running shards.
	checks map[int][]check
}

// running is a shard whose controllers run.
type running struct {
	stop    context.CancelFunc
	leaving bool
}

// worker is one shard of a replica.
type worker struct {
	*sharding.Worker
	// probes has the checks of the shard served, until the function is called that it returns.
	probes func([]check) (end func())
}

// runShards runs the controllers of the shards that belong to this replica until ctx is done, or one of them fails.
func runShards(ctx context.Context, config *rest.Config, scheme *runtime.Scheme, recorder record.EventRecorder, o Options) error {
	switch {
	case !o.LeaderElection:
		return errors.New("shards need leader election: each is held by a lease")
	case o.Packaged != nil:
		return errors.New("a program for one provider has no shards")
	case o.Shards > maxShards:
		return fmt.Errorf("there can be %d shards at most", maxShards)
	}
	parent := ctx
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	kube, err := newClients(protobuf(config))
	if err != nil {
		return err
	}
	if err := makeNamespace(ctx, kube.core.Namespaces(), o.Namespace); err != nil {
		return err
	}
	extensions, err := apiextensionsclient.NewForConfig(config)
	if err != nil {
		return err
	}
	if err := makeCRDs(ctx, extensions); err != nil {
		return err
	}
	key, err := planKey(ctx, kube.core.Secrets(o.Namespace))
	if err != nil {
		return err
	}
	timed := rest.AddUserAgent(rest.CopyConfig(config), "leader-election")
	timed.Timeout = max(time.Second, o.renewDeadline()/2)
	coordination, err := v1.NewForConfig(timed)
	if err != nil {
		return err
	}
	_, keyID := providerconfig.SharedAccountKey(derived(key))
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	log := o.Logger.WithName("shards")
	leases, retry := coordination.Leases(o.Namespace), o.LeaseDuration*2/15
	all := &group{
		leases: leases, name: leaseName(o), holder: fmt.Sprintf("replicas with %d shards, %s", o.Shards, tableFormat),
		duration: o.LeaseDuration, safe: o.renewDeadline(), retry: retry, log: log,
	}
	s := &shards{o: o, log: log, running: map[int]*running{}, checks: map[int][]check{},
		members: &sharding.Members{Leases: leases, Of: o.Name, ID: host + "_" + string(uuid.NewUUID()), Duration: o.LeaseDuration},
		placement: &sharding.Placement{
			Secrets: kube.core.Secrets(o.Namespace), Name: sharding.TableName(o.Name), Shards: o.Shards, Logger: log, Outdated: func(err error) { fail(err) },
			Key: keyID,
		},
	}
	s.run = func(ctx context.Context, number int) error {
		lock, err := newLease(config, recorder, o, sharding.LeaseName(number, leaseName(o)))
		if err != nil {
			return err
		}
		lock.group = all
		part := o
		part.MetricsAddress, part.HealthAddress, part.ProfileAddress = "0", "0", "0"
		part.Logger = o.Logger.WithValues("shard", number)
		if o.CommandLine != nil {
			c := o.CommandLine
			part.CommandLine = &kinds.CommandLine{Program: c.Program, Dir: c.Dir, Parallelism: c.Parallelism, Changes: c.Changes, Patience: c.Patience}
		}
		w := &worker{
			Worker: &sharding.Worker{Number: number, Placement: s.placement},
			probes: func(checks []check) func() { return s.probes(number, checks) },
		}
		return errors.Join(runPart(ctx, config, scheme, recorder, lock, w, part), lock.notLed())
	}
	front, err := s.front(config, scheme)
	if err != nil {
		return err
	}
	var others sync.WaitGroup
	others.Go(func() {
		if err := front.Start(ctx); err != nil {
			fail(err)
		}
	})
	defer others.Wait()
	defer fail(nil)
	if err := all.join(ctx); err != nil {
		return ended(parent, err)
	}
	// The lease of the group is renewed until all shards have ended.
	keeping, stopKeeping := context.WithCancel(context.WithoutCancel(ctx))
	var kept sync.WaitGroup
	defer kept.Wait()
	defer stopKeeping()
	kept.Go(func() {
		if err := all.keep(keeping); err != nil {
			fail(err)
		}
	})
	if err := s.placement.Start(ctx); err != nil {
		return ended(parent, err)
	}
	others.Go(func() { s.placement.Watch(ctx) })
	s.divide(ctx, retry, fail)
	s.ended.Wait()
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), timed.Timeout)
	defer cancel()
	if err := s.members.Leave(leaving); err != nil {
		log.V(1).Info("Other replicas notice later that this one has ended", "error", err.Error())
	}
	return ended(parent, context.Cause(ctx))
}

// ended returns nil if the process was told to end, and err otherwise.
func ended(parent context.Context, err error) error {
	if parent.Err() != nil && errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// derived returns the key of the hashes of accounts.
func derived(key []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("provider configurations"))
	return h.Sum(nil)
}

// divide starts and stops the controllers of shards as replicas come and go, until ctx is done.
func (s *shards) divide(ctx context.Context, every time.Duration, fail context.CancelCauseFunc) {
	for {
		alive, err := s.members.Alive(ctx)
		if err == nil {
			s.take(ctx, shard.Holders(alive, s.o.Shards), fail)
		} else if ctx.Err() == nil {
			s.log.Error(err, "Cannot tell which replicas live, so this one keeps its shards")
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
	}
}

// take takes the shards that this replica should hold, and gives up the others.
func (s *shards) take(ctx context.Context, holders []string, fail context.CancelCauseFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for number, holder := range holders {
		r, wanted := s.running[number], holder == s.members.ID
		switch {
		case r == nil && wanted:
			s.log.Info("This replica takes a shard", "shard", number)
			running := &running{}
			var run context.Context
			run, running.stop = context.WithCancel(ctx)
			s.running[number] = running
			s.ended.Go(func() {
				err := s.run(run, number)
				running.stop()
				s.mu.Lock()
				delete(s.running, number)
				s.mu.Unlock()
				if err != nil {
					fail(fmt.Errorf("shard %d: %w", number, err))
				}
			})
		case r != nil && !wanted && !r.leaving:
			s.log.Info("This replica gives up a shard", "shard", number)
			r.leaving = true
			r.stop()
		}
	}
}

// probes has the checks of a shard served.
func (s *shards) probes(number int, checks []check) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range checks {
		checks[i].name = fmt.Sprintf("shard %d: %s", number, checks[i].name)
	}
	s.checks[number] = checks
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.checks, number)
	}
}

// probed returns the checks of all shards.
func (s *shards) probed() (out []check) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for number := range s.o.Shards {
		out = append(out, s.checks[number]...)
	}
	return out
}

// front returns what the process serves, whatever shards it holds: metrics, health and profiles.
func (s *shards) front(config *rest.Config, scheme *runtime.Scheme) (ctrl.Manager, error) {
	m, err := ctrl.NewManager(config, ctrl.Options{
		Scheme: scheme, Logger: s.o.Logger, Metrics: metricsOptions(s.o), HealthProbeBindAddress: "0", PprofBindAddress: s.o.ProfileAddress,
		Cache: cache.Options{},
	})
	if err != nil || s.o.HealthAddress == "0" {
		return m, err
	}
	return m, m.Add(health(s.o.HealthAddress, s.probed))
}
