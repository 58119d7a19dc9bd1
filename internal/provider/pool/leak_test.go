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
	before := operateAtRandom(t, p, 0)
	for i := 1; i <= 2; i++ {
		after := operateAtRandom(t, p, i)
		for what, n := range after {
			if n > before[what]+2 {
				t.Errorf("%s: %d after the first round, %d after round %d", what, before[what], n, i+1)
			}
		}
	}
}

// operateAtRandom has four workers use configurations of the round for a while: processes answer,
// crash, end, hang until their call is cancelled, cannot be configured, and are closed to make
// room. It returns what this process holds when all have ended.
func operateAtRandom(t *testing.T, p *pool.Pool, round int) map[string]int {
	t.Helper()
	launcher, before := processes(t), p.Stats()
	var workers sync.WaitGroup
	for worker := range 4 {
		random := rand.New(rand.NewPCG(uint64(round), uint64(worker)))
		workers.Go(func() {
			for range 40 {
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
	if s := p.Stats(); s.Starts < before.Starts+5 || s.Crashes < before.Crashes+2 {
		t.Errorf("too little happens: %+v, then %+v", before, s)
	}
	waittest.Eventually(t, "all processes have ended", func(context.Context) bool { return p.Stats().Servers == 0 })
	// What ends last, such as the goroutines that wait for a process, ends soon afterwards.
	var out map[string]int
	waittest.Eventually(t, "the numbers stay the same", func(context.Context) bool {
		last := out
		out = leaktest.Process()
		return maps.Equal(last, out) && p.Entries() == 0
	})
	return out
}
