package pool_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/landbridge-io/landbridge/internal/provider/pool"
	"github.com/landbridge-io/landbridge/internal/testing/leaktest"
	"github.com/landbridge-io/landbridge/internal/testing/waittest"
)

// Nothing is kept of processes that have ended, whatever has ended them, nor of their
// configurations. It runs alone, since it counts what the whole process has.
func TestNothingIsKeptOfEndedProcesses(t *testing.T) {
	p := newPool(t, pool.Options{
		IdleTimeout: 100 * time.Millisecond, Patience: time.Second, MinBackoff: time.Millisecond, MaxBackoff: 100 * time.Millisecond,
		StopTimeout: 5 * time.Second, MaxServers: 3, MaxServersPerNamespace: 2,
	})
	operateAtRandom(t, p, 0)
	before := whenEnded(t, p, nil)
	for i := 1; i <= 2; i++ {
		operateAtRandom(t, p, i)
		whenEnded(t, p, before)
	}
}

// whenEnded returns what this process has when nothing of the pool's processes is left. It fails if
// that does not come to be what it was before, or little more; nil if there is nothing before.
func whenEnded(t *testing.T, p *pool.Pool, before map[string]int) (out map[string]int) {
	t.Helper()
	// What ends last, such as the goroutines that wait for a process, ends soon afterwards.
	if err := waittest.Succeed(t.Context(), func(context.Context) error {
		last := out
		out = leaktest.Process()
		if n := p.Entries(); n != 0 {
			return fmt.Errorf("%d configurations are known", n)
		}
		for what, n := range before {
			if out[what] > n+2 {
				return fmt.Errorf("%s: %d after the first round, %d now", what, n, out[what])
			}
		}
		if !maps.Equal(last, out) {
			return fmt.Errorf("the numbers still change: %v, then %v", last, out)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// operateAtRandom has four workers use configurations of the round until enough has happened:
// processes answer, crash, end, hang until their call is cancelled, cannot be configured, and are
// closed to make room. It returns when all have ended.
func operateAtRandom(t *testing.T, p *pool.Pool, round int) {
	t.Helper()
	launcher, before := processes(t), p.Stats()
	enough := func() bool {
		s := p.Stats()
		return s.Starts >= before.Starts+5 && s.Crashes >= before.Crashes+2
	}
	var workers sync.WaitGroup
	for worker := range 4 {
		random := rand.New(rand.NewPCG(uint64(round), uint64(worker)))
		workers.Go(func() {
			for i := 0; (i < 40 || !enough()) && t.Context().Err() == nil; i++ {
				behave := ""
				switch random.IntN(10) {
				case 0:
					behave = "fail"
				case 1:
					behave = "crash"
				}
				team := fmt.Sprint("team-", random.IntN(3))
				key := pool.Prepare(pool.Configuration{
					Launcher: launcher, Config: config(behave, fmt.Sprint(round, random.IntN(6))), Namespace: team, Name: team,
				})
				resource := as(t.Context(), team, fmt.Sprint("r-", round, random.IntN(8)), fmt.Sprint(random.IntN(3)))
				ctx, cancel := context.WithTimeout(resource, time.Duration(1+random.IntN(2000))*time.Millisecond)
				if lease, f := p.TryAcquire(ctx, key); f == nil {
					typ := []string{"echo", "echo", "echo", "crash", "exit", "wait", "say:something"}[random.IntN(7)]
					_, _ = lease.Server().ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: typ}) // most calls fail
					lease.Release()
				}
				cancel()
			}
		})
	}
	workers.Wait()
	waittest.Eventually(t, "all processes have ended", func(context.Context) bool { return p.Stats().Servers == 0 })
}
