package pool_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// renewed launches servers that become outdated.
type renewed struct {
	*counting
	current atomic.Int64
}

func (l *renewed) Version() int64 { return l.current.Load() }

func TestOutdatedServersAreReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &renewed{counting: newCounting()}
		p := pool.New(pool.Options{})
		key := pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "one")})
		held := acquire(t, p, key)
		acquire(t, p, key).Release()
		if n := l.launched.Load(); n != 1 {
			t.Fatalf("%d servers were launched", n)
		}
		l.current.Add(1)
		acquire(t, p, key).Release() // meanwhile, the old one serves
		synctest.Wait()
		next := acquire(t, p, key)
		if n := l.launched.Load(); n != 2 || next.Server() == held.Server() {
			t.Errorf("%d servers were launched", n)
		}
		if n := l.stopped.Load(); n != 0 {
			t.Error("the old server was stopped while it was leased")
		}
		held.Release()
		next.Release()
		synctest.Wait()
		if s := p.Stats(); s.Servers != 1 || s.Replacements != 1 {
			t.Errorf("%+v", s)
		}
		// One without leases is replaced before it is leased again.
		l.current.Add(1)
		acquire(t, p, key).Release()
		if n := l.launched.Load(); n != 3 {
			t.Errorf("%d servers were launched", n)
		}
		// And closed soon, even if it is not needed.
		time.Sleep(2 * time.Minute)
		if n := p.Stats().Servers; n != 1 {
			t.Errorf("%d servers run", n)
		}
		l.current.Add(1)
		time.Sleep(2 * time.Minute)
		if n := p.Stats().Servers; n != 0 {
			t.Errorf("%d servers run", n)
		}
		closePool(t, p)
	})
}

// A replacement that does not start leaves the old server.
func TestFailedRenewalKeepsTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &renewed{counting: newCounting()}
		p := pool.New(pool.Options{})
		key := pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "one")})
		held := acquire(t, p, key)
		l.fail.Store(true)
		l.current.Add(1)
		for range 10 {
			acquire(t, p, key).Release()
			synctest.Wait()
		}
		if n := l.launched.Load(); n != 2 {
			t.Errorf("%d servers were launched", n)
		}
		l.fail.Store(false)
		time.Sleep(2 * time.Second)
		acquire(t, p, key).Release()
		synctest.Wait()
		if next := acquire(t, p, key); next.Server() == held.Server() {
			t.Error("the server was not replaced")
		} else {
			next.Release()
		}
		held.Release()
		closePool(t, p)
	})
}

// A server that defers because of its configuration is replaced after a while: a provider is
// configured only once.
func TestDeferringServerIsReplaced(t *testing.T) {
	for name, test := range map[string]struct {
		reason tfprotov6.DeferredReason
		want   int64
	}{
		"because of its configuration": {tfprotov6.DeferredReasonProviderConfigUnknown, 2},
		"because of the resource":      {tfprotov6.DeferredReasonAbsentPrereq, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newCounting()
				l.deferred.Store(int64(test.reason))
				p := pool.New(pool.Options{IdleTimeout: time.Hour})
				key := pool.Prepare(pool.Configuration{Launcher: l, Config: config("", "one")})
				for _, wait := range []time.Duration{time.Second, time.Minute, time.Second} {
					held := acquire(t, p, key)
					if _, err := held.Server().ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "test_thing"}); err != nil {
						t.Fatal(err)
					}
					held.Release()
					time.Sleep(wait)
					synctest.Wait()
				}
				if n := l.launched.Load(); n != test.want {
					t.Errorf("%d servers were launched", n)
				}
				closePool(t, p)
			})
		})
	}
}
