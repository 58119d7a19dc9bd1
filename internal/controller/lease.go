package controller

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/landbridge-io/landbridge/apis/v1alpha1"
	"github.com/landbridge-io/landbridge/internal/version"
)

// lease is a lock for leader election that records when it was renewed. Leader election itself
// informs a process that was suspended only after a while that it does not lead any more.
type lease struct {
	resourcelock.Interface
	// name is that of the Lease object.
	name string
	// duration is how long other processes wait after the last renewal. safe is how long after it
	// operations may be started.
	duration, safe time.Duration
	// group is the lease that all shards hold together. It is nil without shards.
	group *group

	mu sync.Mutex
	// renewed is when the last successful renewal was requested; zero if this process does not
	// lead.
	renewed time.Time
	// transitions identifies the term that this process leads; nil before it leads.
	transitions *int
}

// newLease returns the lease. Without leader election it is an empty one, which always leads.
func newLease(config *rest.Config, recorder resourcelock.EventRecorder, o Options, name string) (*lease, error) {
	if !o.LeaderElection {
		return &lease{}, nil
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	config = rest.AddUserAgent(rest.CopyConfig(config), "leader-election")
	config.Timeout = o.requestTimeout()
	leases, err := coordinationv1.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	lock, err := resourcelock.NewWithLabels(resourcelock.LeasesResourceLock, o.Namespace, name, nil, leases,
		resourcelock.ResourceLockConfig{Identity: host + "_" + string(uuid.NewUUID()), EventRecorder: recorder},
		map[string]string{"app.kubernetes.io/version": version.Label()})
	if err != nil {
		return nil, err
	}
	// safe is the renewal deadline: a request that is started by then reaches the provider before
	// another process leads.
	return &lease{Interface: lock, name: name, duration: o.LeaseDuration, safe: o.renewDeadline()}, nil
}

// leaseName returns the name of the Lease object.
func leaseName(o Options) string { return o.Name + "." + v1alpha1.Group }

func (o Options) renewDeadline() time.Duration { return o.LeaseDuration * 2 / 3 }

// retryPeriod is the time between two attempts to renew a lease.
func (o Options) retryPeriod() time.Duration { return o.LeaseDuration * 2 / 15 }

// requestTimeout bounds a request for a lease, so that one request does not cost the lease.
func (o Options) requestTimeout() time.Duration { return max(time.Second, o.renewDeadline()/2) }

// notLed sets the metric of a lease that this process has given up to 0. Leader election does so
// when it begins and when it cannot renew the lease, but not when it ends in order.
func (l *lease) notLed() error {
	_, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: l, Name: l.name, LeaseDuration: l.duration, RenewDeadline: l.safe, RetryPeriod: l.safe / 2,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) {}, OnStoppedLeading: func() {}},
	})
	return err
}

// Create implements resourcelock.Interface.
func (l *lease) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.write(r, func() error { return l.Interface.Create(ctx, r) })
}

// Update implements resourcelock.Interface.
func (l *lease) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.write(r, func() error { return l.Interface.Update(ctx, r) })
}

func (l *lease) write(r resourcelock.LeaderElectionRecord, write func() error) error {
	leads := r.HolderIdentity == l.Identity()
	l.mu.Lock()
	if leads && l.transitions != nil && *l.transitions != r.LeaderTransitions {
		l.mu.Unlock()
		// The state in memory is of the earlier term.
		return errors.New("another process has led meanwhile, so this process ends")
	}
	if !leads {
		l.renewed = time.Time{}
	}
	l.mu.Unlock()
	asked := time.Now()
	if err := write(); err != nil || !leads {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewed, l.transitions = asked, &r.LeaderTransitions
	return nil
}

// lost reports whether this process has led, and may not lead any more.
func (l *lease) lost() bool {
	if l.Interface == nil {
		return false
	}
	l.mu.Lock()
	led := l.transitions != nil
	l.mu.Unlock()
	return led && !l.leads()
}

// leads reports whether no other process can lead now or immediately after. It compares both
// clocks, since not every clock advances while the process or its machine is suspended.
func (l *lease) leads() bool {
	if l.Interface == nil {
		return true
	}
	if l.group != nil && !l.group.holds() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.renewed.IsZero() && age(l.renewed) <= l.safe
}
