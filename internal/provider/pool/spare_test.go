package pool_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider"
	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// launch starts a server that is not configured.
func launch(t *testing.T, l provider.Launcher) provider.Server {
	t.Helper()
	s, err := l.Launch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// ended reports whether a server was closed.
func ended(s provider.Server) bool {
	select {
	case <-s.Done():
		return true
	default:
		return false
	}
}

// A process that was offered is configured once, however many configurations need one at the same
// time.
func TestOfferedServerHasOneConfiguration(t *testing.T) {
	t.Parallel()
	p := newPool(t, pool.Options{})
	l := processes(t)
	s := launch(t, l)
	offered, err := read(s, "pid")
	if err != nil {
		t.Fatal(err)
	}
	p.Offer(l, s)
	const configurations = 4
	var mu sync.Mutex
	of := map[string]int{}
	var wg sync.WaitGroup
	for i := range configurations {
		wg.Go(func() {
			lease := acquire(t, p, pool.Prepare(pool.Configuration{Launcher: l, Config: config("", fmt.Sprint("token", i))}))
			defer lease.Release()
			pid, err := read(lease.Server(), "pid")
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			of[pid]++
		})
	}
	wg.Wait()
	if len(of) != configurations || of[offered] != 1 {
		t.Errorf("configurations by process: %v, and %q was offered", of, offered)
	}
}

func TestOfferedServer(t *testing.T) {
	for name, test := range map[string]struct {
		// before is done with the pool and the offered server, before a configuration needs one.
		before func(p *pool.Pool, s provider.Server)
		// launcher is that of the configuration; nil if it is the same.
		launcher *counting
		taken    bool
	}{
		"is taken":                          {taken: true},
		"is taken as long as it waits":      {before: func(*pool.Pool, provider.Server) { time.Sleep(4 * time.Second) }, taken: true},
		"is closed soon":                    {before: func(*pool.Pool, provider.Server) { time.Sleep(6 * time.Second) }},
		"has ended":                         {before: func(_ *pool.Pool, s provider.Server) { _ = s.Close(context.Background()) }},
		"is of another launcher":            {launcher: newCounting()},
		"is one of few":                     {before: func(p *pool.Pool, _ provider.Server) { offerOthers(p, 3) }, taken: true},
		"is closed when there are too many": {before: func(p *pool.Pool, _ provider.Server) { offerOthers(p, 4) }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPool(t, pool.Options{})
				l := newCounting()
				s := launch(t, l)
				p.Offer(l, s)
				if test.before != nil {
					test.before(p, s)
					synctest.Wait()
				}
				of := l
				if test.launcher != nil {
					of = test.launcher
				}
				before := of.launched.Load()
				lease := acquire(t, p, pool.Prepare(pool.Configuration{Launcher: of, Config: config("", "")}))
				if started := of.launched.Load() - before; started == 0 != test.taken || of.configured.Load() != 1 {
					t.Errorf("%d started and %d configured", started, of.configured.Load())
				}
				time.Sleep(time.Minute)
				if ended(s) == test.taken {
					t.Errorf("ended: %t", ended(s))
				}
				if _, err := read(lease.Server(), "echo"); err != nil {
					t.Error(err)
				}
				lease.Release()
			})
		})
	}
}

// offerOthers offers servers that a configuration with another launcher does not get.
func offerOthers(p *pool.Pool, n int) {
	for range n {
		other := newCounting()
		s, err := other.Launch(context.Background())
		if err != nil {
			panic(err)
		}
		p.Offer(other, s)
	}
}

// No server outlives the pool.
func TestOfferedServerEndsWithThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pool.New(pool.Options{})
		l := newCounting()
		before, after := launch(t, l), launch(t, l)
		p.Offer(l, before)
		closePool(t, p)
		p.Offer(l, after)
		if !ended(before) || !ended(after) {
			t.Errorf("offered before: ended %t; offered after: ended %t", ended(before), ended(after))
		}
	})
}
