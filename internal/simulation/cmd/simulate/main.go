package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"github.com/landbridge-io/landbridge/internal/simulation"
)

var (
	operations = flag.Int("ops", 100000, "number of operations of users")
	seed       = flag.Uint64("seed", 1, "seed of all schedules")
	schedule   = flag.Int64("schedule", -1, "print the trace of this schedule alone")
	first      = flag.Bool("first", false, "stop after the first schedule that violates an invariant")
	replay     = flag.String("replay", "", "print the trace of the schedule in this file")
	keep       = flag.String("keep", "", "with -shrink, write the schedule to this file")
	shrink     = flag.Bool("shrink", false, "print the trace of the first schedule that violates an invariant, shrunk")
)

func main() {
	debug.SetGCPercent(400)
	simulation.Bubbles(func(t *testing.T) bool {
		if *schedule >= 0 {
			trace, violations := simulation.Trace(t, *seed, uint64(*schedule))
			fmt.Println(trace)
			return len(violations) > 0
		}
		if *replay != "" {
			kept, err := os.ReadFile(*replay)
			if err != nil {
				t.Fatal(err)
			}
			trace, violations := simulation.Replay(t, string(kept))
			fmt.Println(trace)
			return len(violations) > 0
		}
		result := simulation.Run(t, simulation.Options{Seed: *seed, Operations: *operations, First: *first})
		for _, f := range result.Failures[:min(20, len(result.Failures))] {
			fmt.Println(f)
		}
		if *shrink && len(result.Failures) > 0 {
			kept := simulation.Shrink(t, result.Failures[0])
			fmt.Println(kept)
			if *keep != "" {
				if err := os.WriteFile(*keep, []byte(kept.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
		fmt.Println(result)
		return len(result.Failures) > 0
	})
}
