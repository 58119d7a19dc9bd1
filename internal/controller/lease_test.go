package controller_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"

	"github.com/landbridge-io/landbridge/internal/controller"
)

// object is the lease object that several locks share.
type object struct {
	mu      sync.Mutex
	record  *resourcelock.LeaderElectionRecord
	version int
}

// lock is the lock of one process. It cannot reach the object while away is set.
type lock struct {
	name   string
	object *object
	seen   int
	away   bool
}

func (l *lock) Identity() string   { return l.name }
func (l *lock) Describe() string   { return l.name }
func (l *lock) RecordEvent(string) {}

func (l *lock) Get(context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	l.object.mu.Lock()
	defer l.object.mu.Unlock()
	if l.away {
		return nil, nil, kerrors.NewServiceUnavailable("away")
	}
	if l.object.record == nil {
		return nil, nil, kerrors.NewNotFound(coordinationv1.Resource("leases"), "lease")
	}
	l.seen = l.object.version
	raw, err := json.Marshal(l.object.record)
	record := *l.object.record
	return &record, raw, err
}

func (l *lock) Create(_ context.Context, r resourcelock.LeaderElectionRecord) error {
	l.object.mu.Lock()
	defer l.object.mu.Unlock()
	if l.object.record != nil {
		return kerrors.NewAlreadyExists(coordinationv1.Resource("leases"), "lease")
	}
	l.object.record, l.object.version = &r, l.object.version+1
	l.seen = l.object.version
	return nil
}

func (l *lock) Update(_ context.Context, r resourcelock.LeaderElectionRecord) error {
	l.object.mu.Lock()
	defer l.object.mu.Unlock()
	switch {
	case l.away:
		return kerrors.NewServiceUnavailable("away")
	case l.seen != l.object.version:
		return kerrors.NewConflict(coordinationv1.Resource("leases"), "lease", nil)
	}
	l.object.record, l.object.version = &r, l.object.version+1
	l.seen = l.object.version
	return nil
}

// replica is a process that takes part in leader election.
type replica struct {
	*lock
	lease *controller.Lease
	stop  context.CancelFunc
	done  chan struct{}
}

// start starts a process that takes part in leader election until it has led or is stopped.
func start(t *testing.T, name string, o *object) *replica {
	l := &lock{name: name, object: o}
	ctx, cancel := context.WithCancel(t.Context())
	r := &replica{lock: l, lease: controller.NewLease(l, 10*time.Second), stop: cancel, done: make(chan struct{})}
	e, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: r.lease, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) {}, OnStoppedLeading: func() {}},
	})
	if err != nil {
		t.Fatal(err)
	}
	go func() { defer close(r.done); e.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-r.done })
	return r
}

// led checks which processes may start operations.
func led(t *testing.T, when string, a, b *replica, want string) {
	t.Helper()
	synctest.Wait()
	got := ""
	for _, r := range []*replica{a, b} {
		if r != nil && r.lease.Leads() {
			got += r.name
		}
	}
	if got != want {
		t.Errorf("%s %q leads, want %q", when, got, want)
	}
}

func TestLease(t *testing.T) {
	run := func(t *testing.T, name string, f func(t *testing.T, o *object, a *replica)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &object{}
				a := start(t, "a", o)
				led(t, "at first", a, nil, "a")
				f(t, o, a)
			})
		})
	}
	run(t, "renewed", func(t *testing.T, o *object, a *replica) {
		b := start(t, "b", o)
		for range 60 {
			time.Sleep(time.Second)
			led(t, "all the time", a, b, "a")
		}
	})
	run(t, "released", func(t *testing.T, o *object, a *replica) {
		b := start(t, "b", o)
		time.Sleep(3 * time.Second)
		a.stop()
		<-a.done
		led(t, "afterwards", a, b, "")
		time.Sleep(5 * time.Second)
		led(t, "soon", a, b, "b")
	})
	run(t, "not renewed", func(t *testing.T, o *object, a *replica) {
		b := start(t, "b", o)
		time.Sleep(3 * time.Second)
		o.mu.Lock()
		a.away = true
		o.mu.Unlock()
		for range 40 {
			time.Sleep(time.Second)
			synctest.Wait()
			if a.lease.Leads() && b.lease.Leads() {
				t.Fatal("both lead")
			}
		}
		led(t, "in the end", a, b, "b")
		<-a.done
	})
	run(t, "another one has led meanwhile", func(t *testing.T, o *object, a *replica) {
		// As if a was suspended and has not noticed: the lease is free again.
		o.mu.Lock()
		record := *o.record
		record.HolderIdentity, record.LeaderTransitions = "", record.LeaderTransitions+2
		o.record, o.version = &record, o.version+1
		o.mu.Unlock()
		time.Sleep(12 * time.Second)
		led(t, "with what it knows from before", a, nil, "")
		<-a.done
	})
	run(t, "without leader election", func(t *testing.T, _ *object, _ *replica) {
		if !new(controller.Lease).Leads() {
			t.Error("it does not lead")
		}
	})
}
