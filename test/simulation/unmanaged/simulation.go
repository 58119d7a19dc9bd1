package unmanaged

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/landbridge-io/landbridge/test/simulation"
)

// perSchedule is the number of operations of a schedule.
const perSchedule = 100

// Run carries out schedules, one after the other.
func Run(t *testing.T, o simulation.Options) *simulation.Result {
	out := &simulation.Result{Unmanaged: true}
	total := uint64((o.Operations + perSchedule - 1) / perSchedule)
	for n := o.Shard; n < total && !(o.First && len(out.Failures) > 0); n += max(1, o.Shards) {
		w := run(t, o.Seed, n, false)
		out.Operations += perSchedule
		out.Schedules++
		if len(w.violations) > 0 {
			out.Failures = append(out.Failures, simulation.Failure{Seed: o.Seed, Schedule: n, Violations: w.violations})
		}
	}
	return out
}

// Trace carries out one schedule, and returns its trace.
func Trace(t *testing.T, o simulation.Options, schedule uint64) (string, []simulation.Violation) {
	w := run(t, o.Seed, schedule, true)
	return strings.Join(w.lines, "\n"), w.violations
}

// run carries out one schedule.
func run(t *testing.T, seed, schedule uint64, traced bool) (w *world) {
	t.Run("schedule", func(t *testing.T) {
		synctest.Test(t, func(*testing.T) {
			w = newWorld(rand.New(rand.NewPCG(seed, schedule)), traced)
			w.run(perSchedule)
		})
	})
	return w
}

// one reports whether something happens that happens once in n times.
func (w *world) one(n int) bool { return w.random.IntN(n) == 0 }

// pick returns one of the values.
func pick[T any](w *world, values ...T) T { return values[w.random.IntN(len(values))] }

// note adds a line to the trace.
func (w *world) note(format string, args ...any) {
	if !w.traced {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, fmt.Sprintf("%10.3fs  ", time.Since(w.began).Seconds())+fmt.Sprintf(format, args...))
}
