package controller

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"

	"github.com/landbridge-io/landbridge/internal/controller/providerconfig"
	"github.com/landbridge-io/landbridge/internal/controller/shard"
	"github.com/landbridge-io/landbridge/internal/controller/sharding"
)

// maxShards bounds the number of shards: each has watches and caches of its own.
const maxShards = 64

// tableFormat names what the table of shards says. Programs that would read it otherwise do not
// work at the same time.
const tableFormat = "by configuration and type"

// shards divides the work among replicas, and runs the controllers of the shards that this one
// holds. Each shard is like a controller of its own, with its own lease, memory and provider
// processes; so a shard that is given up stops as a whole controller does, and one that is taken
// over starts as after a crash.
type shards struct {
	process *process
	log     logr.Logger
	// group is the lease that all replicas hold together.
	group     *group
	members   *sharding.Members
	placement *sharding.Placement

	mu sync.Mutex
	// running are the shards that this replica works on, waits for, or gives up.
	running map[int]*running
	ended   sync.WaitGroup
}

// running is a shard whose controllers run.
type running struct {
	stop    context.CancelFunc
	leaving bool
}

// runShards runs the controllers of the shards that belong to this replica until ctx is done, or
// one of them fails.
func runShards(ctx context.Context, p *process) error {
	switch {
	case !p.LeaderElection:
		return errors.New("shards need leader election: each is held by a lease")
	case p.Packaged != nil:
		return errors.New("a program for one provider has no shards")
	case p.Shards > maxShards:
		return fmt.Errorf("there can be %d shards at most", maxShards)
	}
	return p.run(ctx, func(ctx context.Context) error {
		s, err := newShards(p)
		if err != nil {
			return err
		}
		return s.work(ctx)
	})
}

func newShards(p *process) (*shards, error) {
	timed := rest.AddUserAgent(rest.CopyConfig(p.config), "leader-election")
	timed.Timeout = p.requestTimeout()
	coordination, err := v1.NewForConfig(timed)
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	_, keyID := providerconfig.SharedAccountKey(derived(p.key))
	log, leases := p.Logger.WithName("shards"), coordination.Leases(p.Namespace)
	return &shards{
		process: p, log: log, running: map[int]*running{},
		group: &group{
			leases: leases, name: leaseName(p.Options), holder: fmt.Sprintf("replicas with %d shards, %s", p.Shards, tableFormat),
			duration: p.LeaseDuration, safe: p.renewDeadline(), retry: p.retryPeriod(), log: log,
		},
		members: &sharding.Members{Leases: leases, Of: p.Name, ID: host + "_" + string(uuid.NewUUID()), Duration: p.LeaseDuration},
		placement: &sharding.Placement{
			Secrets: p.kube.core.Secrets(p.Namespace), Name: sharding.TableName(p.Name), Key: keyID, Shards: p.Shards,
			Logger: log, Outdated: p.fail,
		},
	}, nil
}

// runShard runs the controllers of a shard while this replica holds its lease.
func (s *shards) runShard(ctx context.Context, number int) error {
	p := s.process
	lock, err := newLease(p.config, p.recorder, p.Options, sharding.LeaseName(number, leaseName(p.Options)))
	if err != nil {
		return err
	}
	lock.group = s.group
	return errors.Join(p.runShard(ctx, lock, number, &sharding.Worker{Number: number, Placement: s.placement}), lock.notLed())
}

// work joins the replicas and works on the shards that belong to this one.
func (s *shards) work(ctx context.Context) error {
	s.process.serve()
	if err := s.group.join(ctx); err != nil {
		return canceled(ctx, err)
	}
	// The lease of the group is renewed until all shards have ended.
	keeping, stopKeeping := context.WithCancel(context.WithoutCancel(ctx))
	var kept sync.WaitGroup
	defer kept.Wait()
	defer stopKeeping()
	kept.Go(func() {
		if err := s.group.keep(keeping); err != nil {
			s.process.fail(err)
		}
	})
	if err := s.placement.Start(ctx); err != nil {
		return canceled(ctx, err)
	}
	var watched sync.WaitGroup
	defer watched.Wait()
	watched.Go(func() { s.placement.Watch(ctx) })
	s.divide(ctx)
	s.ended.Wait()
	leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.process.requestTimeout())
	defer cancel()
	if err := s.members.Leave(leaving); err != nil {
		s.log.V(1).Info("Other replicas notice later that this one has ended", "error", err.Error())
	}
	return nil
}

// divide starts and stops the controllers of shards as replicas come and go, until ctx is done.
func (s *shards) divide(ctx context.Context) {
	for {
		alive, err := s.members.Alive(ctx)
		if err == nil {
			s.take(ctx, shard.Holders(alive, s.process.Shards))
		} else if ctx.Err() == nil {
			s.log.Error(err, "Cannot tell which replicas live, so this one keeps its shards")
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(s.process.retryPeriod()):
		}
	}
}

// take takes the shards that this replica should hold, and gives up the others.
func (s *shards) take(ctx context.Context, holders []string) {
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
				err := s.runShard(run, number)
				running.stop()
				s.mu.Lock()
				delete(s.running, number)
				s.mu.Unlock()
				if err != nil {
					s.process.fail(fmt.Errorf("shard %d: %w", number, err))
				}
			})
		case r != nil && !wanted && !r.leaving:
			s.log.Info("This replica gives up a shard", "shard", number)
			r.leaving = true
			r.stop()
		}
	}
}
