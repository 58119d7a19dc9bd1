package controller

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	kerrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/utils/ptr"
)

// group is the lease that a controller without shards holds alone, held by all replicas with the
// same number of shards together. So no other replica works on everything, or divides the work
// otherwise, while one of them works. Each renews it for itself, and stops to work when it cannot.
type group struct {
	leases v1.LeaseInterface
	name   string
	// holder is the same for all replicas with the same number of shards.
	holder string
	// duration, safe and retry are those of a lease.
	duration, safe, retry time.Duration
	log                   logr.Logger

	mu sync.Mutex
	// renewed is when this replica last requested a successful renewal; zero before it holds the
	// lease.
	renewed time.Time
	// lost is set when the lease was not renewed in time. Others may have held it since.
	lost bool
	// seen is the version of the lease that others hold, and since when.
	seen  string
	since time.Time
}

var errGroup = errors.New("this replica could not renew the lease that replicas with shards hold together, so it ends")

// holds reports whether certainly no other replica works on everything, or divides the work
// otherwise.
func (g *group) holds() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return !g.lost && !g.renewed.IsZero() && age(g.renewed) <= g.safe
}

// age compares both clocks, since not every clock advances while the process or its machine is
// suspended.
func age(t time.Time) time.Duration {
	now := time.Now()
	return max(now.Sub(t), now.Round(0).Sub(t.Round(0)))
}

// join waits until the lease is held.
func (g *group) join(ctx context.Context) error {
	for told := false; ; {
		held, err := g.renew(ctx)
		if err != nil || held {
			return err
		}
		if !told {
			g.log.Info("Waiting for controllers that divide the work otherwise to end", "lease", g.name)
			told = true
		}
		if err := g.pause(ctx); err != nil {
			return err
		}
	}
}

func (g *group) pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(g.retry):
		return nil
	}
}

// keep renews the lease until ctx is done. It returns an error when it is lost.
func (g *group) keep(ctx context.Context) error {
	for {
		if err := g.pause(ctx); err != nil {
			return nil
		}
		if _, err := g.renew(ctx); err != nil {
			return err
		}
		if g.outlived() {
			return errGroup
		}
	}
}

// outlived reports whether the lease was not renewed for so long that others may hold it, or may
// have held it.
func (g *group) outlived() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lost = g.lost || !g.renewed.IsZero() && age(g.renewed) > g.duration
	return g.lost
}

// renew renews the lease once, or takes it if no other replica holds it. It returns an error only
// when it was lost.
func (g *group) renew(ctx context.Context) (held bool, _ error) {
	ctx, cancel := context.WithTimeout(ctx, g.safe/2)
	defer cancel()
	for {
		asked := time.Now()
		written, err := g.write(ctx)
		if kerrors.IsConflict(err) || kerrors.IsAlreadyExists(err) {
			continue // another replica has renewed it
		}
		if err != nil || !written {
			if err != nil && ctx.Err() == nil {
				g.log.Error(err, "Cannot renew a lease", "lease", g.name)
			}
			return false, nil
		}
		if g.outlived() {
			return false, errGroup
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		g.renewed = asked
		return true, nil
	}
}

// write writes the lease. written is false if others hold it.
func (g *group) write(ctx context.Context) (written bool, _ error) {
	now := metav1.NewMicroTime(time.Now())
	lease, err := g.leases.Get(ctx, g.name, metav1.GetOptions{})
	if kerrors.IsNotFound(err) {
		_, err = g.leases.Create(ctx, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: g.name}, Spec: coordinationv1.LeaseSpec{
			HolderIdentity: &g.holder, LeaseDurationSeconds: g.seconds(), AcquireTime: &now, RenewTime: &now, LeaseTransitions: ptr.To[int32](0),
		}}, metav1.CreateOptions{})
		return err == nil, err
	}
	if err != nil {
		return false, err
	}
	s := &lease.Spec
	if holder := ptr.Deref(s.HolderIdentity, ""); holder != g.holder {
		if holder != "" && !g.expired(lease) {
			return false, nil
		}
		s.HolderIdentity, s.AcquireTime, s.LeaseTransitions = &g.holder, &now, ptr.To(ptr.Deref(s.LeaseTransitions, 0)+1)
	}
	s.LeaseDurationSeconds, s.RenewTime = g.seconds(), &now
	_, err = g.leases.Update(ctx, lease, metav1.UpdateOptions{})
	return err == nil, err
}

// seconds returns the duration for others, rounded up.
func (g *group) seconds() *int32 { return ptr.To(int32((g.duration + time.Second - 1) / time.Second)) }

// expired reports whether a lease that others hold has not been renewed for its duration, as this
// replica has seen it.
func (g *group) expired(lease *coordinationv1.Lease) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.seen != lease.ResourceVersion {
		g.seen, g.since = lease.ResourceVersion, time.Now()
	}
	return time.Since(g.since) > max(g.duration, time.Duration(ptr.Deref(lease.Spec.LeaseDurationSeconds, 0))*time.Second)
}
