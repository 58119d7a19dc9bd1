package pool_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/landbridge-io/landbridge/internal/provider/pool"
)

// comeBack acquires as a reconciler does: when it is turned away, it comes back when it is told
// to, and does something with the server.
func comeBack(t *testing.T, p *pool.Pool, key pool.Key, do string) {
	t.Helper()
	for {
		lease, f := p.TryAcquire(t.Context(), key)
		if f != nil {
			if f.Reason != pool.Throttled || f.RetryAfter() <= 0 || !f.Diagnostics.HasErrors() {
				t.Errorf("turned away with %v, to come back after %s", f, f.RetryAfter())
				return
			}
			time.Sleep(f.RetryAfter())
			continue
		}
		defer lease.Release()
		if _, err := read(lease.Server(), do); err != nil {
			t.Error(err)
		}
		return
	}
}

// TestNoLimit proves that a burst is not slowed down unless a limit is set.
func TestNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, pool.Options{})
		key := pool.Prepare(pool.Configuration{Launcher: newCounting(), Config: config("", "")})
		began := time.Now()
		for range 2 * 780 {
			comeBack(t, p, key, "echo")
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("it took %s", took)
		}
	})
}

func TestLimits(t *testing.T) {
	limits := pool.Limits{CallsPerSecond: 10, Burst: 5}
	for name, c := range map[string]struct {
		options pool.Options
		own     pool.Limits
		want    time.Duration // for 105
	}{
		"of the pool":              {options: pool.Options{Limits: limits}, want: 10 * time.Second},
		"of the configuration":     {own: limits, want: 10 * time.Second},
		"the configuration's wins": {options: pool.Options{Limits: pool.Limits{CallsPerSecond: 1}}, own: limits, want: 10 * time.Second},
		"burst by default":         {own: pool.Limits{CallsPerSecond: 10}, want: 9500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			for _, patient := range []bool{false, true} {
				synctest.Test(t, func(t *testing.T) {
					p := newPool(t, c.options)
					key := pool.Prepare(pool.Configuration{Launcher: newCounting(), Config: config("", ""), Limits: c.own})
					other := pool.Prepare(pool.Configuration{Launcher: newCounting(), Config: config("", "other")})
					began, ended := time.Now(), make(chan time.Duration, 105)
					for range 105 {
						go func() {
							if patient {
								acquire(t, p, key).Release()
							} else {
								comeBack(t, p, key, "echo")
							}
							ended <- time.Since(began)
						}()
					}
					var last time.Duration
					for range 105 {
						last = max(last, <-ended)
					}
					if last < c.want-time.Second || last > c.want+2*time.Second {
						t.Errorf("patient %v: the last was done after %s, want %s", patient, last, c.want)
					}
					if c.options.Limits == (pool.Limits{}) {
						began := time.Now()
						for range 105 {
							comeBack(t, p, other, "echo")
						}
						if time.Since(began) > 0 {
							t.Error("another configuration is limited, too")
						}
					}
				})
			}
		})
	}
}

// TestLimitsChange proves that a changed limit holds for the server that there is.
func TestLimitsChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, l := newPool(t, pool.Options{}), newCounting()
		for range 3 {
			for limit, refused := range map[float64]bool{1: true, 0: false} {
				key := pool.Prepare(pool.Configuration{Launcher: l, Config: config("", ""), Limits: pool.Limits{CallsPerSecond: limit}})
				acquire(t, p, key).Release()
				lease, f := p.TryAcquire(t.Context(), key)
				if refused != (f != nil) {
					t.Errorf("limit %v: got %v", limit, f)
				}
				if f == nil {
					lease.Release()
				}
				time.Sleep(time.Minute)
			}
		}
		if l.launched.Load() != 1 {
			t.Errorf("%d servers were started", l.launched.Load())
		}
	})
}

const tooMany = "refuse:429 Too Many Requests"

// TestThrottling proves that all of a configuration is put off when one call is throttled, and
// no other configuration, and that it goes on more slowly, and as before after a while.
func TestThrottling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, pool.Options{})
		key := pool.Prepare(pool.Configuration{Launcher: newCounting(), Config: config("", "")})
		other := pool.Prepare(pool.Configuration{Launcher: newCounting(), Config: config("", "other")})
		for range 200 { // 20 a second
			comeBack(t, p, key, "echo")
			time.Sleep(50 * time.Millisecond)
		}
		// Several calls are throttled at once, as they are.
		var leases []*pool.Lease
		for range 5 {
			leases = append(leases, acquire(t, p, key))
		}
		for _, l := range leases {
			if _, err := read(l.Server(), tooMany); err != nil {
				t.Fatal(err)
			}
			l.Release()
		}
		began, times := time.Now(), map[time.Time]bool{}
		for range 10 {
			_, f := p.TryAcquire(t.Context(), key)
			if f == nil || f.Reason != pool.Throttled || f.RetryAfter() < time.Second || f.RetryAfter() > 20*time.Second {
				t.Fatalf("got %v, want a pause of a second", f)
			}
			times[f.RetryAt] = true
		}
		if f := p.Failure(key); f == nil || f.Reason != pool.Throttled || times[f.RetryAt] {
			t.Errorf("the failure is %v", f)
		}
		if len(times) != 10 {
			t.Errorf("10 are to come back at %d times", len(times))
		}
		acquire(t, p, other).Release()
		if f := p.Failure(other); f != nil || time.Since(began) > 0 {
			t.Errorf("another configuration waits, too: %v", f)
		}
		acquire(t, p, key).Release()
		if waited := time.Since(began); waited < time.Second || waited > 4*time.Second {
			t.Errorf("one who waits, waited %s", waited)
		}
		if n := p.Stats().Pauses; n != 1 {
			t.Errorf("%d pauses", n)
		}

		// Afterwards at half the rate.
		done := 0
		for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if l, f := p.TryAcquire(t.Context(), key); f == nil {
				l.Release()
				done++
			}
		}
		if done < 40 || done > 60 {
			t.Errorf("%d in five seconds, where 20 a second were too many", done)
		}
		time.Sleep(3 * time.Minute)
		began = time.Now()
		for range 1000 {
			comeBack(t, p, key, "echo")
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("it is as slow as ever: 1,000 took %s", took)
		}
	})
}

func TestThrottlingAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, pool.Options{})
		key := pool.Prepare(pool.Configuration{Launcher: newCounting(), Config: config("", "")})
		pause := func(says string) time.Duration {
			comeBack(t, p, key, says)
			return p.Failure(key).RetryAfter().Round(time.Second)
		}
		var pauses []time.Duration
		for range 11 {
			pauses = append(pauses, pause(tooMany))
		}
		if got, want := fmt.Sprint(pauses), "[2s 3s 5s 9s 17s 33s 1m5s 2m9s 4m17s 5m1s 5m1s]"; got != want { // the second is the turn of who asks
			t.Errorf("pauses of %s, want %s", got, want)
		}
		time.Sleep(10 * time.Minute)
		if got := pause(tooMany); got > 2*time.Second {
			t.Errorf("after a calm the pause is %s", got)
		}
		time.Sleep(10 * time.Minute)
		if got := pause("refuse:429 Too Many Requests, Retry-After: 90"); got < 90*time.Second || got > 91*time.Second {
			t.Errorf("asked for 90 seconds, it pauses for %s", got)
		}
		time.Sleep(time.Hour)
		if got := pause("refuse:429 Too Many Requests, Retry-After: 86400"); got > 16*time.Minute {
			t.Errorf("asked for a day, it pauses for %s", got)
		}
	})
}

// TestThrottledEstate proves that many resources get on with a cloud that allows few calls, and
// that the cloud gets few that are too many.
func TestThrottledEstate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const resources, allowed = 300, 10 // per second
		p := newPool(t, pool.Options{})
		key := pool.Prepare(pool.Configuration{Launcher: newCounting(), Config: config("", "")})
		var mu sync.Mutex
		var tokens float64 = allowed
		last, refusals, asked := time.Now(), 0, 0
		ask := func() string { // the cloud
			mu.Lock()
			defer mu.Unlock()
			now := time.Now()
			tokens, last = min(tokens+now.Sub(last).Seconds()*allowed, allowed), now
			asked++
			if tokens < 1 {
				refusals++
				return tooMany
			}
			tokens--
			return "echo"
		}
		began, seen := time.Now(), map[int]int{}
		for i := range resources {
			go func() {
				for {
					lease, f := p.TryAcquire(context.Background(), key)
					switch {
					case f != nil && f.Reason == pool.Closed:
						return
					case f != nil:
						time.Sleep(f.RetryAfter())
						continue
					}
					answer := ask()
					_, _ = read(lease.Server(), answer)
					lease.Release()
					if answer == "echo" {
						mu.Lock()
						seen[i]++
						mu.Unlock()
						time.Sleep(54*time.Second + rand.N(12*time.Second)) // the poll interval
					}
				}
			}()
		}
		time.Sleep(10 * time.Minute)
		mu.Lock()
		// All may be admitted before the first is refused.
		if took := time.Since(began); refusals > resources+asked/50 || len(seen) != resources {
			t.Errorf("in %s the cloud was asked %d times and refused %d; %d of %d resources were seen", took, asked, refusals, len(seen), resources)
		}
		for i, n := range seen {
			if n < 4 {
				t.Errorf("resource %d was seen %d times in ten minutes", i, n)
			}
		}
		mu.Unlock()
		t.Logf("asked %d times, refused %d", asked, refusals)
		closePool(t, p)
		time.Sleep(2 * time.Minute) // until all have noticed
	})
}
