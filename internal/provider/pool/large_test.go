//go:build !race

package pool_test

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// TestLargeNumberOfConfigurations has one tenant with a thousand configurations, and another with
// one: the first has no more servers than it may, all of its resources get their turn, and the
// other one keeps its server.
func TestLargeNumberOfConfigurations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, pool.Options{MaxServers: 25, MaxServersPerNamespace: 20})
		many, one := newCounting(), newCounting()
		many.takes.Store(int64(100 * time.Millisecond))
		acquire(t, p, numbered(one, "one", 0)).Release()
		var all sync.WaitGroup
		for i := range 1000 {
			key := numbered(many, "many", i)
			all.Go(func() {
				for {
					lease, f := p.TryAcquire(t.Context(), key)
					if f != nil {
						if f.Reason != pool.NoRoom && f.Reason != pool.Starting {
							t.Errorf("got %v", f)
							return
						}
						time.Sleep(f.RetryAfter())
						continue
					}
					if _, err := read(lease.Server(), "echo"); err != nil {
						t.Error(err)
					}
					lease.Release()
					return
				}
			})
		}
		done := make(chan struct{})
		go func() { all.Wait(); close(done) }()
		for ended := false; !ended; {
			select {
			case <-done:
				ended = true
			case <-time.After(time.Second):
				synctest.Wait()
				if n := p.Stats().Servers; n > 21 {
					t.Errorf("%d servers", n)
				}
				acquire(t, p, numbered(one, "one", 0)).Release()
			}
		}
		if n := one.launched.Load(); n != 1 {
			t.Errorf("the server of the other tenant was started %d times", n)
		}
		if n := many.launched.Load(); n < 1000 {
			t.Errorf("%d servers of 1000 were started", n)
		}
	})
}
