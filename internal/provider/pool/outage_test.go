package pool_test

import (
	"context"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// works reads as a reconciler does, which comes back when it is told to, or after a second, until a
// read succeeds.
func works(t *testing.T, p *pool.Pool, key pool.Key) {
	for {
		lease, f := p.TryAcquire(t.Context(), key)
		if f != nil {
			if f.RetryAfter() <= 0 || !f.Diagnostics.HasErrors() || f.Reason != pool.Unusable && f.Reason != pool.Starting {
				t.Errorf("refused with %v, to try again after %s", f, f.RetryAfter())
				return
			}
			time.Sleep(f.RetryAfter())
			continue
		}
		a, err := lease.Server().ReadResource(context.Background(), &tfprotov6.ReadResourceRequest{TypeName: "echo"})
		lease.Release()
		if err != nil {
			t.Error(err)
			return
		}
		if len(a.Diagnostics) == 0 {
			return
		}
		wait := time.Second
		if f := p.Failure(key); f != nil {
			wait = f.RetryAfter()
		}
		time.Sleep(wait)
	}
}

// While credentials are rejected or an endpoint is not reachable, one resource tries, with growing
// delays. All go on at once when it works again. Another configuration is not affected.
func TestOutage(t *testing.T) {
	for name, tc := range map[string]struct {
		trouble string
		calls   int64         // at most, in half an hour
		after   time.Duration // at most, until all have succeeded
	}{
		"wrong password": {`pq: password authentication failed for user "admin"`, 100, 5*time.Minute + 2*time.Second},
		"not reachable":  {"dial tcp 10.0.0.1:5432: connect: connection refused", 150, 32 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPool(t, pool.Options{})
				l, other := newCounting(), newCounting()
				l.trouble.Store(tc.trouble)
				l.takes.Store(int64(10 * time.Millisecond))
				key := pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "")})
				another := pool.Prepare(pool.Configuration{Launcher: other, Config: config("", "other")})
				var done sync.WaitGroup
				var ended atomic.Int64
				for range 69 {
					done.Go(func() { works(t, p, key); ended.Store(time.Now().UnixNano()) })
				}
				time.Sleep(30 * time.Second)
				if n := l.calls.Load(); n > 69+10 {
					t.Errorf("%d calls within 30 s", n)
				}
				if f := p.Failure(key); f == nil || f.Reason != pool.Unusable || !p.Paused(key) ||
					!strings.Contains(f.Error(), "Provider configuration does not work") ||
					strings.Contains(f.Error(), "admin") || strings.Contains(f.Error(), "10.0.0.1") {
					t.Errorf("the failure is %v", f)
				}
				works(t, p, another)
				if p.Failure(another) != nil || p.Paused(another) {
					t.Error("another configuration is paused")
				}
				time.Sleep(30 * time.Minute)
				if n := l.calls.Load(); n > tc.calls {
					t.Errorf("%d calls within half an hour", n)
				}
				l.trouble.Store("")
				again := time.Now()
				done.Wait()
				if took := time.Unix(0, ended.Load()).Sub(again); took > tc.after {
					t.Errorf("the last went on after %s", took)
				}
				if f := p.Failure(key); f != nil || p.Paused(key) {
					t.Errorf("it is still paused: %v", f)
				}
				if n := l.launched.Load(); n != 1 {
					t.Errorf("%d servers were started", n)
				}
			})
		})
	}
}

// refused returns a pool whose one configuration cannot connect.
func refused(t *testing.T) (*pool.Pool, *counting, pool.Key) {
	l := newCounting()
	l.trouble.Store("connection refused")
	return newPool(t, pool.Options{}), l, pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "")})
}

// An import or a plan that succeeds does not show that a configuration works, since it may call
// nothing.
func TestOutageNeedsProof(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _, key := refused(t)
		for range 3 {
			lease := acquire(t, p, key)
			if a, err := lease.Server().ImportResourceState(t.Context(),
				&tfprotov6.ImportResourceStateRequest{TypeName: "echo"}); err != nil || len(a.Diagnostics) > 0 {
				t.Fatal(a, err)
			}
			if a, err := lease.Server().PlanResourceChange(t.Context(),
				&tfprotov6.PlanResourceChangeRequest{TypeName: "echo"}); err != nil || len(a.Diagnostics) > 0 {
				t.Fatal(a, err)
			}
			_, _ = read(lease.Server(), "echo")
			lease.Release()
		}
		if !p.Paused(key) {
			t.Error("it is not paused")
		}
	})
}

// One object with an endpoint of its own does not pause the others, and a failure now and then does
// not either.
func TestNoOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, pool.Options{})
		l := newCounting()
		key := pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "")})
		for range 20 {
			for _, trouble := range []string{"connection refused", "connection refused", "", "404 not found"} {
				l.trouble.Store(trouble)
				lease := acquire(t, p, key)
				if _, err := read(lease.Server(), "echo"); err != nil {
					t.Fatal(err)
				}
				lease.Release()
			}
		}
		if s := p.Stats(); s.Outages != 0 {
			t.Errorf("got %+v", s)
		}
	})
}

// An operation that takes long while it tries a paused configuration does not keep others from
// trying, and those that wait for it go on when it has ended.
func TestOutageTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, l, key := refused(t)
		for range 3 {
			lease := acquire(t, p, key)
			_, _ = read(lease.Server(), "echo")
			lease.Release()
		}
		if _, diags := p.Acquire(t.Context(), key); !diags.HasSummary("Provider configuration does not work") {
			t.Errorf("during the pause: %v", diags)
		}
		time.Sleep(time.Second)
		trial := acquire(t, p, key)
		if _, f := p.TryAcquire(t.Context(), key); f == nil || f.Reason != pool.Starting {
			t.Errorf("beside the one that tries: %v", f)
		}
		began := time.Now()
		waits := acquire(t, p, key)
		if took := time.Since(began); took != 10*time.Second {
			t.Errorf("another one tries after %s", took)
		}
		got := make(chan time.Duration)
		go func() {
			began := time.Now()
			acquire(t, p, key).Release()
			got <- time.Since(began)
		}()
		time.Sleep(2 * time.Second)
		l.trouble.Store("")
		_, _ = read(waits.Server(), "echo")
		if took := <-got; took != 2*time.Second {
			t.Errorf("when it works again, the others go on after %s", took)
		}
		trial.Release()
		waits.Release()
	})
}
